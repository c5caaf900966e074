"""Batch jobs and builds on a Ray cluster: the same results from many machines (extra ``ray``)."""

from octavo.cluster.ray_builder import RayBuilder
from octavo.cluster.ray_engine import RayEngine
from octavo.cluster.session import RaySession, ray_session

__all__ = ["RayBuilder", "RayEngine", "RaySession", "ray_session"]

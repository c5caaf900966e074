"""Sweeps: many settings of a strategy measured over candidates that are found once."""

from octavo.sweeps.held_out import HeldOut
from octavo.sweeps.run import Sweep, SweepPoint, sweep

__all__ = ["HeldOut", "Sweep", "SweepPoint", "sweep"]

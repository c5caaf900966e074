"""Embedding jobs: files of documents in, one parquet file of them and their vectors out."""

from octavo.batch.embedding.job import EmbedJob, EmbedProgress, EmbedSummary
from octavo.batch.embedding.run import run_embedding

__all__ = ["EmbedJob", "EmbedProgress", "EmbedSummary", "run_embedding"]

"""Batch jobs: files of queries in, one file of results out."""

from octavo.batch.job import BatchJob, BatchProgress, BatchSummary
from octavo.batch.result_format import ResultFormat
from octavo.batch.run import run_batch

__all__ = ["BatchJob", "BatchProgress", "BatchSummary", "ResultFormat", "run_batch"]

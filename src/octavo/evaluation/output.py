"""A report as files and JSON."""

from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq

from octavo.errors import InvalidArgumentError
from octavo.evaluation.report import EvaluationReport
from octavo.evaluation.significance import FLIPS
from octavo.storage.format.output_file import write_output_file


def as_json(report: EvaluationReport) -> dict[str, Any]:
    """Return everything but the values of single queries as plain values."""
    return {
        "queries": len(report.qrels),
        "queries_without_relevant": report.qrels.without_relevant,
        "metrics": list(report.metrics),
        "baseline": report.baseline,
        "confidence": 0.95,
        "test": f"paired randomisation, {FLIPS} flips, Holm",
        "systems": [
            {
                "name": system.name,
                "missing_queries": system.missing,
                "unjudged_queries": system.unjudged,
                "metrics": {
                    metric: asdict(estimate)
                    for metric, estimate in zip(report.metrics, system.means, strict=True)
                },
            }
            for system in report.systems
        ],
        "comparisons": [
            {**asdict(found), "significant": found.significant} for found in report.comparisons
        ],
    }


def checked_per_query_file(path: Path) -> Path:
    """Return the path if its ending is ``.parquet`` or ``.csv``.

    Raises
    ------
    InvalidArgumentError
        It is another.
    """
    if path.suffix.lower() not in {".parquet", ".csv"}:
        raise InvalidArgumentError(f"per-query: expected a .parquet or .csv file, found {path}")
    return path


def write_per_query(report: EvaluationReport, path: Path) -> None:
    """Write :meth:`EvaluationReport.per_query` as parquet or CSV, whole or not at all.

    Raises
    ------
    InvalidArgumentError
        The ending is another.
    OSError
        The file cannot be written.
    """
    written = BytesIO()
    if checked_per_query_file(path).suffix.lower() == ".csv":
        pyarrow.csv.write_csv(report.per_query(), written)
    else:
        pq.write_table(report.per_query(), written, compression="zstd")
    write_output_file(path, written.getvalue())

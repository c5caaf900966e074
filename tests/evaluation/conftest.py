"""Tiny collections, and runs and judgements made from Python values."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pytest

from octavo.evaluation import Qrels, Run, read_qrels, read_run


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The folder of small files in every layout."""
    return Path(__file__).parent / "fixtures"


@pytest.fixture(scope="session")
def judged() -> Callable[[Mapping[str, Mapping[str, int]]], Qrels]:
    """Make judgements of grades by query and document."""

    def make(grades: Mapping[str, Mapping[str, int]]) -> Qrels:
        rows = [
            {"query_id": query, "doc_id": document, "grade": grade}
            for query, of_query in grades.items()
            for document, grade in of_query.items()
        ]
        return read_qrels(pa.Table.from_pylist(rows))

    return make


@pytest.fixture(scope="session")
def found() -> Callable[..., Run]:
    """Make a run of scores by query and document."""

    def make(scores: Mapping[str, Mapping[str, float]], name: str = "run") -> Run:
        rows = [
            {"query_id": query, "doc_id": document, "score": float(score)}
            for query, of_query in scores.items()
            for document, score in of_query.items()
        ]
        schema = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()})
        return read_run(pa.Table.from_pylist(rows, schema), name=name)

    return make

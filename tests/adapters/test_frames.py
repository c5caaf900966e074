"""Results in data frames and SQL: the very same memory."""

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.adapters.frames import to_duckdb, to_pandas, to_polars

QUERIES = ["red fox", "blue whale", "owl"]


@pytest.fixture(scope="module")
def hits(corpus):
    """Hits with text, integers, floats and nulls."""
    table = corpus.search_batch(QUERIES, strategy="hybrid", max_results=5)
    assert table["keyword_rank"].null_count
    return table


def addresses(column):
    """Where each buffer of a column is in memory, chunk by chunk."""
    return [
        None if buffer is None else buffer.address
        for chunk in column.chunks
        for buffer in chunk.buffers()
    ]


def test_pandas_has_the_same_buffers(hits):
    pytest.importorskip("pandas")
    frame = to_pandas(hits)
    assert list(frame.columns) == hits.column_names
    for name in hits.column_names:
        column = frame[name].array.__arrow_array__()
        assert column.equals(hits[name])
        assert addresses(column) == addresses(hits[name])
    assert frame["keyword_rank"].isna().sum() == hits["keyword_rank"].null_count


def test_what_pandas_wrote_into_a_table_takes_no_column_away():
    pandas = pytest.importorskip("pandas")
    written = pandas.DataFrame({"score": [0.5]}, index=pandas.Index(["a"], name="id"))
    frame = to_pandas(pa.Table.from_pandas(written))
    assert frame.to_dict("list") == {"score": [0.5], "id": ["a"]}


def test_polars_has_the_same_buffers(hits):
    pytest.importorskip("polars")
    frame = to_polars(hits)
    assert frame.to_arrow().cast(hits.schema).equals(hits)
    for name in hits.column_names:
        if pa.types.is_string(hits[name].type):
            continue  # polars keeps text as views
        assert frame[name].to_arrow().buffers()[1].address == addresses(hits[name])[1]


def test_duckdb_reads_the_same_memory():
    """What is written into the buffer after the hand-over is what DuckDB reads."""
    duckdb = pytest.importorskip("duckdb")
    memory = np.arange(10_000, dtype=np.float64)
    table = pa.table({"score": pa.array(memory)})
    assert addresses(table["score"])[1] == memory.ctypes.data
    with duckdb.connect() as connection:
        relation = to_duckdb(table, connection)
        assert relation.sum("score").fetchall() == [(memory.sum(),)]
        memory += 1.0
        assert relation.sum("score").fetchall() == [(memory.sum(),)]


def test_duckdb_answers_questions_about_hits(hits, corpus):
    duckdb = pytest.importorskip("duckdb")
    best = to_duckdb(hits).filter("rank = 1").project("id, score").fetchall()
    assert best == [(row["id"], row["score"]) for row in hits.to_pylist() if row["rank"] == 1]
    with duckdb.connect() as connection:
        relation = to_duckdb(hits, connection)
        counted = relation.aggregate("count(*), count(distinct query_id)").fetchall()
    assert counted == [(len(hits), len(set(hits["query_id"].to_pylist())))]


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_every_library_gives_documents_to_an_index(documents, library, tmp_path):
    """The way back: what exports Arrow is taken as it is."""
    pytest.importorskip(library)
    handed = {"pandas": to_pandas, "polars": to_polars, "duckdb": to_duckdb}[library](documents)
    corpus = Corpus.build(
        handed, tmp_path / "index", metadata=["tier"], embedding="none", threads=1
    )
    found = corpus.search("red fox", max_results=3)
    plain = Corpus.build(
        documents, tmp_path / "plain", metadata=["tier"], embedding="none", threads=1
    )
    assert found == plain.search("red fox", max_results=3)

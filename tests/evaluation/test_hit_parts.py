import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.evaluation.hit_parts import hit_parts

ROWS = [
    {
        "query_id": "q1",
        "id": "a",
        "score": 2.0,
        "keyword_rank": 1,
        "keyword_score": 8.5,
        "node_id": "007",
    },
    {
        "query_id": "q1",
        "id": "b",
        "score": 1.0,
        "keyword_rank": None,
        "keyword_score": None,
        "node_id": None,
    },
    {
        "query_id": "q2",
        "id": "a",
        "score": 1.0,
        "keyword_rank": 2,
        "keyword_score": 0.5,
        "node_id": None,
    },
]
EXPECTED = {
    ("q1", "a"): {"keyword_rank": 1, "keyword_score": 8.5, "node_id": "007"},
    ("q1", "b"): {},
}


def test_parts_of_the_queries_asked_for(tmp_path):
    table = pa.Table.from_pylist(ROWS)
    pq.write_table(table, tmp_path / "r.parquet")
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for results in (table, tmp_path / "r.parquet", tmp_path / "r.jsonl"):
        assert hit_parts(results, {"q1"}) == EXPECTED
    assert hit_parts(table, set()) == {}


def test_columns_are_found_as_a_run_finds_them():
    table = pa.table({"QID": [1], "doc_id": [7], "Score": [1.0], "RANK": [1], "hops": [2]})
    assert hit_parts(table, {"1"}) == {("1", "7"): {"hops": 2}}


def test_vectors_and_structures_are_no_parts():
    table = pa.table(
        {
            "query_id": ["q"], "id": ["d"], "score": [1.0], "vector": [[0.5, 1.0]],
            "variant_ranks": [[1, None]], "deep": [{"a": 1}], "raw": [b"x"],
        }
    )  # fmt: skip
    assert hit_parts(table, {"q"}) == {("q", "d"): {"variant_ranks": [1, None]}}


@pytest.mark.parametrize("name", ["r.trec", "r.txt"])
def test_lines_have_no_parts(tmp_path, name):
    (tmp_path / name).write_text("q1 Q0 a 1 2.0 tag\n")
    assert hit_parts(tmp_path / name, {"q1"}) == {}


def test_times_beyond_those_of_python_are_told():
    seconds = pa.array([10**13, 10], pa.timestamp("s", "Mars/Olympus"))
    table = pa.table(
        {"query_id": ["q", "q"], "id": ["a", "b"], "score": [2.0, 1.0], "when": seconds,
         "day": pa.array([2**31 - 1, 0], pa.date32())}
    )  # fmt: skip
    found = hit_parts(table, {"q"})
    assert found["q", "b"] == {"when": "1970-01-01 00:00:10", "day": "1970-01-01"}
    assert "out of range" in found["q", "a"]["when"]

import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.batch.writers.trec import TrecRunWriter, check_run_ids, decreasing_scores
from octavo.errors import InvalidArgumentError


def hits(queries: list[str], ids: list[str], scores: list[float]) -> pa.RecordBatch:
    ranks: list[int] = []
    for position, query in enumerate(queries):
        first = position == 0 or queries[position - 1] != query
        ranks.append(1 if first else ranks[-1] + 1)
    return pa.record_batch(
        {
            "query_id": pa.array(queries, pa.string()),
            "rank": pa.array(ranks, pa.int32()),
            "id": pa.array(ids, pa.string()),
            "score": pa.array(scores, pa.float64()),
        }
    )


def written(path, *batches: pa.RecordBatch) -> list[list[str]]:
    with TrecRunWriter(path, tag="octavo-keyword") as writer:
        for batch in batches:
            writer.write(batch)
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def as_float32(number: str) -> float:
    """Read a number as C reads it into a float."""
    return struct.unpack("f", struct.pack("f", float(number)))[0]


def test_a_run_has_the_six_fields(tmp_path):
    found = written(tmp_path / "r", hits(["q1", "q1", "q2"], ["a", "é", "a"], [1.5, 0.25, 1e-9]))
    assert found == [
        ["q1", "Q0", "a", "1", "1.5", "octavo-keyword"],
        ["q1", "Q0", "é", "2", "0.25", "octavo-keyword"],
        ["q2", "Q0", "a", "1", "1e-9", "octavo-keyword"],
    ]


descending = st.lists(
    st.one_of(
        st.floats(-1e30, 1e30),
        st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-40, 0.1, np.nextafter(0.1, 0), 5e-324, 1e300]),
        st.sampled_from([-1e300, -3.4028235e38, -3.4028234e38, -np.inf, np.inf]),
    ),
    min_size=1,
    max_size=40,
).map(lambda scores: sorted(scores, reverse=True))


@given(descending)
def test_any_evaluator_keeps_the_order(tmp_path_factory, scores):
    # S6: trec_eval reads float32, sorts by score and puts the larger id first on ties.
    ids = [f"{number:03d}" for number in range(len(scores))]
    path = tmp_path_factory.mktemp("run") / "r"
    found = written(path, hits(["q"] * len(ids), ids, scores))
    for read in (float, as_float32):
        by_score = sorted(found, key=lambda one: (read(one[4]), one[2]), reverse=True)
        assert [one[2] for one in by_score] == ids
    values = [as_float32(one[4]) for one in found]
    assert all(np.isfinite(values))


@given(descending)
def test_scores_move_no_further_than_needed(scores):
    # Oracle: walk down with nextafter.
    expected: list[np.float32] = []
    largest = np.finfo(np.float32).max
    for score in scores:
        value = np.float32(np.clip(score, -largest, largest))
        if expected and not value < expected[-1]:
            with np.errstate(over="ignore"):
                value = np.nextafter(expected[-1], np.float32(-np.inf))
        expected.append(value)
    # Below the lowest is nothing: from the end up each at least has room for those after it.
    floor = -largest
    for place in range(len(expected) - 1, -1, -1):
        expected[place] = max(expected[place], floor)
        floor = np.nextafter(floor, np.float32(np.inf))
    found = decreasing_scores(np.array(scores), np.arange(1, len(scores) + 1))
    assert found.dtype == np.float32
    assert (found == np.array(expected, np.float32)).all()


def test_each_query_starts_anew():
    found = decreasing_scores(np.array([0.5, 0.5, 0.5, 0.5]), np.array([1, 2, 1, 2]))
    below = np.nextafter(np.float32(0.5), np.float32(0))
    assert found.tolist() == [0.5, below, 0.5, below]


@pytest.mark.parametrize(
    "bad", ["", " ", "a b", "a\tb", "a\n", "\u3000x", "a\x1cb", "a\0b", "\ufeffa"]
)
def test_ids_that_a_run_cannot_hold_are_refused(tmp_path, bad):
    with pytest.raises(InvalidArgumentError, match="document id"):
        check_run_ids(hits(["q"], [bad], [1.0]))
    with (
        TrecRunWriter(tmp_path / "r", tag="t") as writer,
        pytest.raises(InvalidArgumentError, match="query id"),
    ):
        writer.write(hits([bad], ["a"], [1.0]))


@pytest.mark.parametrize(
    ("tag", "field"), [("my  run", "my_run"), (" ", "run"), ("caf\udce9", "caf\\udce9"), ("é", "é")]
)
def test_tags(tmp_path, tag, field):
    with TrecRunWriter(tmp_path / "r", tag) as writer:
        writer.write(hits(["q"], ["a"], [1.0]))
    assert (tmp_path / "r").read_text(encoding="utf-8") == f"q Q0 a 1 1 {field}\n"


def test_no_hits_are_no_lines(tmp_path):
    assert written(tmp_path / "r", hits([], [], [])) == []

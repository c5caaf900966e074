import gzip
import json
import math
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import InvalidArgumentError, SourceLoadingError
from octavo.evaluation import read_run, write_run


def rows(run):
    return [(row["query_id"], row["rank"], row["id"]) for row in run.table().to_pylist()]


def trec_order(scores):
    """By score as float32 descending, then id descending, as trec_eval's comparison does."""
    return sorted(scores, key=lambda each: (np.float32(scores[each]), each.encode()), reverse=True)


def test_a_trec_run_has_trec_evals_order_whatever_its_ranks(fixtures):
    run = read_run(fixtures / "small.run")
    assert run.name == "small"
    assert rows(run) == [
        ("1", 1, "d3"), ("1", 2, "d1"), ("1", 3, "d2"), ("2", 1, "d1"), ("2", 2, "d2"), ("9", 1, "d2"),
    ]  # fmt: skip


ids = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)
scores = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, -1.0]), st.floats(-1e9, 1e9))


@given(st.dictionaries(ids, scores, min_size=1, max_size=30))
def test_ties_are_those_of_float32_and_the_larger_id_is_first(found_scores):
    table = pa.table(
        {
            "qid": ["q"] * len(found_scores),
            "docno": list(found_scores),
            "score": list(found_scores.values()),
        }
    )
    assert read_run(table).ids.to_pylist() == trec_order(found_scores)


@given(
    st.dictionaries(
        st.sampled_from("pqr"), st.dictionaries(ids, scores, min_size=1, max_size=6), min_size=1
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_means_nothing(found_scores, rng):
    rows_of_all = [
        {"qid": query, "docno": document, "score": score}
        for query, of_query in found_scores.items()
        for document, score in of_query.items()
    ]
    rng.shuffle(rows_of_all)
    run = read_run(pa.Table.from_pylist(rows_of_all))
    found = {
        query: run.ids[run.offsets[at] : run.offsets[at + 1]].to_pylist()
        for at, query in enumerate(run.query_ids.to_pylist())
    }
    assert found == {query: trec_order(of_query) for query, of_query in found_scores.items()}


def test_a_table_with_ranks_has_their_order():
    table = pa.table(
        {"query_id": ["q"] * 3, "rank": [2, 1, 3], "id": ["b", "a", "c"], "score": [1, 1, 1]}
    )
    assert rows(read_run(table)) == [("q", 1, "a"), ("q", 2, "b"), ("q", 3, "c")]


def test_rows_of_one_query_may_lie_apart():
    table = pa.table({"qid": ["a", "b", "a"], "docid": ["x", "y", "z"], "score": [1.0, 2.0, 3.0]})
    assert rows(read_run(table)) == [("a", 1, "z"), ("a", 2, "x"), ("b", 1, "y")]


@pytest.mark.parametrize("ending", ["trec", "run", "parquet", "jsonl"])
def test_a_run_read_back_is_the_same(tmp_path, found, ending):  # S6
    rng = random.Random(1)
    run = found(
        {
            f"q{number}": {f"d{d}": rng.choice([0.5, 0.25, 1e-30, -3.0]) for d in range(number + 1)}
            for number in range(20)
        },
        name="my run",
    )
    path = tmp_path / f"a.{ending}"
    write_run(run, path)
    again = read_run(path)
    assert rows(again) == rows(run)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    if ending in ("parquet", "jsonl"):
        assert again.scores.tolist() == run.scores.tolist()
    else:
        assert {line.split()[5] for line in path.read_text().splitlines()} == {"my_run"}


def test_results_of_a_batch_job_are_runs_in_every_format(corpus, tmp_path):
    from octavo.batch import BatchJob, run_batch

    queries = pa.table({"id": ["1", "2", "3"], "text": ["red fox", "whale", "nothing of it"]})
    # Hashes tie often, so the order of the index must not become another's.
    runs = []
    for ending in ("parquet", "jsonl", "trec"):
        out = tmp_path / f"r.{ending}"
        run_batch(BatchJob(index=corpus, queries=queries, out=out, strategy="vector"))
        runs.append(rows(read_run(out)))
    table = pq.read_table(tmp_path / "r.parquet")
    assert runs[0] == list(
        zip(*(table[name].to_pylist() for name in ("query_id", "rank", "id")), strict=True)
    )
    assert runs[0] == runs[1] == runs[2]


def test_compressed_and_foreign_files(tmp_path):
    path = tmp_path / "bm25.run.gz"
    path.write_bytes(gzip.compress(b"1 Q0 a 0 12.5 x\n"))
    run = read_run(path)
    assert (run.name, rows(run)) == ("bm25", [("1", 1, "a")])
    path = tmp_path / "other.jsonl"
    path.write_text(json.dumps({"qid": 1, "docid": "a", "score": 0.5, "more": [1]}) + "\n")
    assert rows(read_run(path)) == [("1", 1, "a")]


def test_no_result_is_a_run_too(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("")
    assert rows(read_run(path)) == []
    write_run(read_run(path), tmp_path / "b.parquet")
    assert len(read_run(tmp_path / "b.parquet")) == 0


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "1 Q0 a 1 x t\n",
            InvalidArgumentError,
            r"field 'score': expected numbers, found 'x' in line 1",
        ),
        ("1 Q0 a 1 nan t\n", InvalidArgumentError, "expected finite numbers, found nan in line 1"),
        ("1 Q0 a 1 0.5\n", SourceLoadingError, "line 1: expected 6 fields"),
        (
            "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 a 2 1 t\n",
            InvalidArgumentError,
            "expected each document once for a query, found document 'a' again for query '1'",
        ),
    ],
)
def test_bad_lines_are_named(tmp_path, text, error, message):
    path = tmp_path / "a.run"
    path.write_text(text)
    with pytest.raises(error, match=message):
        read_run(path)


def test_ranks_are_told_apart_beyond_what_a_float_can(tmp_path):
    ranks = [2**53 + 1, 2**53, 2**63 - 1, -(2**63)]
    table = pa.table({"qid": ["q"] * 4, "id": list("abcd"), "score": [1.0] * 4})
    for column in (pa.array(ranks), pa.array([str(rank) for rank in ranks])):
        run = read_run(table.append_column("rank", column))
        assert run.ids.to_pylist() == ["d", "b", "a", "c"]
    lines = [{"qid": "q", "id": each, "score": 1.0, "rank": rank} for each, rank in zip("abcd", ranks, strict=True)]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert read_run(tmp_path / "a.jsonl").ids.to_pylist() == ["d", "b", "a", "c"]


@pytest.mark.parametrize(
    ("ranks", "found"),
    [
        (pa.array([1, 2**63], pa.uint64()), "9223372036854775808"),
        (pa.array([1.0, 2.0**53 + 2]), "9007199254740994.0"),
        (pa.array([1.0, 1.5]), "1.5"),
        (pa.array(["1", "9223372036854775808"]), "9223372036854775808"),
        (pa.array(["1", "2.5"]), "2.5"),
    ],
)
def test_ranks_that_may_have_been_others_are_refused(ranks, found):
    table = pa.table({"qid": ["q", "q"], "id": ["a", "b"], "rank": ranks, "score": [2.0, 1.0]})
    with pytest.raises(
        InvalidArgumentError, match=rf"expected whole numbers .*found {found} in row 1"
    ):
        read_run(table)


def test_whole_floats_are_ranks():
    table = pa.table({"qid": ["q", "q"], "id": ["a", "b"], "rank": [2.0, 1.0], "score": [1.0, 2.0]})
    assert read_run(table).ids.to_pylist() == ["b", "a"]


@pytest.mark.parametrize(
    ("ranks", "scores", "message"),
    [
        ([1, 1], [2.0, 1.0], "found the same rank at rank 1 of query 'q'"),
        ([1, 2], [1.0, 2.0], "found a score above that of the rank before at rank 2 of query 'q'"),
        (
            [1, None],
            [2.0, 1.0],
            "column 'rank' of table: expected a number in each row, found null",
        ),
    ],
)
def test_ranks_that_contradict_scores_are_refused(ranks, scores, message):
    table = pa.table({"qid": ["q", "q"], "id": ["a", "b"], "rank": ranks, "score": scores})
    with pytest.raises(InvalidArgumentError, match=message):
        read_run(table)


def test_a_folder_is_no_run(tmp_path):
    with pytest.raises(SourceLoadingError, match="expected a file of a run, found a directory"):
        read_run(tmp_path)


def test_what_trec_cannot_hold_is_refused_and_the_old_file_stays(tmp_path, found):
    path = tmp_path / "a.run"
    path.write_text("old")
    with pytest.raises(InvalidArgumentError, match="white space"):
        write_run(found({"q": {"a b": 1.0}}), path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.run"]
    assert path.read_text() == "old"
    with pytest.raises(FileNotFoundError):
        write_run(found({"q": {"a": 1.0}}), tmp_path / "no" / "a.run")


@pytest.mark.parametrize("ending", ["trec", "parquet", "jsonl"])
@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_scores_that_are_not_finite_are_refused(tmp_path, found, ending, score):
    run = found({"p": {"a": 2.0}, "q": {"b": 1.0, "c": 0.5}})
    wrong = replace(run, scores=np.array([2.0, 1.0, score]))
    with pytest.raises(InvalidArgumentError, match=rf"found {score} for document 'c' of query 'q'"):
        write_run(wrong, tmp_path / f"a.{ending}")
    assert not list(tmp_path.iterdir())


@given(
    st.lists(
        st.sampled_from([1.0, 0.0, -1.0, -3.4028234e38, -3.4028235e38, -1e300, 1e300]),
        min_size=1,
        max_size=20,
    )
)
def test_scores_at_the_end_of_float32_keep_their_order(tmp_path_factory, found, scores):
    run = found({"q": {f"d{place}": score for place, score in enumerate(scores)}, "r": {"a": 1.0}})
    path = tmp_path_factory.mktemp("run") / "a.trec"
    write_run(run, path)
    assert rows(read_run(path)) == rows(run)
    written = [np.float32(line.split()[4]) for line in path.read_text().splitlines()]
    assert np.isfinite(written).all()
    assert all(one > other for one, other in pairwise(written[: len(scores)]))


@pytest.mark.slow
def test_a_million_rows(tmp_path):
    count, per_query = 1_000_000, 100
    path = tmp_path / "a.run"
    rng = np.random.default_rng(0)
    documents = rng.integers(0, 10**9, count)
    scores = rng.random(count)
    with path.open("w") as file:
        file.writelines(
            f"q{row // per_query} Q0 d{documents[row]}-{row % per_query} 0 {scores[row]:.6f} t\n"
            for row in range(count)
        )
    run = read_run(path)
    assert (len(run), len(run.ids)) == (count // per_query, count)
    block = scores[:per_query].round(6).astype(np.float32)
    assert run.ids[0].as_py() == f"d{documents[block.argmax()]}-{block.argmax()}"

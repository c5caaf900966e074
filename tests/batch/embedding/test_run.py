"""Embedding jobs: what they write, and that being stopped changes nothing of it."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import NO_TITLE, Corpus
from octavo.batch.embedding import EmbedJob, row_blocks, run, run_embedding
from octavo.batch.work_directory import can_resume, work_directory
from octavo.columns.readers import base
from octavo.embeddings.model_embedding import ModelEmbedding
from octavo.embeddings.vector_record import vector_record
from octavo.errors import (
    ConfigurationError,
    CorpusLockedError,
    DimensionMismatchError,
    ExecutionError,
    InvalidArgumentError,
    NonFiniteVectorError,
    SourceLoadingError,
)
from tests.batch.embedding.conftest import ROWS, embed

ROOT = Path(__file__).parents[3]
FUNCTION = "tests.batch.embedding.conftest:embed"

# Embeds with parts of one block and kills its own process at the n-th call of a function.
KILLED_JOB = """
import os, signal, sys
sys.path.insert(0, os.getcwd())
from octavo.batch import parts, work_directory
from octavo.batch.embedding import EmbedJob, distinct_texts, run, run_embedding
from octavo.batch.writers import parquet

inputs, out, where, calls = sys.argv[1:]
owner, name = {
    "while it embeds": (distinct_texts.DistinctTexts, "spread"),
    "before a part is named": (parts, "sync_file"),
    "while the output is written": (parquet.ParquetWriter, "write"),
    "before the output is named": (run, "write_rows"),
    "after the output is named": (work_directory.WorkDirectory, "remove"),
}[where]
original = getattr(owner, name)
left = int(calls)

def counted(*args, **kwargs):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return original(*args, **kwargs)

setattr(owner, name, counted)
run.PART_ROWS = 1
run_embedding(EmbedJob(inputs=inputs, out=out, model="tests.batch.embedding.conftest:embed"))
"""


def searchable(row):
    """What is embedded (S16), said in plain Python."""
    parts = [part for part in (row["title"], row["text"]) if part]
    return "\n".join(parts)


def expected(row, unit_length=True):
    text = searchable(row)
    if not text.strip():
        return None
    vector = embed(text).astype(np.float64)
    return vector / np.linalg.norm(vector) if unit_length else vector


@pytest.fixture(scope="module")
def whole(corpus_file, tmp_path_factory):
    """The output of a job that nobody stopped."""
    out = tmp_path_factory.mktemp("whole") / "vectors.parquet"
    run_embedding(EmbedJob(inputs=corpus_file, out=out, model=FUNCTION))
    return out


def test_rows_are_kept_and_have_the_vectors_of_their_texts(table, whole):  # S16
    found = pq.read_table(whole)
    assert found.drop_columns(["vector"]).equals(table)
    assert found.schema.field("vector").type == pa.list_(pa.float32(), 4)
    for row, vector in zip(table.to_pylist(), found["vector"].to_pylist(), strict=True):
        wanted = expected(row)
        if wanted is None:
            assert vector is None
        else:
            np.testing.assert_allclose(vector, wanted, rtol=1e-6)


def test_the_index_takes_the_column_as_it_is(whole, tmp_path):  # S16
    corpus = Corpus.build(
        whole, tmp_path / "index", embedding="column:vector", title=NO_TITLE, threads=1
    )
    assert corpus.info().null_vectors == sum(
        vector is None for vector in pq.read_table(whole)["vector"].to_pylist()
    )
    opened = Corpus.open(tmp_path / "index", embedding=embed)
    found = opened.search("text number 77", strategy="vector", max_results=1)
    assert found[0].metadata["entryId"] == "d77"
    assert found[0].score == pytest.approx(1.0)


def test_the_file_says_how_it_was_made(whole):
    record = vector_record(whole)
    assert (record.model, record.column, record.dimensions) == (FUNCTION, "vector", 4)
    assert (record.text, record.title) == ("text", "title")
    assert record.unit_length
    assert not record.queries


def test_it_counts_what_it_did(corpus_file, table, tmp_path):
    seen = []
    summary = run_embedding(
        EmbedJob(inputs=corpus_file, out=tmp_path / "v.parquet", model=embed), seen.append
    )
    texts = [searchable(row) for row in table.to_pylist()]
    blocks = [texts[start : start + 1_024] for start in range(0, ROWS, 1_024)]
    distinct = sum(len({text for text in block if text.strip()}) for block in blocks)
    assert summary.embedded == distinct
    assert summary.blank == sum(not text.strip() for text in texts)
    assert summary.repeated == ROWS - summary.blank - summary.embedded
    assert (summary.rows, summary.resumed, summary.dimensions) == (ROWS, 0, 4)
    assert [event.rows for event in seen] == [0, 1_024, 2_048, ROWS]
    assert {event.total for event in seen} == {ROWS}
    assert vector_record(tmp_path / "v.parquet").model == "function"


def test_a_repeated_text_is_asked_for_once_in_its_block(tmp_path):
    asked = []

    class Recorder:
        def __call__(self, text):
            raise AssertionError("texts come in batches")

        def embed_batch(self, texts):
            asked.append(list(texts))
            return [[1.0, float(len(text))] for text in texts]

    rows = pa.table({"text": ["a", "bb", "a", "", "bb", "a"]})
    run_embedding(EmbedJob(inputs=rows, out=tmp_path / "v.parquet", model=Recorder()))
    assert asked == [["octavo"], ["a", "bb"]]
    vectors = pq.read_table(tmp_path / "v.parquet")["vector"].to_pylist()
    assert vectors[0] == vectors[2] == vectors[5]
    assert vectors[1] == vectors[4]
    assert vectors[3] is None


def test_lengths_can_be_kept(corpus_file, table, tmp_path):
    out = tmp_path / "v.parquet"
    run_embedding(EmbedJob(inputs=corpus_file, out=out, model=embed, unit_length=False))
    found = pq.read_table(out)["vector"].to_pylist()
    np.testing.assert_allclose(found[77], expected(table.to_pylist()[77], unit_length=False))
    assert not vector_record(out).unit_length


def test_long_texts_can_be_cut(tmp_path):
    out = tmp_path / "v.parquet"
    rows = pa.table({"text": ["日本語のテキスト", "ab", "a  b"], "title": [None, "T", None]})
    asked = []

    def function(text):
        asked.append(text)
        return [1.0]

    run_embedding(EmbedJob(inputs=rows, out=out, model=function, max_characters=3))
    assert asked == ["octavo", "日本語", "T\na", "a  "]
    assert pq.read_table(out)["text"].to_pylist() == rows["text"].to_pylist()
    assert vector_record(out).max_characters == 3


def test_queries_are_embedded_as_such(tmp_path):
    class Asymmetric:
        def __call__(self, text):
            return [1.0, 0.0]

        def embed_queries(self, texts):
            return [[0.0, 1.0] for _ in texts]

    rows = pa.table({"qid": [1], "question": ["why?"]})
    for queries, vector in ((False, [1.0, 0.0]), (True, [0.0, 1.0])):
        out = tmp_path / "v.parquet"
        run_embedding(EmbedJob(inputs=rows, out=out, model=Asymmetric(), queries=queries))
        assert pq.read_table(out).to_pylist() == [{"qid": 1, "question": "why?", "vector": vector}]


@pytest.mark.parametrize("rows", [0, 1, 1_023, 1_024, 1_025])
def test_any_number_of_rows(rows, tmp_path):
    table = pa.table({"text": pa.array([f"t{row}" for row in range(rows)], pa.string())})
    summary = run_embedding(EmbedJob(inputs=table, out=tmp_path / "v.parquet", model=embed))
    assert summary.rows == rows
    assert pq.read_table(tmp_path / "v.parquet")["text"].to_pylist() == table["text"].to_pylist()


def test_only_blank_texts(tmp_path):
    table = pa.table({"text": ["", None, " "]})
    run_embedding(EmbedJob(inputs=table, out=tmp_path / "v.parquet", model=embed))
    found = pq.read_table(tmp_path / "v.parquet")
    assert found["vector"].to_pylist() == [None] * 3
    assert found.schema.field("vector").type == pa.list_(pa.float32(), 4)


def test_wide_rows_make_small_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(row_blocks, "BLOCK_BYTES", 100_000)
    monkeypatch.setattr(run, "ROW_GROUP_BYTES", 150_000)
    monkeypatch.setattr(base, "BATCH_BYTES", 20_000)
    events = []
    out = tmp_path / "v.parquet"
    table = pa.table({"id": range(40), "text": [f"{row} " + "x" * 10_000 for row in range(40)]})
    run_embedding(EmbedJob(inputs=table, out=out, model=lambda _: [1.0]), events.append)
    assert max(np.diff([event.rows for event in events])) <= 12
    groups = pq.read_metadata(out)
    assert max(groups.row_group(i).num_rows for i in range(groups.num_row_groups)) <= 24
    assert pq.read_table(out)["text"].to_pylist() == table["text"].to_pylist()
    events.clear()
    job = EmbedJob(inputs=table, out=out, model=lambda _: [1.0], keep=["id"])
    run_embedding(job, events.append)
    assert max(np.diff([event.rows for event in events])) <= 12


def test_files_of_different_schemas_are_joined(tmp_path):
    pq.write_table(pa.table({"id": [1], "text": ["a"]}), tmp_path / "1.parquet")
    pq.write_table(
        pa.table({"text": pa.array(["b"], pa.large_string()), "year": [2]}), tmp_path / "2.parquet"
    )
    inputs = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    run_embedding(EmbedJob(inputs=inputs, out=tmp_path / "v.parquet", model=lambda _: [1.0]))
    assert pq.read_table(tmp_path / "v.parquet").drop_columns("vector").to_pylist() == [
        {"id": 1, "text": "a", "year": None},
        {"id": None, "text": "b", "year": 2},
    ]


def test_a_value_of_another_type_is_named(tmp_path):
    pq.write_table(pa.table({"id": [1], "text": ["a"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"id": ["x"], "text": ["b"]}), tmp_path / "2.parquet")
    with pytest.raises(InvalidArgumentError, match=r"column 'id' of .*2.parquet.*int64.*'x'"):
        run_embedding(
            EmbedJob(inputs=tmp_path / "*.parquet", out=tmp_path / "v.parquet", model=embed)
        )


def test_categories_are_written_as_their_values(tmp_path):
    """Each row group has a dictionary of its own."""
    topics = [f"topic {row // 300}" for row in range(2_500)]
    table = pa.table({"text": topics, "topic": pa.array(topics).dictionary_encode()})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=400)
    out = tmp_path / "v.parquet"
    run_embedding(EmbedJob(inputs=tmp_path / "t.parquet", out=out, model=embed))
    assert pq.read_table(out)["topic"].to_pylist() == topics


def test_a_column_that_one_input_requires_may_be_missing_in_another(tmp_path):
    required = pa.schema([pa.field("id", pa.string(), nullable=False), ("text", pa.string())])
    pq.write_table(pa.table({"id": ["1"], "text": ["a"]}, required), tmp_path / "1.parquet")
    pq.write_table(pa.table({"text": ["b"]}), tmp_path / "2.parquet")
    out = tmp_path / "v.parquet"
    run_embedding(EmbedJob(inputs=tmp_path / "?.parquet", out=out, model=embed))
    assert pq.read_table(out)["id"].to_pylist() == ["1", None]


def test_what_parquet_cannot_hold_is_told_before_the_model_is_asked(tmp_path):
    ends = pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array(["a"]))
    rows, out, asked = pa.table({"text": ["a"], "x": ends}), tmp_path / "v.parquet", []

    def function(text):
        asked.append(text)
        return [1.0]

    with pytest.raises(InvalidArgumentError, match=r"column 'x': parquet cannot hold run_end_"):
        run_embedding(EmbedJob(inputs=rows, out=out, model=function))
    assert asked == []
    run_embedding(EmbedJob(inputs=rows, out=out, model=function, keep=["text"]))


def test_members_of_structs_are_not_lost(tmp_path):
    for number, members in ((1, [{"a": 1}]), (2, [{"b": 1}])):
        pq.write_table(pa.table({"text": ["a"], "x": [members]}), tmp_path / f"{number}.parquet")
    inputs, out = tmp_path / "?.parquet", tmp_path / "v.parquet"
    with pytest.raises(InvalidArgumentError, match=r"column 'x' of .*2.parquet.*lacks \[\].b"):
        run_embedding(EmbedJob(inputs=inputs, out=out, model=embed))


def test_json_lines_may_lack_a_column_of_lists(tmp_path):
    pq.write_table(pa.table({"text": ["a"], "tags": [["x", "y"]]}), tmp_path / "1.parquet")
    (tmp_path / "2.jsonl").write_text('{"text": "b"}\n')
    inputs, out = [tmp_path / "1.parquet", tmp_path / "2.jsonl"], tmp_path / "v.parquet"
    run_embedding(EmbedJob(inputs=inputs, out=out, model=embed))
    assert pq.read_table(out)["tags"].to_pylist() == [["x", "y"], None]


def test_json_lines_leave_out_objects(tmp_path):
    lines = '{"_id": "1", "text": "a", "metadata": {}, "tags": ["x"], "year": 3}\n'
    (tmp_path / "c.jsonl").write_text(lines)
    events = []
    job = EmbedJob(inputs=tmp_path / "c.jsonl", out=tmp_path / "v.parquet", model=lambda _: [2.0])
    run_embedding(job, events.append)
    assert pq.read_table(tmp_path / "v.parquet").to_pylist() == [
        {"_id": "1", "text": "a", "year": "3", "vector": [1.0]}
    ]
    assert events[0].left_out == ("metadata", "tags")


def test_columns_can_be_chosen(corpus_file, tmp_path):
    out = tmp_path / "v.parquet"
    run_embedding(
        EmbedJob(inputs=corpus_file, out=out, model=embed, keep=["year", "id"], column="v")
    )
    assert pq.read_schema(out).names == ["year", "id", "v"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"column": "year"}, "column: the input has a column 'year'"),
        ({"column": ""}, "column: expected a name, found ''"),
        ({"column": "\ud800"}, "column: expected a name"),
        ({"column": 3}, "column: expected a name, found 3"),
        ({"text": "body"}, "text: no column 'body'"),
        ({"text": "year"}, "text: expected column 'year' to hold strings"),
        ({"title": "head"}, "title: no column 'head'"),
        ({"title": 3}, "title: expected the name of a column, found 3"),
        ({"text": ["text"]}, "text: expected the name of a column, found ..text"),
        ({"keep": [3]}, "keep: "),
        ({"keep": ["nowhere"]}, "keep: .*'nowhere'"),
        ({"keep": []}, "keep: expected at least one column"),
        ({"max_characters": 0}, "max_characters: expected an integer from 1"),
        ({"max_characters": 2**70}, "max_characters: expected an integer from 1"),
        ({"model": 3}, "model: expected a specification or a function, found int"),
        ({"out": "nowhere/v.parquet"}, "out: expected nowhere/v.parquet in an existing directory"),
    ],
)
def test_what_does_not_fit_is_refused(corpus_file, tmp_path, changes, told):
    job = {"inputs": corpus_file, "out": tmp_path / "v.parquet", "model": embed} | changes
    with pytest.raises(InvalidArgumentError, match=told):
        run_embedding(EmbedJob(**job))
    assert list(tmp_path.iterdir()) == []


class Longer(ModelEmbedding):
    """A model that does not give the shorter vectors that it is asked for."""

    library = "longer"

    def embed_batch(self, texts):
        return np.ones((len(texts), 4))

    embed_queries = embed_batch


def test_vectors_of_another_length_than_asked_for_are_refused(corpus_file, tmp_path):
    job = EmbedJob(
        inputs=corpus_file, out=tmp_path / "v.parquet", model=Longer("m", {"dimensions": 2})
    )
    with pytest.raises(DimensionMismatchError, match=r"longer:m: expected .* 2 .*found 4"):
        run_embedding(job)


@pytest.mark.parametrize("model", ["column:vector", "none", "no such", "openai:", "nowhere:embed"])
def test_a_model_that_is_none_is_refused(corpus_file, tmp_path, model):
    with pytest.raises(ConfigurationError):
        run_embedding(EmbedJob(inputs=corpus_file, out=tmp_path / "v.parquet", model=model))
    assert list(tmp_path.iterdir()) == []


def test_the_input_is_not_overwritten(corpus_file):
    with pytest.raises(InvalidArgumentError, match="another file than the input"):
        run_embedding(EmbedJob(inputs=corpus_file, out=corpus_file, model=embed))


def test_no_input_at_all(tmp_path):
    with pytest.raises(SourceLoadingError):
        run_embedding(
            EmbedJob(inputs=tmp_path / "no.parquet", out=tmp_path / "v.parquet", model=embed)
        )


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ([1.0, float("nan")], NonFiniteVectorError),
        ([1.0, float("inf")], NonFiniteVectorError),
        ([1.0], DimensionMismatchError),
        ([1.0, 2.0, 3.0], DimensionMismatchError),
        (None, InvalidArgumentError),
        ([], InvalidArgumentError),
        ("ab", InvalidArgumentError),
        (ValueError("broken"), ExecutionError),
    ],
)
def test_bad_vectors_are_refused_and_what_was_done_is_kept(tmp_path, bad, error):  # S42
    def function(text):
        if text != "t1500":
            return [1.0, 2.0]
        if isinstance(bad, Exception):
            raise bad
        return bad

    out = tmp_path / "v.parquet"
    pq.write_table(pa.table({"text": [f"t{row}" for row in range(2_000)]}), tmp_path / "t.parquet")
    with pytest.raises(error):
        run_embedding(EmbedJob(inputs=tmp_path / "t.parquet", out=out, model=function))
    assert not out.exists()
    assert can_resume(out)
    summary = run_embedding(
        EmbedJob(inputs=tmp_path / "t.parquet", out=out, model=lambda _: [1.0, 2.0], resume=True)
    )
    assert (summary.rows, summary.resumed) == (2_000, 1_024)


def test_errors_name_the_row(tmp_path):
    """By its number in its file, behind what an earlier run has done too."""
    for name, first, rows in (("1", 0, 1_500), ("2", 1_500, 1_500)):
        texts = [f"t{row}" for row in range(first, first + rows)]
        pq.write_table(pa.table({"text": texts}), tmp_path / f"{name}.parquet")
    out = tmp_path / "v.parquet"

    def refused(bad):
        def function(text):
            if text == "t2700" and isinstance(bad, Exception):
                raise bad
            return [float("nan")] if text == "t2700" else [1.0]

        return function

    for resume, bad, told in (
        (False, None, r"found NaN or infinity \(row 1200 of .*2\.parquet\)$"),
        (True, ValueError("bad"), r"raised ValueError: bad \(row 1200 of .*2\.parquet\)$"),
    ):
        job = EmbedJob(
            inputs=tmp_path / "?.parquet", out=out, model=refused(bad), unit_length=False
        )
        with pytest.raises((NonFiniteVectorError, ExecutionError), match=told):
            run_embedding(replace(job, resume=resume))


def test_errors_of_many_texts_name_their_rows(tmp_path):
    class Batch:
        def __call__(self, text):
            return [1.0]

        def embed_batch(self, texts):
            if "t1025" in texts:
                raise ValueError("bad")
            return [[1.0]] * len(texts)

    texts = [f"t{row}" for row in range(1_030)] + ["", "t1025"]
    job = EmbedJob(inputs=pa.table({"text": texts}), out=tmp_path / "v.parquet", model=Batch())
    told = r"ValueError: bad \(row 1024 of table to row 1031 of table\)$"
    with pytest.raises(ExecutionError, match=told):
        run_embedding(job)


KILLS = [
    pytest.param("while it embeds", 2, 2_048),
    pytest.param("before a part is named", 1, 1_024, marks=pytest.mark.slow),
    pytest.param("while the output is written", 1, ROWS, marks=pytest.mark.slow),
    pytest.param("before the output is named", 0, ROWS, marks=pytest.mark.slow),
    pytest.param("after the output is named", 0, ROWS, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("where", "calls", "resumed"), KILLS)
def test_a_killed_job_resumes_to_the_same_bytes(
    corpus_file, whole, tmp_path, where, calls, resumed
):
    out = tmp_path / "v.parquet"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_JOB, str(corpus_file), str(out), where, str(calls)],
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert out.exists() == (where == "after the output is named")
    summary = run_embedding(EmbedJob(inputs=corpus_file, out=out, model=FUNCTION, resume=True))
    assert out.read_bytes() == whole.read_bytes()
    assert (summary.rows, summary.resumed) == (ROWS, resumed)
    assert [entry.name for entry in tmp_path.iterdir()] == ["v.parquet"]


class StoppedError(Exception):
    """Stands for whatever ends a job in the middle."""


@pytest.fixture
def stopped(corpus_file, tmp_path):
    """The output of a job that was stopped after 1,024 rows."""
    out = tmp_path / "v.parquet"

    def stop(event):
        if event.rows:
            raise StoppedError

    with pytest.raises(StoppedError):
        run_embedding(EmbedJob(inputs=corpus_file, out=out, model=FUNCTION), stop)
    return out


def test_a_job_without_anything_to_resume_begins(corpus_file, whole, tmp_path):
    out = tmp_path / "v.parquet"
    summary = run_embedding(EmbedJob(inputs=corpus_file, out=out, model=FUNCTION, resume=True))
    assert summary.resumed == 0
    assert out.read_bytes() == whole.read_bytes()


def test_without_resume_it_starts_over(corpus_file, whole, stopped):
    summary = run_embedding(EmbedJob(inputs=corpus_file, out=stopped, model=FUNCTION))
    assert summary.resumed == 0
    assert stopped.read_bytes() == whole.read_bytes()


def test_a_damaged_part_is_done_again(corpus_file, whole, stopped):
    part = next(stopped.parent.glob(".*/part-*.arrow"))
    os.truncate(part, part.stat().st_size // 2)
    summary = run_embedding(EmbedJob(inputs=corpus_file, out=stopped, model=FUNCTION, resume=True))
    assert summary.resumed == 0
    assert stopped.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model": "hash"}, "embedding"),
        ({"unit_length": False}, "embedding"),
        ({"queries": True}, "embedding"),
        ({"max_characters": 9}, "embedding"),
        ({"title": NO_TITLE}, "embedding"),
        ({"column": "v"}, "columns"),
        ({"keep": ["id"]}, "columns"),
    ],
)
def test_another_job_is_not_resumed(corpus_file, stopped, changes, told):
    job = {"inputs": corpus_file, "out": stopped, "model": FUNCTION, "resume": True} | changes
    with pytest.raises(InvalidArgumentError, match=f"found a different .*{told}"):
        run_embedding(EmbedJob(**job))
    assert can_resume(stopped)


def test_another_input_is_not_resumed(table, stopped, tmp_path):
    pq.write_table(table.slice(0, 2_000), tmp_path / "documents.parquet")
    with pytest.raises(InvalidArgumentError, match="found a different inputs"):
        run_embedding(
            EmbedJob(
                inputs=tmp_path / "documents.parquet", out=stopped, model=FUNCTION, resume=True
            )
        )


def test_a_table_cannot_be_resumed(table, stopped):
    with pytest.raises(InvalidArgumentError, match="resume: expected input in files"):
        run_embedding(EmbedJob(inputs=table, out=stopped, model=FUNCTION, resume=True))


def test_one_job_an_output(corpus_file, tmp_path):
    out = tmp_path / "v.parquet"
    with work_directory(out.resolve()), pytest.raises(CorpusLockedError):
        run_embedding(EmbedJob(inputs=corpus_file, out=out, model=FUNCTION))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(tmp_path):
    """Ten times the rows, about the same peak, in processes of their own."""
    script = """
import resource, sys
import pyarrow as pa
from octavo.batch.embedding import EmbedJob, run_embedding
rows = int(sys.argv[1])
batch = pa.record_batch({"text": ["word " * 400 + str(row) for row in range(1_000)]})
reader = pa.RecordBatchReader.from_batches(batch.schema, (batch for _ in range(rows // 1_000)))
run_embedding(EmbedJob(inputs=reader, out=sys.argv[2], model="hash:2048"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    peaks = []
    for rows in (10_000, 60_000):
        done = subprocess.run(
            [sys.executable, "-c", script, str(rows), str(tmp_path / "v.parquet")],
            capture_output=True,
            text=True,
            check=True,
        )
        peaks.append(int(done.stdout) / 1024)
    print(peaks)
    assert peaks[1] < peaks[0] + 200  # 50,000 rows more are half a gigabyte of text and vectors

"""Updates as a user makes them: what a search finds after them, and what never happens."""

import math
import os
import threading
import warnings
from dataclasses import replace
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import Corpus
from octavo.analysis import Analyzer
from octavo.errors import (
    ConfigurationError,
    CorpusLockedError,
    DimensionMismatchError,
    ExecutionError,
    InvalidArgumentError,
    SourceLoadingError,
)
from octavo.storage.format.manifest import read_manifest
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.storage.writer import next_state

WORDS = ["fox", "whale", "owl", "red", "blue", "green", "song", "sea"]


def table(*documents, **columns):
    """A table of (id, text) pairs, and further columns."""
    ids, texts = zip(*documents, strict=True) if documents else ((), ())
    return pa.table(
        {"id": pa.array(ids, pa.string()), "text": pa.array(texts, pa.string()), **columns}
    )


def many(count, first=0, seed=0):
    """Documents of random words."""
    chosen = np.random.default_rng(seed).integers(0, len(WORDS), (count, 5))
    texts = [" ".join(WORDS[word] for word in row) for row in chosen.tolist()]
    return table(*((f"d{first + number}", text) for number, text in enumerate(texts)))


def build(path, documents, **options):
    return Corpus.build(documents, path, **{"embedding": "hash", "threads": 2, **options})


def files_below(directory):
    """Every file but the lock's, and every directory."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() if path.is_file() else None
        for path in directory.rglob("*")
        if path.name not in {"writer.lock", "writer.json"}
    }


def hits(corpus, query, strategy, **options):
    found = corpus.search(query, strategy=strategy, max_results=1000, **options)
    return [(hit.metadata["entryId"], hit.score) for hit in found]


def contents(corpus):
    """All documents, by id, found through ``entryId``, as the hybrid strategy sees none without words."""
    snapshot = corpus._snapshot
    live = np.ones(snapshot.rows, bool) if snapshot.live is None else snapshot.live
    return {each.id: each.content for each in snapshot.documents(np.flatnonzero(live))}


QUERIES = ["fox", "red whale", "blue song sea", "green owl fox red"]


# What is found --------------------------------------------------------------------------------------


@pytest.mark.parametrize("block_max", [True, False])
def test_additions_are_found_as_if_they_had_always_been_there(tmp_path, block_max):
    # S5, S20, S21: the same hits and the same bits as a corpus built from scratch
    corpus = build(tmp_path / "a", many(60), block_max=block_max)
    with corpus.writer() as writer:
        assert writer.add(many(7, 60, seed=1)) == 7
        assert writer.add(many(1, 67, seed=2)) == 1
    with corpus.writer(threads=1) as writer:
        assert writer.add([many(5, 68, seed=3), many(4, 73, seed=4)]) == 9
    parts = [many(60), many(7, 60, 1), many(1, 67, 2), many(5, 68, 3), many(4, 73, 4)]
    whole = build(tmp_path / "b", pa.concat_tables(parts), block_max=block_max)
    for query in QUERIES:
        for strategy in ("keyword", "vector", "hybrid"):
            assert hits(corpus, query, strategy) == hits(whole, query, strategy)
    assert len(corpus) == len(whole) == 77
    assert corpus.verify().whole


def bm25(documents, query, live, analyzer=None):
    """BM25 in plain Python (S21); ``documents`` are all rows, dead ones too."""
    analyzer = analyzer or Analyzer()
    tokens = {row: analyzer.tokens(text) for row, text in enumerate(documents)}
    mean = sum(map(len, tokens.values())) / len(tokens)
    scores = {}
    for word in analyzer.tokens(query):
        holders = [row for row, words in tokens.items() if word in words]
        idf = math.log(1 + (len(tokens) - len(holders) + 0.5) / (len(holders) + 0.5))
        for row in holders:
            count, length = tokens[row].count(word), len(tokens[row])
            part = idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))
            scores[row] = scores.get(row, 0.0) + part
    return {row: score for row, score in scores.items() if live[row]}


def test_deleted_rows_count_in_bm25_until_they_are_merged_away(tmp_path):
    # S21: N, df and the mean length are those of all rows, as in Lucene
    first = many(300, seed=5)
    corpus = build(tmp_path / "index", first)
    with corpus.writer() as writer:
        assert writer.delete(["d3", "d5", "unknown"]) == 2
        assert writer.upsert(table(("d7", "fox fox sea"), ("d9", "owl"))) == 2
    snapshot = corpus._snapshot
    rows = [each.content for each in snapshot.documents(np.arange(snapshot.rows))]
    assert snapshot.rows == 302
    assert snapshot.count == len(corpus) == 298
    for query in QUERIES:
        expected = bm25(rows, query, snapshot.live)
        found, _ = snapshot.rank_keyword([query], 1000, snapshot.select({}))
        assert sorted(found.rows.tolist()) == sorted(expected)
        for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True):
            assert math.isclose(score, expected[row], rel_tol=1e-5)


def test_vector_search_after_changes_is_that_of_the_final_documents(tmp_path):
    # S20: cosine knows no other documents, so the scores are the same bits
    corpus = build(tmp_path / "a", many(80))
    with corpus.writer() as writer:
        writer.upsert(many(10, 20, seed=9))
        writer.delete([f"d{number}" for number in range(40, 55)])
        writer.add(many(5, 200, seed=10))
    final = contents(corpus)
    whole = build(tmp_path / "b", table(*final.items()))
    for query in QUERIES:
        assert hits(corpus, query, "vector") == hits(whole, query, "vector")
    assert corpus.info().documents == whole.info().documents == 70


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["add", "upsert", "delete", "where", "fail"]),
                st.lists(st.integers(0, 12), max_size=5, unique=True),
                st.integers(0, 3),
            ),
            max_size=5,
        ),
        max_size=4,
    ),
    st.sampled_from([0, 8, 256]),
)
def test_a_dictionary_says_what_is_there(tmp_path_factory, transactions, small_rows):
    with mock.patch.object(next_state, "TIERS", replace(next_state.TIERS, small_rows=small_rows)):
        play(tmp_path_factory, transactions)


def play(tmp_path_factory, transactions):
    """Do the same to a corpus and to a dictionary."""
    path = tmp_path_factory.mktemp("model") / "index"
    model = {str(number): (f"fox {number}", "t0") for number in range(4)}
    corpus = build(path, documents_of(model), metadata=["tag"])
    for transaction in transactions:
        before, changed = dict(model), dict(model)
        fails = False
        try:
            with corpus.writer(threads=1) as writer:
                for kind, numbers, value in transaction:
                    if kind == "fail" and value == 0:
                        fails = True
                        raise KeyError("rolled back")  # noqa: TRY301 - what is tested
                    apply(writer, changed, kind, [str(number) for number in numbers], value)
        except KeyError:
            assert fails
        model = before if fails else changed
        assert len(corpus) == len(model)
        snapshot = corpus._snapshot
        rows = snapshot.rows_of(sorted(model))
        assert (rows >= 0).all()
        found = zip(snapshot.texts("content", rows), snapshot.metadata("tag", rows), strict=True)
        assert dict(zip(sorted(model), found, strict=True)) == model
        gone = sorted({str(number) for number in range(13)} - set(model))
        assert (snapshot.rows_of(gone) == -1).all()
        for tag in ("t0", "t1", "t2", "t3"):
            expected = {key for key, (_, tagged) in model.items() if tagged == tag}
            for strategy in ("keyword", "vector"):
                found = hits(corpus, "fox", strategy, filters={"tag": tag})
                assert {identifier for identifier, _ in found} == expected
    assert corpus.verify().whole
    assert {hit for hit, _ in hits(Corpus.open(path), "fox", "keyword")} == set(model)


def documents_of(model):
    pairs = [(identifier, text) for identifier, (text, _) in model.items()]
    return table(*pairs, tag=pa.array([tag for _, tag in model.values()], pa.string()))


def apply(writer, model, kind, ids, value):
    tag = f"t{value}"
    new = {identifier: (f"fox {identifier} {tag}", tag) for identifier in ids}
    if kind == "delete":
        assert writer.delete(ids) == sum(model.pop(each, None) is not None for each in ids)
    elif kind == "where":
        gone = [each for each, (_, tagged) in model.items() if tagged == tag]
        assert writer.delete_where({"tag": tag}) == len(gone)
        for each in gone:
            del model[each]
    elif kind == "upsert":
        count = sum(model.get(each) != document for each, document in new.items())
        assert writer.upsert(documents_of(new)) == count
        model |= new
    elif kind == "add" and new.keys() & model.keys():
        with pytest.raises(InvalidArgumentError, match="not in the index yet"):
            writer.add(documents_of(new))
    elif kind == "add":
        assert writer.add(documents_of(new)) == len(new)
        model |= new


def test_operations_see_what_came_before_them_in_the_block(tmp_path):
    corpus = build(tmp_path / "index", table(("a", "fox")), metadata=[])
    with corpus.writer() as writer:
        assert writer.delete(["a"]) == 1
        assert writer.delete(["a"]) == 0
        assert writer.add(table(("a", "whale"))) == 1
        assert writer.upsert(table(("a", "whale"))) == 0
        assert writer.upsert(table(("a", "owl"), ("b", "sea"))) == 2
        assert writer.delete(iter(["b"])) == 1
        assert writer.delete_where({"entryId": "b"}) == 0
        with pytest.raises(InvalidArgumentError, match="'a' in row 0"):
            writer.add(table(("a", "red")))
    assert contents(corpus) == {"a": "owl"}
    assert corpus._snapshot.rows_of(["a", "b"]).tolist() != [-1, -1]


def test_a_thousand_documents_one_by_one_are_one_segment(tmp_path):
    corpus = build(tmp_path / "index", many(10))
    documents = many(1000, 10, seed=3)
    with corpus.writer() as writer:
        for number in range(1000):
            assert writer.add(documents.slice(number, 1)) == 1
    assert corpus.info().segments <= 2
    whole = build(tmp_path / "whole", pa.concat_tables([many(10), documents]))
    for query in QUERIES:
        assert hits(corpus, query, "keyword") == hits(whole, query, "keyword")


def test_unusual_ids(tmp_path):
    names = ["é", "e\u0301", "日本", "a\x00b", " a", "💥" * 100, "-1", "null"]
    corpus = build(tmp_path / "index", many(3))
    with corpus.writer() as writer:
        writer.add(table(*((name, "fox") for name in names)))
        assert writer.delete(["\ud800", "e\u0301", "\udcff日本"]) == 1
        assert writer.delete(np.array([-1])) == 1
        assert writer.delete(pa.chunked_array([["é"], [None, "nothing"]]).drop_null()) == 1
        assert writer.delete({"d0"}) == 1
        assert writer.delete([]) == 0
    assert contents(corpus).keys() == {"d1", "d2", "日本", "a\x00b", " a", "💥" * 100, "null"}


LETTERS = [np.array("d0"), np.array(7), np.array([["d0"]]), bytearray(b"0"), memoryview(b"0")]


@pytest.mark.parametrize(
    "ids", ["d0", b"d0", 7, None, ["d0", None], [True], [1.5], [b"d0"], *LETTERS]
)
def test_ids_must_be_a_sequence_of_ids(tmp_path, ids):
    letters = table(*((letter, "fox") for letter in ("d", "0", "48")))  # an ASCII 0 is 48
    corpus = build(tmp_path / "index", letters)
    with corpus.writer() as writer, pytest.raises(InvalidArgumentError, match="ids"):
        writer.delete(ids)
    assert len(corpus) == 3


# Empty ----------------------------------------------------------------------------------------------


def test_an_index_may_lose_all_documents_and_be_filled_again(tmp_path):
    corpus = build(tmp_path / "index", many(20))
    with corpus.writer() as writer:
        assert writer.delete([f"d{number}" for number in range(20)]) == 20
    assert len(corpus) == 0
    assert corpus.search("fox", strategy="hybrid") == ()
    assert corpus._snapshot.rows == 0  # nothing of it counts any longer
    assert corpus.verify().whole
    with corpus.writer() as writer:
        writer.add(many(5, seed=4))
    whole = build(tmp_path / "whole", many(5, seed=4))
    for strategy in ("keyword", "vector"):
        assert hits(corpus, "fox red", strategy) == hits(whole, "fox red", strategy)
    assert corpus.info().segments == 1


def test_documents_that_come_and_go_in_one_block_leave_nothing(tmp_path):
    corpus = build(tmp_path / "index", many(5))
    before = files_below(tmp_path / "index")
    with corpus.writer() as writer:
        writer.add(many(4, 100))
        writer.delete([f"d{number}" for number in range(100, 104)])
    assert files_below(tmp_path / "index") == before
    assert corpus.info().generation == 1


@pytest.mark.parametrize("operate", [
    lambda writer: writer.add(table()),
    lambda writer: writer.upsert(table()),
    lambda writer: writer.upsert(many(5)),
    lambda writer: writer.delete([]),
    lambda writer: writer.delete(["unknown"]),
    lambda writer: writer.delete_where({"entryId": "unknown"}),
    lambda writer: None,
])  # fmt: skip
def test_nothing_changed_is_nothing_committed(tmp_path, operate):
    corpus = build(tmp_path / "index", many(5))
    before = files_below(tmp_path / "index")
    snapshot = corpus._snapshot
    with corpus.writer() as writer:
        assert not operate(writer)
    assert files_below(tmp_path / "index") == before
    assert corpus._snapshot is snapshot


def three(text):
    return [float(len(text)), 1.0, float("fox" in text)]


@pytest.mark.parametrize("embedding", ["hash", "hash:64", "column:vector", three, "none"])
def test_an_index_built_of_nothing_can_be_filled(tmp_path, embedding):
    vectors = pa.array([[1.0, 2.0, 3.0], None, [0.0, 1.0, 0.0]], pa.list_(pa.float32()))
    documents = table(("a", "fox"), ("b", "whale"), ("c", "fox owl"), vector=vectors)
    corpus = build(tmp_path / "index", documents.slice(0, 0), embedding=embedding)
    with corpus.writer() as writer:
        assert writer.add(documents.slice(0, 2)) == 2
    with corpus.writer() as writer:
        assert writer.add(documents.slice(2)) == 1
    whole = build(tmp_path / "whole", documents, embedding=embedding)
    assert corpus.dimensions == whole.dimensions
    assert corpus.info().embedding == whole.info().embedding
    assert corpus.info().null_vectors == whole.info().null_vectors
    assert hits(corpus, "fox", "keyword") == hits(whole, "fox", "keyword")
    if embedding != "none":
        options = {"query_vector": [1.0, 1.0, 1.0]} if "vector" in str(embedding) else {}
        assert hits(corpus, "fox", "vector", **options) == hits(whole, "fox", "vector", **options)


def test_a_first_addition_that_fails_teaches_an_empty_index_nothing(tmp_path):
    nothing = table(vector=pa.array([], pa.list_(pa.float32())))
    corpus = build(tmp_path / "index", nothing, embedding="column:vector")
    vectors = pa.array([[1.0, 2.0], [1.0, 2.0]], pa.list_(pa.float32()))
    twice = table(("a", "fox"), ("a", "fox"), vector=vectors)
    good = table(("b", "owl"), vector=pa.array([[1.0, 2.0, 3.0]], pa.list_(pa.float32())))
    with corpus.writer() as writer:
        with pytest.raises(InvalidArgumentError, match="once"):
            writer.add(pa.RecordBatchReader.from_batches(twice.schema, twice.to_batches(1)))
        assert writer.add(good) == 1
    assert corpus.dimensions == 3
    assert read_manifest(tmp_path / "index").rows == len(corpus) == 1


def test_vectors_must_be_known_once_there_are_documents(tmp_path):
    nothing = table(vector=pa.array([], pa.list_(pa.float32())))
    corpus = build(tmp_path / "index", nothing, embedding="column:vector")
    nulls = table(("a", "fox"), vector=pa.array([None], pa.list_(pa.float32())))
    with (
        pytest.raises(InvalidArgumentError, match="at least one vector"),
        corpus.writer() as writer,
    ):
        writer.add(nulls)
    assert len(corpus) == 0


# Vectors --------------------------------------------------------------------------------------------


def test_a_column_of_vectors_must_fit(tmp_path):
    vectors = pa.array([[1.0, 0.0]], pa.list_(pa.float32()))
    corpus = build(
        tmp_path / "index", table(("a", "fox"), vector=vectors), embedding="column:vector"
    )
    wrong = pa.array([[1.0, 0.0, 0.0]], pa.list_(pa.float32()))
    nulls = pa.array([None, None], pa.list_(pa.float32()))
    with corpus.writer() as writer:
        with pytest.raises(DimensionMismatchError, match="2 dimensions, found 3"):
            writer.add(table(("b", "fox"), vector=wrong))
        with pytest.raises(InvalidArgumentError, match="column 'vector'"):
            writer.add(table(("b", "fox")))
        assert writer.add(table(("b", "fox"), ("c", "owl"), vector=nulls)) == 2
        # The same text with another vector is another document.
        assert writer.upsert(table(("a", "fox"), vector=vectors)) == 0
        again = pa.array([[2.0, 0.0], [0.0, 1.0]], pa.list_(pa.float32()))
        assert writer.upsert(table(("a", "fox"), ("b", "fox"), vector=again)) == 1
    assert corpus.info().null_vectors == 1
    found = hits(corpus, "", "vector", query_vector=[0.0, 1.0])
    assert found == [("b", 1.0), ("a", 0.0)]
    assert corpus.verify().whole


class Counting:
    """An embedding function that remembers what it was asked."""

    def __init__(self):
        self.texts = []

    def __call__(self, text):
        self.texts.append(text)
        return three(text)


def test_only_changed_texts_are_embedded(tmp_path):
    # S42
    function = Counting()
    documents = table(("a", "fox"), ("b", "whale"), ("c", "owl"), title=["A", "B", None])
    build(tmp_path / "index", documents, embedding=function, source="title")
    corpus = Corpus.open(tmp_path / "index", embedding=function)
    function.texts.clear()
    with corpus.writer() as writer:
        changed = table(
            ("a", "fox"), ("b", "sea"), ("c", "owl"), ("d", "red"), title=["A", "B", "C", None]
        )
        assert writer.upsert(changed) == 3
        assert function.texts == ["B\nsea", "C\nowl", "red"]
        # A text that is pending is known too.
        assert writer.upsert(changed) == 0
    assert function.texts == ["B\nsea", "C\nowl", "red"]
    whole = build(tmp_path / "whole", changed.take([0, 1, 2, 3]), embedding=three, source="title")
    for query in ("fox", "red"):
        assert sorted(hits(corpus, query, "vector")) == sorted(hits(whole, query, "vector"))


def test_a_source_that_changes_keeps_the_vector(tmp_path):
    function = Counting()
    corpus = build(
        tmp_path / "index", table(("a", "fox"), where=["x"]), embedding=function, source="where"
    )
    function.texts.clear()
    with corpus.writer() as writer:
        assert writer.upsert(table(("a", "fox"), ("b", "sea"), where=["y", "y"])) == 2
        assert writer.upsert(table(("a", "fox"), where=["z"])) == 1
    assert function.texts == ["sea"]
    assert corpus.search("fox", strategy="vector")[0].source == "z"
    assert dict(hits(corpus, "fox", "vector"))["a"] == pytest.approx(1.0)


def test_a_function_that_only_the_builder_has(tmp_path):
    build(tmp_path / "index", many(5), embedding=three)
    corpus = Corpus.open(tmp_path / "index")
    with corpus.writer() as writer:
        with pytest.raises(ConfigurationError, match="embedding="):
            writer.add(many(1, 7))
        assert writer.delete(["d0"]) == 1  # needs no function
    assert len(corpus) == 4


def test_a_function_that_fails_leaves_no_trace(tmp_path):
    def fragile(text):
        if "boom" in text:
            raise RuntimeError("boom")
        return three(text)

    corpus = build(tmp_path / "index", many(3), embedding=fragile)
    with corpus.writer() as writer:
        with pytest.raises(ExecutionError, match="boom"):
            writer.upsert(table(("d0", "fox"), ("x", "boom")))
        assert writer.add(table(("x", "fox"))) == 1
    assert contents(corpus) == {**contents(build(tmp_path / "b", many(3))), "x": "fox"}


# Columns --------------------------------------------------------------------------------------------


def test_every_column_can_change_alone(tmp_path):
    full = {
        "id": ["a"], "text": ["fox"], "title": ["T"], "source": ["s"], "parent": ["p"],
        "tag": [1], "when": ["2024-01-01T00:00:00Z"],
    }  # fmt: skip
    options = {"source": "source", "parent": "parent", "metadata": ["tag"], "timestamp": "when"}
    corpus = build(tmp_path / "index", pa.table(full), **options)
    for column, value in {
        "text": "owl", "title": None, "source": "z", "parent": None, "tag": 2,
        "when": "2024-01-01T00:00:00.000001Z",
    }.items():  # fmt: skip
        changed = pa.table({**full, column: [value]})
        with corpus.writer() as writer:
            assert writer.upsert(pa.table(full)) in (0, 1)
            assert writer.upsert(pa.table(full)) == 0
            assert writer.upsert(changed) == 1
            assert writer.upsert(changed) == 0
        with corpus.writer() as writer:
            assert writer.upsert(changed) == 0
    assert len(corpus) == 1


def test_missing_columns_are_null_but_not_id_and_text(tmp_path):
    documents = table(("a", "fox"), title=["T"], tag=["x"])
    corpus = build(tmp_path / "index", documents, metadata=["tag"], source="tag")
    with corpus.writer() as writer:
        assert writer.add(table(("b", "whale"))) == 1
        with pytest.raises(InvalidArgumentError, match="id: expected the column 'id'"):
            writer.add(pa.table({"text": ["owl"]}))
        with pytest.raises(InvalidArgumentError, match="text: expected the column 'text'"):
            writer.add(pa.table({"id": ["c"]}))
        with pytest.raises(InvalidArgumentError, match="null in row 1"):
            writer.add(pa.table({"id": ["c", None], "text": ["x", "y"]}))
        with pytest.raises(SourceLoadingError):
            writer.add(str(tmp_path / "missing.parquet"))
        with pytest.raises(InvalidArgumentError, match="inputs"):
            writer.add([])
    found = corpus.search("whale", strategy="keyword")[0]
    assert found.metadata == {"entryId": "b"}
    assert found.source == "b"


@pytest.mark.parametrize("filters", [{}, {"other": "x"}, {"tag": ""}, {"tag": 3}, None, "tag=x"])
def test_filters_must_mean_something(tmp_path, filters):
    corpus = build(tmp_path / "index", table(("a", "fox"), tag=["x"]), metadata=["tag"])
    with corpus.writer() as writer, pytest.raises(InvalidArgumentError, match="filter"):
        writer.delete_where(filters)
    assert len(corpus) == 1


# All or nothing -------------------------------------------------------------------------------------


def test_repeated_ids_are_refused_and_leave_no_trace(tmp_path):
    corpus = build(tmp_path / "index", many(3))
    before = files_below(tmp_path / "index")
    twice = table(("x", "fox"), ("y", "owl"), ("x", "sea"))
    unchanged = many(3)
    with corpus.writer() as writer:
        for operate in (writer.add, writer.upsert):
            with pytest.raises(InvalidArgumentError, match="every id once, found 'x' in row 2"):
                operate(twice)
            with pytest.raises(InvalidArgumentError, match="every id once, found 'x' in row 0"):
                operate([table(("x", "fox")), table(("x", "fox"))])
        with pytest.raises(InvalidArgumentError, match="every id once"):
            writer.upsert([unchanged, unchanged])
        with pytest.raises(InvalidArgumentError, match="every id once"):
            writer.upsert([unchanged, many(3, seed=8)])
        with pytest.raises(InvalidArgumentError, match="not in the index yet, found 'd0'"):
            writer.add([table(("x", "fox")), unchanged])
    assert files_below(tmp_path / "index") == before
    with corpus.writer() as writer:
        with pytest.raises(InvalidArgumentError):
            writer.upsert([table(("d0", "new"), ("x", "fox")), twice])
        assert writer.add(table(("x", "fox"))) == 1
    assert contents(corpus) == {**dict(zip(*many(3).to_pydict().values(), strict=True)), "x": "fox"}


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_exception_rolls_back(tmp_path, error):
    corpus = build(tmp_path / "index", many(30))
    before = files_below(tmp_path / "index")

    def block():
        with corpus.writer() as writer:
            writer.add(many(20, 100))
            writer.delete(["d1"])
            writer.upsert(table(("d2", "new")))
            raise error

    with pytest.raises(error):
        block()
    assert files_below(tmp_path / "index") == before
    assert contents(corpus) == contents(Corpus.open(tmp_path / "index"))
    with corpus.writer() as writer:  # the lock is free
        writer.delete(["d1"])
    assert len(corpus) == 29


@pytest.mark.parametrize(
    "error", [TimeoutError("no answer"), PermissionError("mine"), OSError("plain"), OSError(5, "x")]
)
def test_an_error_of_the_block_is_passed_on_as_it_is(tmp_path, error):
    # Network libraries raise subclasses of OSError that name no file.
    corpus = build(tmp_path / "index", many(3))

    def block():
        with corpus.writer() as writer:
            writer.delete(["d1"])
            raise error

    with pytest.raises(type(error), match=error.args[-1]) as raised:
        block()
    assert raised.value is error
    assert len(Corpus.open(tmp_path / "index")) == 3


def test_an_error_of_an_operation_names_the_index(tmp_path):
    corpus = build(tmp_path / "index", many(3))
    full = mock.patch(
        "octavo.storage.format.analyzed_file.AnalyzedWriter.write", side_effect=OSError(28)
    )

    def block():
        with corpus.writer() as writer, full, pytest.raises(OSError, match="index"):
            writer.add(many(1, 10))

    with pytest.raises(ExecutionError, match="cannot commit"):
        block()


def test_a_commit_that_fails_leaves_the_old_state(tmp_path, monkeypatch):
    corpus = build(tmp_path / "index", many(300))
    before = files_below(tmp_path / "index")

    def block():
        with corpus.writer() as writer:
            writer.add(many(20, 400))
            writer.delete(["d1"])

    for place in (
        "build.rewrite.with_vector_search",
        "build.segment_build.sync_and_list",
        "writer.next_state.write_live",
    ):

        def full(*_, **__):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(f"octavo.storage.{place}", full)
            with pytest.raises(OSError, match="No space left"):
                block()
        assert files_below(tmp_path / "index") == before
    assert len(corpus.refresh()) == 300


def test_what_was_half_written_is_never_committed(tmp_path, monkeypatch):
    corpus = build(tmp_path / "index", many(30))
    before = files_below(tmp_path / "index")

    def full(*_):
        raise OSError(28, "No space left on device")

    def block():
        with corpus.writer() as writer:
            writer.delete(["d1"])
            with monkeypatch.context() as patch:
                patch.setattr("octavo.storage.format.vector_file.VectorWriter.write", full)
                with pytest.raises(OSError, match="No space left"):
                    writer.add(many(20, 100))

    with pytest.raises(ExecutionError, match="cannot commit"):
        block()
    assert files_below(tmp_path / "index") == before


@pytest.mark.parametrize(
    "broken",
    [
        "format.analyzed_file.AnalyzedWriter",
        "format.vector_file.VectorWriter",
        "writer.pending_ids.PendingIds",
    ],
)
def test_after_a_half_written_document_nothing_more_is_taken(tmp_path, broken):
    corpus = build(tmp_path / "index", many(300))
    before = files_below(tmp_path / "index")
    method = "add" if broken.endswith("Ids") else "write"

    def block():
        with corpus.writer() as writer:
            full = mock.patch(f"octavo.storage.{broken}.{method}", side_effect=OSError(28, "Full"))
            with full, pytest.raises(OSError, match="Full"):
                writer.add(many(3, 400))
            for operate in (writer.add, writer.upsert):  # the disk has room again
                with pytest.raises(ExecutionError, match="begin a new block"):
                    operate(many(1, 500))
            with pytest.raises(ExecutionError, match="begin a new block"):
                writer.delete(["d1"])

    with pytest.raises(ExecutionError, match="cannot commit"):
        block()
    assert files_below(tmp_path / "index") == before
    assert len(Corpus.open(tmp_path / "index")) == 300


def test_a_listener_that_raises_leaves_no_trace(tmp_path):
    corpus = build(tmp_path / "index", many(300))
    angry = threading.Event()

    def listen(stage, _rows):
        if angry.is_set() and stage == "reading":
            raise KeyError(stage)

    with corpus.writer(progress=listen) as writer:
        angry.set()
        with pytest.raises(KeyError):
            writer.add(many(3, 400))
        angry.clear()
        writer.add(many(1, 500))
    assert len(corpus) == 301
    assert "d400" not in contents(corpus)
    assert corpus.verify().whole


# Readers and writers --------------------------------------------------------------------------------


def test_readers_keep_what_they_opened(tmp_path):
    corpus = build(tmp_path / "index", many(30))
    other = Corpus.open(tmp_path / "index")
    strategy = corpus.strategy("keyword")
    with corpus.writer() as writer:
        writer.add(table(("x", "platypus")))
        writer.delete(["d1"])
        assert corpus.search("platypus", strategy="keyword") == ()
    assert [hit.content for hit in corpus.search("platypus", strategy="keyword")] == ["platypus"]
    assert strategy.retrieve("platypus") == ()
    assert other.search("platypus", strategy="keyword") == ()
    assert len(other) == 30
    assert other.refresh() is other
    assert len(other) == 30
    assert len(other.search("platypus", strategy="keyword")) == 1
    assert other.refresh()._snapshot is other._snapshot


def test_a_refresh_opens_only_what_is_new(tmp_path):
    corpus = build(tmp_path / "index", many(300), vector_index="lists", recall=0.9)
    corpus.search("fox", strategy="vector")
    old = corpus._snapshot.segments[0]
    with corpus.writer() as writer:
        writer.add(many(1, 1000))
    assert corpus._snapshot.segments[0] is old
    with corpus.writer() as writer:
        writer.delete(["d1"])
    new = corpus._snapshot.segments[0]
    assert new.columns is old.columns
    assert new.vectors is old.vectors
    assert new.structure is old.structure
    assert "d1" not in dict(hits(corpus, "fox", "vector"))


def test_a_refresh_never_goes_back(tmp_path, monkeypatch):
    corpus = build(tmp_path / "index", many(3))
    reader = Corpus.open(tmp_path / "index")
    found, go_on = threading.Event(), threading.Event()
    refreshed = Snapshot.refreshed

    def slow(self):
        present = refreshed(self)
        if not found.is_set():
            found.set()
            assert go_on.wait(30)
        return present

    with corpus.writer() as writer:
        writer.delete(["d0"])
    monkeypatch.setattr(Snapshot, "refreshed", slow)
    first = threading.Thread(target=reader.refresh)
    first.start()
    assert found.wait(30)
    with corpus.writer() as writer:
        writer.delete(["d1"])
    second = threading.Thread(target=reader.refresh)
    second.start()
    second.join(0.2)  # it waits, or would be overtaken
    go_on.set()
    first.join()
    second.join()
    assert len(reader) == 1


def test_searches_beside_a_refresh_see_one_state(tmp_path):
    # Each state holds the word in as many documents as its number says, under ids of its own.
    corpus = build(tmp_path / "index", table(("0-0", "fox")))
    reader = Corpus.open(tmp_path / "index")
    stop, wrong = threading.Event(), []

    def search():
        while not stop.is_set():
            states = [each.split("-")[0] for each, _ in hits(reader, "fox", "hybrid")]
            if len(set(states)) != 1 or len(states) != int(states[0]) + 1:
                wrong.append(states)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for state in range(1, 12):
        with corpus.writer(threads=1) as writer:
            writer.delete([f"{state - 1}-{number}" for number in range(state)])
            writer.add(table(*((f"{state}-{number}", "fox") for number in range(state + 1))))
        reader.refresh()
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(reader) == 12


def test_a_second_writer_is_told_who_has_the_lock(tmp_path):
    corpus = build(tmp_path / "index", many(3))
    other = Corpus.open(tmp_path / "index")
    with corpus.writer() as writer:
        for each in (corpus, other):
            told = rf"pid {os.getpid()}, for \d+ s"
            with pytest.raises(CorpusLockedError, match=told), each.writer():
                raise AssertionError
        assert writer.add(many(1, 3)) == 1
    assert len(corpus) == 4


def test_a_writer_that_found_the_lock_taken_may_try_again(tmp_path):
    corpus = build(tmp_path / "index", many(3))
    late = corpus.writer()
    with corpus.writer() as writer:
        writer.delete(["d0"])
        with pytest.raises(CorpusLockedError), late:
            raise AssertionError
    with late:
        assert late.delete(["d0", "d1"]) == 1
    assert len(corpus) == 1


def test_a_writer_works_on_the_present_state(tmp_path):
    corpus = build(tmp_path / "index", many(3))
    late = Corpus.open(tmp_path / "index")
    with corpus.writer() as writer:
        writer.add(table(("x", "fox")))
    with late.writer() as writer:
        with pytest.raises(InvalidArgumentError, match="not in the index yet"):
            writer.add(table(("x", "fox")))
        assert writer.delete(["x"]) == 1
    assert len(late) == 3
    assert len(corpus) == 4


def test_a_writer_belongs_to_its_block(tmp_path):
    corpus = build(tmp_path / "index", many(3))
    writer = corpus.writer()
    with pytest.raises(ExecutionError, match="with block"):
        writer.delete(["d0"])
    with writer:
        writer.delete(["d0"])
    with pytest.raises(ExecutionError, match="with block"):
        writer.delete(["d1"])
    with pytest.raises(ExecutionError, match="new writer"), writer:
        raise AssertionError
    assert len(corpus) == 2


def test_threads_take_turns(tmp_path):
    corpus = build(tmp_path / "index", many(3))
    with corpus.writer() as writer:
        threads = [
            threading.Thread(target=lambda part=part: [
                writer.add(many(1, 100 * part + number)) for number in range(30)
            ])
            for part in range(1, 5)
        ]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(corpus) == 123
    assert corpus.verify().whole


def test_inputs_that_use_the_writer_are_refused(tmp_path):
    corpus = build(tmp_path / "index", many(3))
    with corpus.writer() as writer:

        def batches():
            yield from table(("x", "fox")).to_batches()
            writer.delete(["d0"])

        schema = table(("x", "fox")).schema
        with pytest.raises((ExecutionError, SourceLoadingError), match="under way"):
            writer.add(pa.RecordBatchReader.from_batches(schema, batches()))
    assert len(corpus) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_leaves_its_parents_block_alone(tmp_path):
    corpus = build(tmp_path / "index", many(3), threads=1)
    with corpus.writer(threads=1) as writer:
        writer.add(many(2, 10))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            child = os.fork()
        if child == 0:
            try:
                writer.add(many(1, 50))
            except ExecutionError:
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(corpus) == 5


def test_stages_are_told(tmp_path):
    corpus = build(tmp_path / "index", many(300))
    told = []
    with corpus.writer(progress=lambda stage, rows: told.append((str(stage), rows))) as writer:
        writer.add(many(2, 400))
        writer.delete(["d0"])
    stages = list(dict.fromkeys(stage for stage, _ in told))
    assert stages[:2] == ["reading", "deleting"]
    assert {"live rows", "indexing words", "manifest"} <= set(stages)


# Counts ---------------------------------------------------------------------------------------------


def test_counts_are_of_live_documents(tmp_path):
    texts = ["fox", "", "...", "owl", ""]
    vectors = [[1.0, 0.0], None, [0.0, 1.0], None, None]
    documents = table(
        *zip("abcde", texts, strict=True), vector=pa.array(vectors, pa.list_(pa.float32()))
    )
    corpus = build(tmp_path / "index", documents, embedding="column:vector")
    info = corpus.info()
    assert (info.empty_texts, info.null_vectors) == (3, 3)
    model = dict(zip("abcde", zip(texts, vectors, strict=True), strict=True))
    for gone in "cbd":
        with corpus.writer() as writer:
            writer.delete([gone])
            writer.upsert(documents.slice(0, 1))
        del model[gone]
        info = corpus.info()
        assert info.null_vectors == sum(vector is None for _, vector in model.values())
        assert info.empty_texts == sum(text in ("", "...") for text, _ in model.values())
    with corpus.writer() as writer:
        more = pa.array([None, None, [1.0, 1.0]], pa.list_(pa.float32()))
        writer.add(table(("x", ""), ("y", "sea"), ("z", ""), vector=more))
        writer.delete(["x"])
    info = corpus.info()
    assert (info.documents, info.empty_texts, info.null_vectors) == (4, 2, 2)


# Merging --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embedding", ["hash", three, "none"])
def test_small_segments_become_one(tmp_path, embedding):
    # S21: no trace of dead rows in the scores, and vectors keep their bits
    corpus = build(tmp_path / "a", many(20), embedding=embedding)
    for number in range(12):
        with corpus.writer() as writer:
            writer.upsert(many(3, 18 + 2 * number, seed=number))
            writer.delete([f"d{number}"])
    assert corpus.info().segments == 1
    assert corpus._snapshot.rows == len(corpus)
    whole = build(tmp_path / "b", table(*contents(corpus).items()), embedding=embedding)
    for query in QUERIES:
        for strategy in ("keyword",) if embedding == "none" else ("keyword", "vector"):
            assert hits(corpus, query, strategy) == hits(whole, query, strategy)
    assert corpus.verify().whole


def test_many_commits_leave_few_segments_and_files(tmp_path):
    corpus = build(tmp_path / "index", many(2_000))
    for number in range(40):
        with corpus.writer() as writer:
            writer.add(many(30, 2_000 + 30 * number, seed=number))
    assert corpus.info().segments <= 5
    assert len(list((tmp_path / "index" / "segments").iterdir())) == corpus.info().segments
    parts = [many(2_000), *(many(30, 2_000 + 30 * number, seed=number) for number in range(40))]
    whole = build(tmp_path / "whole", pa.concat_tables(parts))
    for query in QUERIES:
        assert hits(corpus, query, "hybrid") == hits(whole, query, "hybrid")


def test_rows_of_an_operation_that_failed_do_not_count(tmp_path):
    # S21: the first batch of the inputs was written before the second turned out to be wrong
    corpus = build(tmp_path / "a", many(300))
    with corpus.writer() as writer:
        with pytest.raises(InvalidArgumentError, match="every id once"):
            writer.add([many(9, 1_000), many(9, 1_000)])
        writer.add(many(5, 300, seed=1))
    assert corpus._snapshot.rows == len(corpus) == 305
    whole = build(tmp_path / "b", pa.concat_tables([many(300), many(5, 300, seed=1)]))
    for query in QUERIES:
        assert hits(corpus, query, "keyword") == hits(whole, query, "keyword")


def test_a_segment_of_mostly_dead_rows_is_written_again(tmp_path):
    corpus = build(tmp_path / "index", many(1_000))
    with corpus.writer() as writer:
        writer.delete([f"d{number}" for number in range(400)])
    assert (corpus._snapshot.rows, len(corpus)) == (1_000, 600)
    with corpus.writer() as writer:
        writer.delete([f"d{number}" for number in range(400, 700)])
    assert (corpus._snapshot.rows, len(corpus)) == (300, 300)
    assert corpus.verify().whole


def test_parents_that_become_documents_are_found(tmp_path):
    # Equal columns, but the one stored is only a parent, which no search finds by itself.
    parents = table(("p", "whale"))
    corpus = build(tmp_path / "index", many(300), parents=parents)
    assert corpus.info().empty_texts == 1
    assert "p" not in dict(hits(corpus, "whale", "keyword"))
    with corpus.writer() as writer:
        assert writer.upsert(parents) == 1
    assert "p" in dict(hits(corpus, "whale", "keyword"))
    assert "p" in dict(hits(corpus, "whale", "vector"))
    assert corpus.info().empty_texts == 0
    assert corpus.info().null_vectors == 0

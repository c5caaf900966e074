"""A corpus as users hold it: search, batch, strategies by name, info."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from octavo import (
    ConfigurationError,
    Corpus,
    DimensionMismatchError,
    InvalidArgumentError,
    KeywordRAGStrategy,
    NonFiniteVectorError,
    RAGContext,
    RAGStrategy,
    RetrievedDocument,
    SourceLoadingError,
)
from octavo.strategies.queries import Queries

STRATEGIES = ("keyword", "vector", "hybrid")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_search_returns_a_tuple_in_descending_order(corpus, strategy):  # S2 S6
    hits = corpus.search("red fox", strategy=strategy)
    assert isinstance(hits, tuple)
    assert hits
    assert all(isinstance(hit, RetrievedDocument) for hit in hits)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("query", ["red fox", "fox", "whale owl", "", "nothing known", "title 3"])
def test_a_batch_is_a_loop_of_single_searches(corpus, strategy, query):  # S5
    queries = ["whale", query, "fox fox"]
    table = corpus.search_batch(queries, strategy=strategy, max_results=4)
    rows = table.to_pylist()
    for number, text in enumerate(queries):
        alone = corpus.search(text, strategy=strategy, max_results=4)
        found = [row for row in rows if row["query_id"] == str(number)]
        assert [(row["id"], row["score"]) for row in found] == [
            (hit.metadata["entryId"], hit.score) for hit in alone
        ]
        assert [row["rank"] for row in found] == list(range(1, len(alone) + 1))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies_are_named_without_regard_to_case(corpus, strategy):  # S1
    made = corpus.strategy(strategy.upper())
    assert isinstance(made, RAGStrategy)
    assert made.name == strategy
    context = RAGContext(max_results=3)
    assert made.retrieve("red fox", context) == corpus.search(
        "red fox", strategy=strategy, max_results=3
    )
    table = made.retrieve_batch(["red fox"], context)
    assert table.equals(corpus.search_batch(["red fox"], strategy=strategy, max_results=3))


@pytest.mark.parametrize("query", [None, 3, b"bytes", ["list"]])
def test_a_query_that_is_no_string_is_a_type_error(corpus, query):  # S2
    for strategy in STRATEGIES:
        with pytest.raises(TypeError, match="expected a string"):
            corpus.search(query, strategy=strategy)
        with pytest.raises(TypeError, match="expected a string"):
            corpus.strategy(strategy).retrieve(query, RAGContext())
        with pytest.raises(TypeError, match="expected a string"):
            corpus.search_batch(["fine", query], strategy=strategy)
    with pytest.raises(TypeError, match="found one string"):
        corpus.search_batch("one string")


def test_metadata_source_and_content(corpus, documents):  # S11 S16
    expected = {row["id"]: row for row in documents.to_pylist()}
    hits = corpus.search("title", strategy="keyword", max_results=10)
    assert {hit.metadata["entryId"] for hit in hits} == set(expected) - {"d3"}
    for hit in hits:
        row = expected[hit.metadata["entryId"]]
        assert hit.content == row["text"]
        assert hit.source == (row["source"] or row["id"])
        assert hit.metadata["tier"] == row["tier"]
        year = {} if row["year"] is None else {"year": str(row["year"])}
        assert dict(hit.metadata) == {"entryId": row["id"], "tier": row["tier"], **year}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "filters",
    [
        {"tier": "WORKING"},
        {"tier": "working"},
        {"tier": "WORKING", "year": "2006"},
        {"year": "2004"},
        {"entryId": "d7"},
        {"entryId": "d7", "tier": "WORKING"},
        {"entryId": "none"},
        {"tenant": "a"},
        {"hybrid.streams": "keyword"},
        {"tier": "WORK\ud800"},
    ],
)
@pytest.mark.parametrize("limit", [1, 3, 10])
def test_filters_act_before_the_limit(corpus, documents, strategy, filters, limit):  # S7 S8 S9 S11
    admitted = [
        {"entryId": row["id"], "tier": row["tier"]}
        | ({"year": str(row["year"])} if row["year"] else {})
        for row in documents.to_pylist()
    ]
    matching = {
        row["entryId"] for row in admitted if all(row.get(k) == v for k, v in filters.items())
    }
    query = "title fox whale owl"
    hits = corpus.search(query, strategy=strategy, filters=filters, max_results=limit)
    found = [hit.metadata["entryId"] for hit in hits]
    assert len(found) == min(limit, len(matching))
    assert set(found) <= matching
    unfiltered = corpus.search(query, strategy=strategy, max_results=10)
    if strategy != "hybrid":  # ranks inside the filter differ, scores of single streams do not
        best = [
            hit.metadata["entryId"] for hit in unfiltered if hit.metadata["entryId"] in matching
        ]
        assert found == best[:limit]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_min_score_is_inclusive_and_acts_on_the_final_score(corpus, strategy):  # S10
    hits = corpus.search("red fox", strategy=strategy, max_results=10)
    for hit in hits:
        kept = corpus.search("red fox", strategy=strategy, max_results=10, min_score=hit.score)
        assert kept == tuple(other for other in hits if other.score >= hit.score)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_top_k_is_a_prefix(corpus, strategy):  # S12
    whole = corpus.search("fox whale owl", strategy=strategy, max_results=10)
    for limit in range(1, 11):
        assert corpus.search("fox whale owl", strategy=strategy, max_results=limit) == whole[:limit]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_blank_query(corpus, strategy):  # S2 S20
    hits = corpus.search(" \t ", strategy=strategy, max_results=3)
    if strategy == "vector":  # a zero vector has cosine 0 with everything
        assert [(hit.metadata["entryId"], hit.score) for hit in hits] == [
            ("d0", 0.0), ("d1", 0.0), ("d2", 0.0),
        ]  # fmt: skip
    else:
        assert hits == ()


def test_more_results_than_documents(corpus):  # S13
    everything = corpus.search("fox", strategy="vector", max_results=1_000_000, min_score=-1)
    assert len(everything) == 10
    table = corpus.search_batch(["fox", "owl"], strategy="hybrid", max_results=1_000_000)
    assert table.num_rows == 20
    assert len(set(zip(table["query_id"].to_pylist(), table["id"].to_pylist(), strict=True))) == 20


def test_no_queries_make_an_empty_table_of_the_same_columns(corpus):
    for strategy in STRATEGIES:
        none = corpus.search_batch([], strategy=strategy)
        some = corpus.search_batch(["fox"], strategy=strategy)
        assert none.num_rows == 0
        assert none.schema == some.schema


def test_a_query_of_a_hundred_thousand_characters(corpus):
    long = "fox " * 25_000
    assert corpus.search(long, strategy="keyword")[0].metadata["entryId"] == "d5"
    assert corpus.search("x" * 100_000, strategy="keyword") == ()


@pytest.mark.parametrize(
    ("vector", "error"),
    [
        ([1.0] * 127, DimensionMismatchError),
        ([float("nan")] * 128, NonFiniteVectorError),
        ([float("inf")] * 128, NonFiniteVectorError),
        ([[1.0] * 128] * 2, InvalidArgumentError),
        ([], InvalidArgumentError),
        (["a"] * 128, InvalidArgumentError),
        ([[1.0, 2.0], [3.0]], InvalidArgumentError),
    ],
)
def test_query_vectors_are_checked(corpus, vector, error):  # S20
    for strategy in ("vector", "hybrid"):
        with pytest.raises(error):
            corpus.search("fox", strategy=strategy, query_vector=vector)


def test_query_vectors_stand_in_for_the_texts(corpus):
    vectors = corpus.vector_store.embed(["red fox", "whale"])
    by_text = corpus.search_batch(["red fox", "whale"], strategy="hybrid")
    by_vector = corpus.search_batch(["red fox", "whale"], strategy="hybrid", query_vectors=vectors)
    assert by_text.equals(by_vector)
    with pytest.raises(InvalidArgumentError, match=r"shape \(1, dimensions\)"):
        corpus.search_batch(["red fox"], strategy="vector", query_vectors=vectors)


def test_queries_and_vectors_in_other_forms(corpus):
    expected = corpus.search_batch(["red fox", "whale"], strategy="keyword")
    for queries in (pa.array(["red fox", "whale"]), pa.chunked_array([["red fox"], ["whale"]])):
        assert corpus.search_batch(queries, strategy="keyword").equals(expected)
    with pytest.raises(TypeError, match="query 1: expected a string, found NoneType"):
        corpus.search_batch(pa.array(["red fox", None]), strategy="keyword")
    ones = corpus.search("", strategy="vector", query_vector=[1] * 128, min_score=-1)
    assert ones == corpus.search("", strategy="vector", query_vector=[1.0] * 128, min_score=-1)


def test_unknown_strategies_and_options_are_named(corpus):
    with pytest.raises(InvalidArgumentError, match="expected one of vector, keyword.*found 'bm25'"):
        corpus.search("fox", strategy="bm25")
    with pytest.raises(InvalidArgumentError, match="no option candidate_depth"):
        corpus.search("fox", strategy="keyword", candidate_depth=5)
    for depth in (0, -1, True, 2.5):
        with pytest.raises(InvalidArgumentError, match="candidate_depth"):
            corpus.search("fox", strategy="hybrid", candidate_depth=depth)


def test_an_index_without_vectors_says_so(tmp_path):
    table = pa.table({"id": ["a"], "text": ["word"]})
    corpus = Corpus.build(table, tmp_path / "index", embedding="none")
    assert corpus.dimensions is None
    assert corpus.default_strategy == "keyword"
    assert len(corpus.search("word")) == 1
    for strategy in ("vector", "hybrid"):
        with pytest.raises(ConfigurationError, match="no vectors"):
            corpus.search("word", strategy=strategy)


def test_vectors_from_a_column_need_a_query_vector(tmp_path):
    table = pa.table({"id": ["a", "b"], "text": ["x", "y"], "v": [[1.0, 0.0], [0.6, 0.8]]})
    corpus = Corpus.build(table, tmp_path / "index", embedding="column:v")
    assert corpus.default_strategy == "hybrid"
    assert not corpus.embeds_queries
    with pytest.raises(ConfigurationError, match="--query-vector"):
        corpus.search("x")
    hits = corpus.search("y", query_vector=[0.0, 3.0])
    assert [hit.metadata["entryId"] for hit in hits] == ["b", "a"]
    assert hits[0].score == 1.0


def test_metadata_is_a_list_of_columns(tmp_path):
    table = pa.table({"id": ["a"], "text": ["b"], "t": ["c"]})
    for metadata in ("t", [None], [3]):
        with pytest.raises(InvalidArgumentError, match="metadata"):
            Corpus.build(table, tmp_path / "index", metadata=metadata, embedding="none")


def test_a_reader_that_fails_on_the_way_is_named(tmp_path):
    def batches():
        yield pa.record_batch({"id": ["a"], "text": ["b"]})
        raise OSError("gone")

    reader = pa.RecordBatchReader.from_batches(
        pa.schema({"id": pa.string(), "text": pa.string()}), batches()
    )
    with pytest.raises(SourceLoadingError, match="gone"):
        Corpus.build(reader, tmp_path / "index", embedding="none")
    assert not (tmp_path / "index").exists()


def test_strategies_built_by_hand_over_a_corpus(corpus):
    by_hand = KeywordRAGStrategy(corpus.keyword_index)
    assert by_hand.retrieve("fox", RAGContext()) == corpus.search("fox", strategy="keyword")
    assert by_hand.retrieve("fox") == by_hand.retrieve("fox", RAGContext())


def test_two_corpora_are_fused_by_id(tmp_path):  # S23
    from octavo import HybridRAGStrategy

    words = Corpus.build(
        pa.table({"id": ["a", "b"], "text": ["red fox", "same"]}), tmp_path / "w", embedding="none"
    )
    vectors = Corpus.build(
        pa.table({"id": ["c", "a"], "text": ["same", "x"], "v": [[1.0, 0.0], [0.0, 1.0]]}),
        tmp_path / "v",
        embedding="column:v",
    )
    strategy = HybridRAGStrategy(words.keyword_index, vectors.vector_store)
    ranking = strategy.rank(Queries(("fox",), np.array([[0.0, 1.0]])), RAGContext())
    hits = ranking.retrieved()
    assert [(hit.metadata["entryId"], hit.metadata["hybrid.streams"]) for hit in hits] == [
        ("a", "keyword,vector"),
        ("c", "vector"),
    ]
    assert hits[0].score == 1.0


def test_info_and_repr(corpus):
    info = corpus.info()
    assert (info.documents, info.empty_texts, info.segments) == (10, 0, 1)
    assert info.columns.metadata == ("tier", "year")
    assert info.size == sum(
        path.stat().st_size for path in (corpus.path / "segments").rglob("*") if path.is_file()
    )
    assert "documents=10" in repr(corpus)


SEARCH = """
import sys, octavo
corpus = octavo.Corpus.open(sys.argv[1])
for strategy in ("keyword", "vector", "hybrid"):
    table = corpus.search_batch(["red fox", "owl", "", "title whale"], strategy=strategy, threads=2)
    print(table.to_pydict())
"""


def test_other_processes_give_the_same_bytes(corpus):  # S6
    """Hash seeds, and kernels as plain Python, move nothing."""
    outputs = set()
    for settings in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2"}, {"NUMBA_DISABLE_JIT": "1"}):
        run = subprocess.run(
            [sys.executable, "-c", SEARCH, str(corpus.path)],
            capture_output=True, text=True, check=True, env={**os.environ, **settings},
        )  # fmt: skip
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert "'score': [" in outputs.pop()


@pytest.mark.parametrize("value", ["no", None, 0])
def test_block_max_is_a_truth_value(tmp_path, value):  # S29
    table = pa.table({"id": ["a"], "text": ["red"]})
    with pytest.raises(InvalidArgumentError, match="block_max: expected True or False"):
        Corpus.build(table, tmp_path / "index", embedding="none", block_max=value)

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.errors import (
    ConfigurationError,
    CorpusCorruptError,
    CorpusFormatError,
    DimensionMismatchError,
    GraphCapabilityError,
    HierarchyError,
)
from octavo.graph.corpus_graph import CorpusGraph
from octavo.shards import ShardedCorpus, open_index
from octavo.shards.verify import verify_shards
from octavo.strategies.hierarchy_index import HierarchyIndex

OPTIONS = {"embedding": "column:vector", "metadata": ["tier"], "timestamp": "at"}
FILTERS = ({}, {"tier": "a"}, {"tier": "b", "entryId": "d4"}, {"tier": "none"})


@pytest.mark.parametrize("strategy", ["keyword", "vector", "hybrid"])
@pytest.mark.parametrize("filters", FILTERS)
@pytest.mark.parametrize("limit", [1, 10, 1_000])
def test_shards_give_what_a_single_index_gives(
    single, sharded, questions, vectors, strategy, filters, limit
):
    # S5, S6, S8
    asked = {} if strategy == "keyword" else {"query_vectors": vectors}
    given = {"strategy": strategy, "filters": filters, "max_results": limit, **asked}
    expected = single.search_batch(questions, **given)
    assert sharded.search_batch(questions, **given) == expected
    if filters != {"tier": "none"}:
        assert expected.num_rows


def test_composed_strategies_run_over_shards(single, sharded, questions, tmp_path):
    (tmp_path / "synonyms.json").write_text('{"fox": ["whale"], "red": ["fire"]}')
    for strategy, options in (
        ("temporal", {"now": datetime(2026, 1, 1, tzinfo=UTC), "child": "keyword"}),
        (
            "multi-query",
            {"expander": f"table:{tmp_path / 'synonyms.json'}", "model": "m", "child": "keyword"},
        ),
    ):
        given = {"strategy": strategy, "max_results": 7, "filters": {"tier": "a"}, **options}
        assert sharded.search_batch(questions, **given) == single.search_batch(questions, **given)


def test_documents_come_back_whole(single, sharded):
    # S2
    found = sharded.search("red fox", strategy="keyword", max_results=30)
    assert found == single.search("red fox", strategy="keyword", max_results=30)
    assert len(found) == 30


@pytest.mark.parametrize("name", ["graph", "hierarchical", "reasoning"])
def test_strategies_that_follow_links_are_refused(sharded, name):
    with pytest.raises(ConfigurationError, match=f"strategy '{name}': not over a sharded index"):
        sharded.strategy(name)
    with pytest.raises(ConfigurationError, match="follows links"):
        sharded.strategy("temporal", child=name)


def test_a_graph_is_refused(sharded):
    with pytest.raises(ConfigurationError, match="the graph of 'hybrid'"):
        sharded.strategy("hybrid", graph=True)
    with pytest.raises(GraphCapabilityError, match="no graph"):
        _ = sharded.graph
    with pytest.raises(ConfigurationError, match="allowed_sources"):
        sharded.strategy("temporal", allowed_sources=["here"], child="keyword")


def test_what_is_built_by_hand_needs_a_single_index(sharded):
    with pytest.raises(GraphCapabilityError, match="build a single index with edges"):
        CorpusGraph(sharded.keyword_index)
    with pytest.raises(HierarchyError, match="expected that of a single index"):
        HierarchyIndex.of_corpus(sharded.keyword_index)


def test_what_a_shard_raises_is_raised(sharded):
    # S20
    with pytest.raises(DimensionMismatchError, match="4 dimensions"):
        sharded.search("fox", strategy="vector", query_vector=[1.0])


def test_it_says_what_it_is(sharded, single):
    assert len(sharded) == len(single) == 400
    assert (sharded.dimensions, sharded.filter_keys) == (4, ("entryId", "tier"))
    assert repr(sharded).endswith("documents=400, shards=4)")
    assert sharded.default_strategy == "hybrid"
    assert sharded.pinned().keyword_index is sharded.keyword_index
    assert sharded.verify() == verify_shards(sharded.path)


def test_a_relative_path_is_found_from_elsewhere(tmp_path, monkeypatch):
    documents = pa.table({"id": ["a", "b"], "text": ["red fox", "red"]})
    monkeypatch.chdir(tmp_path)
    corpus = ShardedCorpus.build(documents, "index", 2, embedding="none")
    monkeypatch.chdir("/")
    assert all(len(place.open().ids(np.zeros(0, np.int64))) == 0 for place in corpus.shards)
    assert str(corpus.path) == "index"


def test_more_shards_than_documents(tmp_path):
    documents = pa.table({"id": ["a", "b"], "text": ["red fox", "red"]})
    corpus = ShardedCorpus.build(documents, tmp_path / "index", 9, embedding="none")
    assert [hit.content for hit in corpus.search("fox red")] == ["red fox", "red"]


@pytest.mark.parametrize("embedding", ["hash", "column:v"])
def test_no_documents(tmp_path, embedding):
    vectors = pa.array([], pa.list_(pa.float32()))
    nothing = pa.array([], pa.string())
    documents = pa.table({"id": nothing, "text": nothing, "v": vectors})
    corpus = ShardedCorpus.build(documents, tmp_path / "index", 3, embedding=embedding)
    for strategy in ("keyword", "vector", "hybrid"):
        assert corpus.search("fox", strategy=strategy) == ()
    assert corpus.search("fox", strategy="vector", query_vector=[1.0] * 128) == ()
    assert corpus.search_batch(["fox"], strategy="hybrid").num_rows == 0


def test_a_shard_without_a_vector(tmp_path):
    ids = [f"d{number}" for number in range(20)]
    vectors = pa.array([[1.0, 0.0], *[None] * 19], pa.list_(pa.float32()))
    documents = pa.table({"id": ids, "text": ["fox"] * 20, "v": vectors})
    corpus = ShardedCorpus.build(documents, tmp_path / "index", 4, embedding="column:v")
    found = corpus.search("", strategy="vector", query_vector=[1.0, 1.0])
    assert [hit.metadata["entryId"] for hit in found] == ["d0"]
    assert corpus.info().null_vectors == 19  # S16


def test_either_kind_is_opened(single, sharded):
    assert type(open_index(single.path)) is Corpus
    assert type(open_index(sharded.path)) is ShardedCorpus
    with pytest.raises(CorpusFormatError, match="sharded"):
        ShardedCorpus.open(single.path)
    with pytest.raises(CorpusFormatError):
        Corpus.open(sharded.path)


def test_fingerprints_tell_states_apart(sharded, single, documents, tmp_path):
    assert sharded.fingerprint == ShardedCorpus.open(sharded.path).fingerprint
    again = ShardedCorpus.build(documents, tmp_path / "again", 3, embedding="none")
    assert len({sharded.fingerprint, single.fingerprint, again.fingerprint}) == 3


def test_a_shard_that_was_changed_by_itself_is_refused(documents, tmp_path):
    corpus = ShardedCorpus.build(documents, tmp_path / "index", 2, embedding="none")
    place = corpus.shards[0]
    part = Corpus.open(place.snapshot().path)
    with part.writer() as writer:
        writer.upsert(pa.table({"id": ["new"], "text": ["new"]}))
    with pytest.raises(CorpusCorruptError, match="changed by itself"):
        ShardedCorpus.open(tmp_path / "index")
    with part.writer() as writer:
        writer.delete(["new"])
    with pytest.raises(CorpusCorruptError):
        ShardedCorpus.open(tmp_path / "index")


@pytest.mark.parametrize("changed", [{"text": ["other"] * 40}, {"stem": True}, {"hash": "hash:64"}])
def test_a_shard_of_as_many_other_documents_is_refused(tmp_path, changed):
    texts = changed.get("text", ["fox"] * 40)
    settings = {"stem": changed.get("stem", False), "embedding": changed.get("hash", "hash")}
    table = pa.table({"id": [f"d{number}" for number in range(40)], "text": ["fox"] * 40})
    corpus = ShardedCorpus.build(table, tmp_path / "index", 2, embedding="hash")
    shard = corpus.shards[1].snapshot()
    rows = shard.rows
    other = pa.table({"id": shard.ids(np.arange(rows)), "text": texts[:rows]})
    Corpus.build(other, shard.path, overwrite=True, **settings)
    with pytest.raises(CorpusCorruptError, match="00001: expected a shard as it was built"):
        ShardedCorpus.open(tmp_path / "index")
    assert [each.path for each in verify_shards(tmp_path / "index").problems] == [shard.path]


def test_a_shard_that_was_tuned_or_repaired_is_still_the_same(documents, tmp_path):
    corpus = ShardedCorpus.build(documents, tmp_path / "index", 2, **OPTIONS)
    expected = corpus.search_batch(["red fox"], strategy="keyword")
    path = corpus.shards[0].snapshot().path
    Corpus.open(path).tune(1.0)
    next(path.rglob("id_hashes.npy")).write_bytes(b"")
    assert Corpus.repair(path).rebuilt
    assert ShardedCorpus.open(corpus.path).search_batch(["red fox"], strategy="keyword") == expected


def test_threads_share_it(sharded, questions):
    expected = sharded.search_batch(questions * 5, strategy="keyword", threads=1)
    assert sharded.search_batch(questions * 5, strategy="keyword", threads=4) == expected


def test_scores_of_shards_by_themselves_differ(single, sharded, questions):
    # What global statistics are for: each shard scored by its own gives other scores.
    alone = [Corpus.open(place.snapshot().path) for place in sharded.shards]
    tables = [each.search_batch(questions, strategy="keyword", max_results=10) for each in alone]
    scores = np.sort(pa.concat_tables(tables)["score"].to_numpy())[::-1][:50]
    expected = np.sort(
        single.search_batch(questions, strategy="keyword", max_results=10)["score"].to_numpy()
    )[::-1][:50]
    assert not np.array_equal(scores, expected)

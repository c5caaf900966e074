"""Opening and refreshing while others commit: one build's shards, as a single index one state."""

import shutil

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.shards import ShardedCorpus, open_source
from octavo.storage.snapshot.snapshot import open_snapshot


def table(count, word="fox"):
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "id": [f"d{number}" for number in range(count)],
            "text": [f"{word} {number}" for number in range(count)],
            "v": pa.array(rng.standard_normal((count, 4)).tolist(), pa.list_(pa.float32())),
        }
    )


def build(kind, out, documents, **options):
    options = {"embedding": "column:v", "overwrite": True, "threads": 1, **options}
    return kind.build(documents, out, *([3] if kind is ShardedCorpus else []), **options)


def found(corpus, word="fox"):
    vectors = np.eye(4, dtype=np.float32)[:1]
    return [
        corpus.search(word, strategy="keyword", max_results=99),
        corpus.search_batch([""], strategy="vector", query_vectors=vectors, max_results=99),
    ]


@pytest.fixture
def index(tmp_path):
    return build(ShardedCorpus, tmp_path / "index", table(40)).path


def committed_after_the_first_opening(monkeypatch, commit):
    """Have something committed right after the state of the first shard was read."""
    opened = []

    def opening(directory, *args):
        snapshot = open_snapshot(directory, *args)
        opened.append(directory)
        if len(opened) == 1:
            commit()
        return snapshot

    monkeypatch.setattr(open_source, "open_snapshot", opening)


def test_a_tuning_that_commits_while_shards_are_opened_is_no_error(index, monkeypatch, tmp_path):
    reader = ShardedCorpus.open(index)
    committed_after_the_first_opening(monkeypatch, lambda: reader.tune(1.0))
    single = build(Corpus, tmp_path / "single", table(40))
    opened = ShardedCorpus.open(index)
    assert found(opened) == found(single)
    states = [opened.fingerprint, reader.fingerprint, ShardedCorpus.open(index).fingerprint]
    assert len(set(states)) == 3  # some shards before the tuning, some after it


def test_a_rebuild_that_commits_while_shards_are_opened_is_no_error(index, monkeypatch, tmp_path):
    committed_after_the_first_opening(
        monkeypatch, lambda: build(ShardedCorpus, index, table(25, "whale"))
    )
    single = build(Corpus, tmp_path / "single", table(25, "whale"))
    assert found(ShardedCorpus.open(index), "whale") == found(single, "whale")


def test_what_is_damaged_is_said_at_once(index):
    shutil.rmtree(next(index.glob("g*/0*1")))
    with pytest.raises(CorpusFormatError, match="00001: expected an octavo index"):
        ShardedCorpus.open(index)
    (index / "shards.json").write_text("{")
    with pytest.raises(CorpusCorruptError):
        ShardedCorpus.open(index)


def test_refresh_moves_to_the_present_state_as_a_single_index_does(index, tmp_path):
    single = build(Corpus, tmp_path / "single", table(40))
    sharded = ShardedCorpus.open(index)
    states = []
    for corpus, kind in ((single, Corpus), (sharded, ShardedCorpus)):
        before, pinned = found(corpus), corpus.pinned()
        strategy = corpus.strategy("keyword")
        store, fingerprint = corpus.keyword_index, corpus.fingerprint
        assert corpus.refresh() is corpus
        assert corpus.keyword_index is store  # nothing was committed
        build(kind, corpus.path, table(25, "whale"))
        assert found(corpus) == before  # it stays what it was opened as
        assert corpus.refresh() is corpus
        assert len(corpus) == 25
        assert corpus.fingerprint != fingerprint
        assert found(pinned) == before
        assert len(strategy.retrieve("fox")) > 0  # with the state it was made with
        states.append([before, found(corpus), found(corpus, "whale")])
    assert states[0] == states[1]


def test_refresh_sees_a_tuning_and_the_same_documents_built_again(index):
    corpus = ShardedCorpus.open(index)
    for commit in (
        lambda: ShardedCorpus.open(index).tune(1.0),
        lambda: build(ShardedCorpus, index, table(40)),
    ):
        store = corpus.keyword_index
        commit()
        assert corpus.refresh().keyword_index is not store
        assert corpus.fingerprint == ShardedCorpus.open(index).fingerprint


def test_refresh_keeps_the_function_and_the_state_where_it_fails(tmp_path):
    def embed(text):
        return [float(len(text)), 1.0]

    corpora = [build(kind, tmp_path / kind.__name__, table(9), embedding=embed)
               for kind in (Corpus, ShardedCorpus)]  # fmt: skip
    for corpus in corpora:
        build(type(corpus), corpus.path, table(12), embedding=embed)
        assert corpus.refresh().embedding_function is embed
        assert corpus.search("fox 3", strategy="vector")
        state = corpus.keyword_index
        shutil.rmtree(corpus.path)
        with pytest.raises(CorpusFormatError):
            corpus.refresh()
        assert corpus.keyword_index is state
        assert len(corpus.search("fox", strategy="keyword")) > 0

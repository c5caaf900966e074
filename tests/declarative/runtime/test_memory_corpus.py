"""A memory follows what is remembered, and is ranked as if it were part of the corpus (S31, S74)."""

import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import MemoryEntry, MemoryTier
from octavo.declarative import Knowledge, Search
from octavo.declarative.runtime import memory_corpus
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.memory_corpus import MemoryCorpus
from octavo.declarative.runtime.recently_used import RecentlyUsed
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.spi import RetrievedDocument, SourceDocument
from tests.declarative.chat.conftest import ChatWorld, entry, memory
from tests.declarative.runtime.conftest import search

REQUEST = DispatchContext()


def everything(corpus):
    """Ids by words, by vectors and as they are, where all are asked for the same word."""
    found = corpus.snapshot(REQUEST, words=True, embedding=HashEmbedding())
    stores = (found.entries, found.keyword, found.vectors)
    return [store.ids(_rows(store)) for store in stores]


def _rows(store):
    import numpy as np

    return np.arange(store.rows, dtype=np.int64)


# S31
@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from(["fox", "owl", None]), st.booleans())
    )
)
def test_stores_hold_what_a_dictionary_holds_in_its_order(steps):
    corpus, expected = MemoryCorpus("m"), {}
    revisions = [corpus.revision]
    for identifier, text, look in steps:
        if text is None:
            assert corpus.remove(identifier) is (expected.pop(identifier, None) is not None)
        else:
            corpus.add(MemoryEntry(identifier, text, MemoryTier.WORKING))
            expected[identifier] = text
            revisions.append(corpus.revision)
        if look:  # some of the states in between are indexed, some never are
            assert everything(corpus) == [list(expected)] * 3
    assert everything(corpus) == [list(expected)] * 3
    assert [each.content for each in corpus] == list(expected.values())
    assert len(corpus) == len(expected)
    assert len(set(revisions)) == len(revisions)


def test_a_snapshot_never_changes():
    corpus = MemoryCorpus("m")
    corpus.add([entry("1", "fox"), entry("2", "owl")])
    before = corpus.snapshot(REQUEST, words=True, embedding=HashEmbedding())
    corpus.remove("1")
    corpus.add(entry("2", "tea"))
    everything(corpus)
    for store in (before.entries, before.keyword, before.vectors):
        assert [each.content for each in store.documents(_rows(store))] == ["fox", "owl"]


def test_words_are_indexed_for_the_last_used_and_again_when_asked(monkeypatch):
    recently = RecentlyUsed(2, lambda each: each.release())
    monkeypatch.setattr(memory_corpus, "_INDEXED", recently)
    corpora = [MemoryCorpus(str(number)) for number in range(4)]
    for corpus in corpora:
        corpus.add(entry("1", f"fox {corpus.source}"))
        everything(corpus)
    assert [corpus._words is not None for corpus in corpora] == [False, False, True, True]
    assert everything(corpora[0]) == [["1"]] * 3
    assert [corpus._words is not None for corpus in corpora] == [True, False, False, True]
    del corpora, corpus
    gc.collect()
    recently.use(MemoryCorpus("other"))  # those that are gone are no trouble


# S20 S64
@pytest.mark.parametrize("strategy", ["SEMANTIC", "HIERARCHICAL"])
def test_vectors_of_both_are_ranked_as_those_of_one(tmp_path, strategy):
    texts = [f"{a} {b}" for a in ("red", "grey", "blue") for b in ("fox", "owl", "whale", "tea")]
    world = ChatWorld(tmp_path)
    settings = search(strategy=strategy, top_k=20, deduplicate=True, dedupe_threshold=0.99)

    def files(name, some):
        return world.source(name, {f"{n}.md": text for n, text in some}, search=settings)

    numbered = list(enumerate(texts))
    one = world.binding(files("all", numbered)).retrieve("red fox tea").documents
    both = world.binding(files("half", numbered[::2]), memory(search=Search()))
    both.remember([entry(str(n), text) for n, text in numbered[1::2]])
    found = both.retrieve("red fox tea").documents
    assert len(one) == len(found) > 6  # all with a cosine of at least 0
    assert sorted((each.score, each.content) for each in found) == sorted(
        (each.score, each.content) for each in one
    )


# S64
def test_duplicates_go_across_documents_and_memory(tmp_path):
    asked = []

    def embed(text):
        asked.append(text)
        return HashEmbedding()(text)

    from octavo.declarative.runtime.embedding_provider import EmbeddingProvider, ProcessEmbedding

    world = ChatWorld(tmp_path, embedding=ProcessEmbedding(EmbeddingProvider(embed, "test")))
    settings = search(deduplicate=True, strategy="KEYWORD", on_failure="FAIL")
    source = world.source("n", {"a.md": "red fox"}, search=settings)
    binding = world.binding(source, memory(search=Search()))
    binding.remember([entry("1", "red fox"), entry("2", "a fox and an owl")])
    for query in ("fox", "a fox"):
        found = [each.content for each in binding.retrieve(query).documents]
        assert sorted(found) == ["a fox and an owl", "red fox"]
    # Vectors are kept: of the file with its corpus, of entries with the memory.
    assert sorted(asked) == ["a fox and an owl", "red fox", "red fox"]


class Expander:
    def supports(self, model):
        return True

    def expand(self, query, mode, model, max_expansions):
        return ["owl"]


class Reranker:
    """Turns the order round, and tells what it was given by id alone."""

    def supports(self, model):
        return True

    def rerank(self, query, documents, model):
        return [
            RetrievedDocument(each.content, each.source, place, each.metadata)
            for place, each in reversed(list(enumerate(documents)))
        ]


class Loader:
    def supports(self, knowledge):
        return knowledge.type == "DATABASE"

    def load(self, knowledge):
        yield SourceDocument("1", "a fox of the database")


# S63 S25
def test_expansion_reranking_and_retry_go_with_a_memory(make_world):
    world = make_world(expanders=[Expander()], rerankers=[Reranker()], loaders=[Loader()])
    rows = Knowledge("rows", type="DATABASE")
    expanded = search(strategy="MULTI_QUERY", query_expansion_model="m", top_k=5)
    binding = chat_world(world).binding(rows, memory(search=expanded))
    binding.remember([entry("1", "a fox"), entry("2", "an owl")])
    contents = {each.content for each in binding.retrieve("fox").documents}
    assert contents == {"a fox of the database", "a fox", "an owl"}
    # Both sources know a document as "1"; neither takes the other's place.
    turned = search(strategy="KEYWORD", rerank=True, reranker_model="m", top_n=3)
    binding = chat_world(world).binding(rows, memory(search=turned))
    binding.remember([entry("1", "a fox"), entry("2", "the fox")])
    found = binding.retrieve("fox").documents
    assert {each.content for each in found} == {"a fox of the database", "a fox", "the fox"}
    assert len({each.metadata["tnsai.source"] for each in found}) == 2


def chat_world(world):
    return ChatWorld(world.directory, world.given, embedding=world.embedding)


def test_a_keyword_retry_finds_what_is_remembered(make_world):  # S67
    def embed(text):
        raise OSError("the model is down")

    world = make_world(embed=embed)
    binding = chat_world(world).binding(memory(search=search(on_failure="RETRY_SIMPLE")))
    binding.remember([entry("1", "a fox"), entry("2", "tea")])
    assert [each.content for each in binding.retrieve("fox").documents] == ["a fox"]

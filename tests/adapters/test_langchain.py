"""A retriever of LangChain, with the real package."""

import asyncio
import copy
import pickle

import pyarrow as pa
import pytest

pytest.importorskip("langchain_core")

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import ConfigurableField, RunnableLambda, RunnablePassthrough
from pydantic import ValidationError

from octavo import Corpus, RAGContext
from octavo.adapters.langchain import OctavoRetriever
from octavo.errors import ConfigurationError, InvalidArgumentError
from tests.adapters.conftest import Shelf


def embed(text):
    return [1.0, float(len(text))]


def ids(documents):
    return [document.id for document in documents]


def test_documents_keep_text_metadata_id_source_and_score(corpus):
    found = OctavoRetriever(index=corpus, strategy="hybrid", k=3).invoke("red fox")
    expected = corpus.search("red fox", strategy="hybrid", max_results=3)
    assert [document.page_content for document in found] == [hit.content for hit in expected]
    for document, hit in zip(found, expected, strict=True):
        assert document.id == hit.metadata["entryId"]
        assert document.metadata == {
            "source": hit.source,
            **hit.metadata,
            "relevance_score": hit.score,
        }


def test_every_way_of_asking_gives_the_same(corpus):
    retriever = OctavoRetriever(index=corpus.path, strategy="keyword")
    expected = retriever.invoke("whale")
    assert expected
    assert asyncio.run(retriever.ainvoke("whale")) == expected
    assert retriever.batch(["whale", "zebra"]) == [expected, []]
    assert asyncio.run(retriever.abatch(["whale", "zebra"])) == [expected, []]
    assert list(retriever.stream("whale")) == [expected]


def test_filters_and_limits(corpus):  # S7
    retriever = OctavoRetriever(index=corpus, filters={"tier": "SEMANTIC"}, k=2)
    keyword = corpus.search("fox whale", filters={"tier": "SEMANTIC"}, max_results=2)
    assert ids(retriever.invoke("fox whale")) == [hit.metadata["entryId"] for hit in keyword]
    assert ids(retriever.invoke("fox", filters={"year": 2000})) == ["d0"]
    assert ids(asyncio.run(retriever.ainvoke("fox", filters={"year": 2000}))) == ["d0"]
    assert len(retriever.invoke("fox", k=1)) == 1
    assert retriever.invoke("fox", min_score=1e6) == []
    assert ids(retriever.invoke("fox whale")) == [hit.metadata["entryId"] for hit in keyword]


def test_in_a_chain(corpus):
    retriever = OctavoRetriever(index=corpus, k=1)
    joined = RunnableLambda(lambda documents: documents[0].page_content)
    chain = {"context": retriever | joined, "question": RunnablePassthrough()}
    answer = chain | RunnableLambda(lambda asked: f"{asked['question']}: {asked['context']}")
    assert answer.invoke("blue whale") == "blue whale: blue whale"


def test_fields_can_be_configured(corpus):
    retriever = OctavoRetriever(index=corpus, k=1).configurable_fields(
        k=ConfigurableField(id="k"), filters=ConfigurableField(id="filters")
    )
    configured = {"k": 5, "filters": {"tier": "SEMANTIC"}}
    found = retriever.with_config(configurable=configured).invoke("fox")
    expected = corpus.search("fox", max_results=5, filters={"tier": "SEMANTIC"})
    assert ids(found) == [hit.metadata["entryId"] for hit in expected]
    assert len(found) > 1


def test_callbacks_hear_of_it(corpus):
    heard = []

    class Listener(BaseCallbackHandler):
        def on_retriever_end(self, documents, **_):
            heard.append(ids(documents))

    OctavoRetriever(index=corpus, k=1).invoke("fox", config={"callbacks": [Listener()]})
    assert heard == [ids(OctavoRetriever(index=corpus, k=1).invoke("fox"))]


class Shouting(OctavoRetriever):
    """A retriever of an application, with the signature that LangChain asks for."""

    def _get_relevant_documents(self, query, *, run_manager, **bounds):
        run_manager.on_text(query.upper())
        return super()._get_relevant_documents(query.upper(), run_manager=run_manager, **bounds)


def test_a_subclass_works_in_every_way_of_asking(corpus):
    retriever = Shouting(index=corpus)
    expected = OctavoRetriever(index=corpus).invoke("fox", k=2)
    assert len(expected) == 2
    assert retriever.invoke("fox", k=2) == expected
    assert asyncio.run(retriever.ainvoke("fox", k=2)) == expected


def test_any_strategy(shelf):
    found = OctavoRetriever(index=shelf, k=1).invoke("")
    assert found[0].id is None
    assert found[0].metadata == {"source": "a.md", "tier": "top", "relevance_score": 0.9}


def test_it_is_pickled(corpus):
    for index in (corpus, str(corpus.path)):
        retriever = OctavoRetriever(
            index=index, strategy="vector", k=3, filters={"tier": "WORKING"}
        )
        again = pickle.loads(pickle.dumps(retriever))
        assert again.invoke("red fox") == retriever.invoke("red fox")
        assert (again.k, again.filters) == (3, {"tier": "WORKING"})
    assert pickle.loads(pickle.dumps(OctavoRetriever(index=Shelf()))).invoke("")


def test_what_is_unpickled_is_whole(tmp_path, monkeypatch):
    """It can be configured too, elsewhere, by the function that it was opened with."""
    vectors = pa.array([[1.0, 3.0], [3.0, 1.0]], pa.list_(pa.float32(), 2))
    table = pa.table({"id": ["a", "b"], "text": ["fox", "owl"], "v": vectors})
    monkeypatch.chdir(tmp_path)
    Corpus.build(table, "index", embedding="column:v", threads=1)
    opened = Corpus.open("index", embedding=embed)
    pickled = pickle.dumps(OctavoRetriever(index=opened, strategy="vector"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = pickle.loads(pickled).configurable_fields(k=ConfigurableField(id="k"))
    assert ids(again.with_config(configurable={"k": 1}).invoke("fox")) == ["a"]


def test_copies_share_the_index(corpus):
    retriever = OctavoRetriever(index=corpus, strategy="keyword", k=3)
    for again in (copy.copy(retriever), copy.deepcopy(retriever), retriever.model_copy(deep=True)):
        assert again.index is corpus
        assert again.invoke("red fox") == retriever.invoke("red fox")


def test_a_copy_has_the_fields_it_was_given(corpus):
    retriever = OctavoRetriever(index=corpus, strategy="keyword", k=3)
    for deep in (False, True):
        again = retriever.model_copy(update={"strategy": "vector", "k": 2}, deep=deep)
        assert again.invoke("fox") == OctavoRetriever(index=corpus, strategy="vector", k=2).invoke(
            "fox"
        )
    with pytest.raises(InvalidArgumentError):
        retriever.model_copy(update={"strategy": "nearest"})


def test_what_is_assigned_counts_or_is_refused(corpus):
    retriever = OctavoRetriever(index=corpus, strategy="keyword")
    retriever.k = 1
    assert len(retriever.invoke("fox")) == 1
    for name in ("index", "strategy", "options", "embedding"):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(retriever, name, None)


def test_a_key_that_documents_have_is_not_overwritten(tmp_path):
    table = pa.table({"id": ["a"], "text": ["fox"], "relevance_score": ["own"], "source": ["mine"]})
    corpus = Corpus.build(
        table, tmp_path / "i", metadata=["relevance_score", "source"], embedding="none", threads=1
    )
    with pytest.raises(ConfigurationError, match="score_key"):
        OctavoRetriever(index=corpus).invoke("fox")
    found = OctavoRetriever(index=corpus, score_key="octavo").invoke("fox")[0].metadata
    assert (found["relevance_score"], found["source"]) == ("own", "mine")
    assert found["octavo"] == corpus.strategy().retrieve("fox", RAGContext())[0].score


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"min_score": float("nan")}, {"filters": {"a": ["b"]}}, {"index": 3}]
)
def test_what_does_not_fit_is_refused_when_it_is_made(corpus, wrong):
    with pytest.raises(InvalidArgumentError):
        OctavoRetriever(**({"index": corpus} | wrong))
    with pytest.raises((InvalidArgumentError, ConfigurationError)):
        OctavoRetriever(index=corpus, strategy="nearest")


@pytest.mark.parametrize("wrong", ["filter", "top_k", "search_kwargs"])
def test_a_field_that_is_none_is_refused(corpus, wrong):
    """``filter`` is what others call it: ignored, all documents would come."""
    with pytest.raises(ValidationError, match=wrong):
        OctavoRetriever(index=corpus, **{wrong: {"tier": "WORKING"}})

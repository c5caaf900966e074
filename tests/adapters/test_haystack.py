"""A component of Haystack, with the real package."""

import asyncio
import copy
import pickle

import pytest

pytest.importorskip("haystack")

from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from haystack.document_stores.types import FilterPolicy

from octavo import Corpus, HashEmbedding
from octavo.adapters.haystack import OctavoRetriever
from octavo.errors import ConfigurationError, InvalidArgumentError
from tests.adapters.conftest import Shelf


def ids(answer):
    return [document.id for document in answer["documents"]]


def expected_ids(hits):
    return [hit.metadata["entryId"] for hit in hits]


def equal(field, value):
    return {"field": field, "operator": "==", "value": value}


def both(*conditions):
    return {"operator": "AND", "conditions": list(conditions)}


def test_documents_keep_text_metadata_id_source_and_score(corpus):
    found = OctavoRetriever(corpus, "hybrid", top_k=3).run("red fox")["documents"]
    expected = corpus.search("red fox", strategy="hybrid", max_results=3)
    assert [each.id for each in found] == expected_ids(expected)
    for document, hit in zip(found, expected, strict=True):
        assert (document.content, document.score) == (hit.content, hit.score)
        assert document.meta == {"source": hit.source, **hit.metadata}


def test_both_ways_of_asking_give_the_same(corpus):
    retriever = OctavoRetriever(str(corpus.path), "keyword")
    assert retriever.run("whale")["documents"]
    assert asyncio.run(retriever.run_async("whale")) == retriever.run("whale")
    assert ids(retriever.run("whale", top_k=1)) == ids(retriever.run("whale"))[:1]


@pytest.mark.parametrize(
    "filters",
    [
        equal("meta.year", 2000),
        equal("year", "2000"),
        equal("id", "d0"),
        both(equal("meta.tier", "WORKING"), both(equal("meta.year", 2000))),
    ],
)
def test_filters(corpus, filters):  # S7
    assert ids(OctavoRetriever(corpus).run("fox", filters=filters)) == ["d0"]
    assert ids(OctavoRetriever(corpus, filters=filters).run("fox")) == ["d0"]


def test_filters_of_a_run_replace_or_join_those_of_the_component(corpus):
    first, second = equal("meta.tier", "WORKING"), equal("meta.year", 2001)
    replacing = OctavoRetriever(corpus, filters=first)
    assert ids(replacing.run("whale", filters=second)) == ["d1"]
    joining = OctavoRetriever(corpus, filters=first, filter_policy="merge")
    assert ids(joining.run("whale", filters=second)) == []
    assert joining.filter_policy is FilterPolicy.MERGE
    assert ids(joining.run("whale", filters=equal("meta.tier", "SEMANTIC"))) == expected_ids(
        corpus.search("whale", filters={"tier": "SEMANTIC"})
    )  # of the same field: Haystack's rule


@pytest.mark.parametrize(
    "filters",
    [
        {"field": "meta.year", "operator": ">", "value": 3},
        {"field": "meta.year", "operator": "in", "value": [3]},
        {"operator": "OR", "conditions": [equal("a", "b")]},
        {"operator": "NOT", "conditions": [equal("a", "b")]},
        {"operator": "AND"},
        {"operator": "==", "field": "a"},
        {"tier": "WORKING"},
        both(["a"]),
        equal("a", None),
        both(equal("a", 1), equal("a", 2)),
    ],
)
def test_other_filters_are_refused(corpus, filters):
    with pytest.raises(InvalidArgumentError, match="filters"):
        OctavoRetriever(corpus, filters=filters)
    with pytest.raises(InvalidArgumentError, match="filters"):
        OctavoRetriever(corpus).run("fox", filters=filters)


def pipeline(retriever):
    made = Pipeline()
    made.add_component("retriever", retriever)
    template = "{% for each in documents %}{{ each.content }};{% endfor %}{{ question }}"
    made.add_component("prompt", PromptBuilder(template, required_variables=["documents"]))
    made.connect("retriever.documents", "prompt.documents")
    return made


ASKED = {"retriever": {"query": "blue whale", "top_k": 1}, "prompt": {"question": "Why?"}}


def test_in_a_pipeline(corpus):
    assert pipeline(OctavoRetriever(corpus)).run(ASKED) == {"prompt": {"prompt": "blue whale;Why?"}}


def test_in_an_asynchronous_pipeline(corpus):
    made = pipeline(OctavoRetriever(corpus))
    assert asyncio.run(made.run_async(ASKED)) == {"prompt": {"prompt": "blue whale;Why?"}}


def test_a_pipeline_is_serialised(corpus):
    made = pipeline(
        OctavoRetriever(
            corpus,
            "hybrid",
            options={"candidate_depth": 50},
            top_k=3,
            min_score=0.1,
            filters=equal("meta.tier", "WORKING"),
            filter_policy=FilterPolicy.MERGE,
        )
    )
    again = Pipeline.loads(made.dumps(), allowed_modules=["octavo.adapters.haystack"])
    assert again.to_dict() == made.to_dict()
    assert again.run(ASKED) == made.run(ASKED)
    component = again.get_component("retriever")
    assert (component.top_k, component.min_score, component.options) == (
        3,
        0.1,
        {"candidate_depth": 50},
    )


def test_what_has_no_name_is_not_serialised(corpus, shelf):
    with pytest.raises(ConfigurationError, match="serialised"):
        OctavoRetriever(shelf).to_dict()
    with pytest.raises(ConfigurationError, match="serialised"):
        OctavoRetriever(str(corpus.path), embedding=lambda _: [1.0] * 128).to_dict()


def test_a_function_that_only_the_corpus_has_is_not_forgotten(documents, tmp_path):
    made = Corpus.build(documents, tmp_path / "i", embedding=lambda text: [1.0, len(text)])
    for corpus in (made, Corpus.open(made.path, embedding=lambda text: [1.0, len(text)])):
        assert OctavoRetriever(corpus, "vector").run("fox")["documents"]
        with pytest.raises(ConfigurationError, match="serialised"):
            OctavoRetriever(corpus, "vector").to_dict()
    assert OctavoRetriever(made.path, "keyword").to_dict()["init_parameters"]["index"]
    named = Corpus.build(documents, tmp_path / "named", embedding=HashEmbedding(64))
    retriever = OctavoRetriever(named, "vector")
    assert OctavoRetriever.from_dict(retriever.to_dict()).run("fox") == retriever.run("fox")


def test_any_strategy(shelf):
    found = OctavoRetriever(shelf).run("")["documents"]
    assert [each.content for each in found] == ["first", "second"]
    assert found[0].meta == {"source": "a.md", "tier": "top"}
    assert len({each.id for each in found}) == 2


def test_it_is_pickled(corpus):
    retriever = OctavoRetriever(corpus, "vector", top_k=3, filters=equal("tier", "WORKING"))
    again = pickle.loads(pickle.dumps(retriever))
    assert again.run("red fox") == retriever.run("red fox")
    assert pickle.loads(pickle.dumps(OctavoRetriever(Shelf()))).run("")


class Unpickled:
    """A function that embeds, and holds a key."""

    def __call__(self, text):
        return [1.0, float(len(text))]

    def __reduce__(self):
        raise TypeError("not pickled, for its key would be")


def test_a_deep_copy_shares_the_index_and_its_function(documents, tmp_path):
    made = Corpus.build(documents, tmp_path / "i", embedding=Unpickled(), threads=1)
    retriever = OctavoRetriever(made.path, "vector", embedding=Unpickled())
    assert copy.deepcopy(retriever).run("fox") == retriever.run("fox")


def test_what_does_not_fit_is_refused_when_it_is_made(corpus):
    for wrong in ({"top_k": 0}, {"min_score": float("inf")}):
        with pytest.raises(InvalidArgumentError):
            OctavoRetriever(corpus, **wrong)
    with pytest.raises((InvalidArgumentError, ConfigurationError)):
        OctavoRetriever(corpus, "nearest")

"""The navigator that follows words (S28)."""

import math
import random
from collections import Counter

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import Analyzer, RetrievedDocument
from octavo.spi import NodeView, TreeNavigator
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.lexical_navigator import LexicalNavigator
from octavo.strategies.reasoning import ReasoningRAGStrategy

NAVIGATOR = LexicalNavigator()
GUIDE = NodeView("root", "Guide")


def chosen(query, *titles, node=GUIDE, navigator=NAVIGATOR):
    children = [NodeView(str(place), title) for place, title in enumerate(titles)]
    return navigator.choose(query, node, children, "any")


def test_it_is_a_navigator_for_every_model():  # S28
    assert isinstance(NAVIGATOR, TreeNavigator)
    assert NAVIGATOR.supports("any")


def test_the_child_with_the_rarer_words():  # S28
    titles = ("Install a package", "Remove a package", "List a package")
    assert chosen("how to remove a package", *titles) == "1"
    assert chosen("package", *titles) == "0"  # all alike: the first offered
    assert chosen("nothing of it", *titles) is None
    assert chosen("", *titles) is None
    assert chosen("remove") is None


def test_summaries_count_and_may_be_missing():  # S28
    children = [NodeView("a", None, "fox and owl"), NodeView("b"), NodeView("c", "whale", None)]
    for query, expected in (("owl", "a"), ("whale", "c"), ("heron", None)):
        assert NAVIGATOR.choose(query, GUIDE, children, "any") == expected


def test_a_node_that_matches_better_answers():  # S28
    node = NodeView("node", "Red fox")
    assert chosen("red fox", "Red", "Habitat", node=node) is None
    assert chosen("red fox", "Red fox", "Habitat", node=node) == "0"  # the more special one
    whole = NodeView("node", "Guide", "Covers how to install, remove and list packages")
    assert chosen("install", "Install", "Remove", "List", node=whole) == "0"


def test_any_text_is_legal():  # S2
    for query in ("\ud800", "((( AND", "東京", "a" * 10_000):
        assert chosen(query, "\ud800 x", "y" * 10_000) is None
    assert chosen("東京 タワー", "大阪", "東京") == "1"


def test_the_analyser_decides_what_a_word_is():  # S21
    stemmed = LexicalNavigator(Analyzer("en", stem=True))
    assert chosen("houses", "boat", "house") is None
    assert chosen("houses", "boat", "house", navigator=stemmed) == "1"


WORDS = st.lists(st.sampled_from(["red", "fox", "owl", "whale", "song"]), max_size=6).map(" ".join)


def bm25(query, texts):
    """The scores in plain Python, by Robertson's formula."""
    bags = [Counter(text.split()) for text in texts]
    mean = sum(bag.total() for bag in bags) / len(bags) or 1
    scores = []
    for bag in bags:
        score = 0
        for term in set(query.split()) & set(bag):
            frequency = sum(term in other for other in bags)
            idf = math.log(1 + (len(bags) - frequency + 0.5) / (frequency + 0.5))
            norm = 1.2 * (0.25 + 0.75 * bag.total() / mean)
            score += idf * bag[term] * 2.2 / (bag[term] + norm)
        scores.append(score)
    return scores


@given(WORDS, WORDS, st.lists(WORDS, max_size=6))
def test_the_choice_is_that_of_the_formula(query, title, titles):  # S28
    own, *scores = bm25(query, [title, *titles])
    answer = chosen(query, *titles, node=NodeView("node", title))
    if answer is None:
        best = max(scores, default=0.0)
        assert best == 0 or best <= own + 1e-12
    else:
        assert scores[int(answer)] >= max(own, *scores) - 1e-12
        assert scores[int(answer)] > 0


@pytest.mark.data
def test_it_lands_in_the_right_document_far_more_often_than_chance(collections):  # S28
    folder = collections / "peps"
    documents = [RetrievedDocument("", "peps", 0.0, {"hierarchy.id": "peps"})]
    for row in pq.read_table(folder / "corpus.parquet").to_pylist():
        metadata = {"hierarchy.parentId": "peps", "hierarchy.title": row["title"]}
        documents.append(
            RetrievedDocument("", row["id"], 0.0, {"hierarchy.id": row["id"], **metadata})
        )
    for row in pq.read_table(folder / "sections.parquet").to_pylist():
        metadata = {"hierarchy.parentId": row["parent_id"], "hierarchy.title": row["title"]}
        documents.append(
            RetrievedDocument("", row["root_id"], 0.0, {"hierarchy.id": row["id"], **metadata})
        )
    index = HierarchyIndex(documents)
    lines = (folder / "qrels.tsv").read_text("utf-8").splitlines()
    judged = {tuple(line.split("\t")[:2]) for line in lines}
    queries = random.Random(0).sample(pq.read_table(folder / "queries.parquet").to_pylist(), 200)

    def right(navigator):
        strategy = ReasoningRAGStrategy(index, navigator, "any")
        found = [strategy.retrieve(query["text"])[0] for query in queries]
        return sum(
            (query["id"], hit.source) in judged for query, hit in zip(queries, found, strict=True)
        )

    pick = random.Random(0)
    by_chance = right(lambda query, node, children, model: pick.choice(children).id)
    assert right(NAVIGATOR) >= 5 * max(1, by_chance)

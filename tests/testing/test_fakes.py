"""Fakes give the same on every machine, record what they are asked, and fail when told to."""

import math
import subprocess
import sys

import pytest

from octavo import InvalidArgumentError
from octavo.spi import GraphEdge, GraphNode, NodeView, QueryExpansion
from octavo.testing import FakeEmbedding, FakeExpander, FakeGraphStore, FakeNavigator

FOX = GraphNode("fox", "red", "animals")
OWL = GraphNode("owl", "grey", "animals")


def test_embeddings_are_unit_vectors_that_share_words():
    embedding = FakeEmbedding(dimensions=32)
    fox, red_fox, whale = embedding("fox"), embedding("the red fox"), embedding("blue whale")
    assert math.isclose(math.fsum(value * value for value in fox), 1.0)
    assert embedding("") == embedding(" !? ") == [0.0] * 32
    assert embedding("\ud800 word") == embedding("word \ud800")
    alike = math.fsum(a * b for a, b in zip(fox, red_fox, strict=True))
    unlike = math.fsum(a * b for a, b in zip(fox, whale, strict=True))
    assert alike > 0.4 > unlike


def test_embeddings_are_the_same_in_another_process():  # S6
    code = "from octavo.testing import FakeEmbedding; print(FakeEmbedding(4)('a red fox, a fox'))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == str(FakeEmbedding(4)("a red fox, a fox"))


FAKES = {
    "embedding": (FakeEmbedding, [lambda fake: fake("fox")] * 3),
    "expander": (
        FakeExpander,
        [lambda fake: fake.expand("fox", QueryExpansion.HYDE, "fake", 2)] * 3,
    ),
    "navigator": (
        FakeNavigator,
        [lambda fake: fake.choose("fox", NodeView("r"), [NodeView("a", "Fox")], "fake")] * 3,
    ),
    "graph store": (
        lambda **options: FakeGraphStore([FOX, OWL], [GraphEdge("fox", "fears", "owl")], **options),
        [
            lambda fake: fake.seeds("fox", 3),
            lambda fake: fake.edges("fox"),
            lambda fake: fake.node("owl"),
        ],
    ),
}


@pytest.mark.parametrize("name", FAKES)
def test_a_fake_records_its_calls_and_fails_from_the_one_it_is_told(name):
    make, calls = FAKES[name]
    fake = make()
    answers = [call(fake) for call in calls]
    assert all(answers)
    assert len(fake.calls) == len(calls)
    for failing in (1, 2, 3):
        fake = make(failure=OSError("no line"), fails_from=failing)
        for number, call in enumerate(calls, start=1):
            if number < failing:
                assert call(fake) == answers[number - 1]
            else:
                with pytest.raises(OSError, match="no line"):
                    call(fake)
        assert len(fake.calls) == len(calls)


@pytest.mark.parametrize("value", [0, -1, True, 1.5])
def test_bounds(value):
    with pytest.raises(InvalidArgumentError, match="dimensions"):
        FakeEmbedding(value)
    with pytest.raises(InvalidArgumentError, match="fails_from"):
        FakeExpander(fails_from=value)


def test_what_a_fake_answers_can_be_given():
    expander = FakeExpander({"fox": ["vulpes", "canid"]}, models=("a", "b"))
    assert expander.expand("fox", QueryExpansion.SYNONYM, "a", 1) == ("vulpes",)
    assert expander.calls == [("fox", QueryExpansion.SYNONYM, "a", 1)]
    assert [expander.supports(model) for model in ("a", "b", "fake")] == [True, True, False]
    navigator = FakeNavigator({"root": "not offered", "leaf": None})
    children = [NodeView("fox")]
    assert navigator.choose("fox", NodeView("root"), children, "fake") == "not offered"
    assert navigator.choose("fox", NodeView("leaf"), children, "fake") is None
    assert navigator.choose("fox", NodeView("else"), children, "fake") == "fox"
    store = FakeGraphStore([FOX, OWL], seeds={"any": [("owl", 0.3), ("fox", 0.2)]})
    assert store.seeds("any", 1) == ((OWL, 0.3),)
    assert store.seeds("", 1) == ()

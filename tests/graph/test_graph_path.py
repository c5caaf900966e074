"""A path tells its score and itself (S24)."""

import dataclasses
import json

import pytest

from octavo.graph.graph_path import GraphPath


def test_the_score_is_multiplied_hop_by_hop():  # S24
    path = GraphPath(tuple("abcd"), tuple("abcd"), ("r", "r", "r"), 0.1, 0.85, "d")
    assert path.scores() == (0.1, 0.1 * 0.85, 0.1 * 0.85 * 0.85, 0.1 * 0.85 * 0.85 * 0.85)
    assert path.score != 0.1 * 0.85**3
    assert path.hops == 3
    below = GraphPath(("a", "b"), ("a", "b"), ("r",), -1.0, 0.0, "b")
    assert repr(below.score) == "0.0"  # never minus zero


def test_plain_values_are_json():
    path = GraphPath(("a", "b"), ("A", "b"), ("r",), 2.0, 0.5, "text")
    assert json.loads(json.dumps(path.as_dict())) == {
        "nodes": ["a", "b"], "names": ["A", "b"], "relations": ["r"], "hops": 1,
        "seed_score": 2.0, "decay": 0.5, "score": 1.0, "document": "text",
    }  # fmt: skip


def test_paths_are_values():
    path = GraphPath(("a",), ("a",), (), 2.0, 0.5, "a")
    assert path == GraphPath(("a",), ("a",), (), 2.0, 0.5, "a")
    assert len({path, dataclasses.replace(path), dataclasses.replace(path, decay=0.25)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.decay = 1.0


def test_for_people():
    texts = [
        str(GraphPath(("a",), ("a",), (), 1.5, 0.5, "a")),
        str(GraphPath(("a",), ("A",), (), 1.5, 0.5, "text")),
        str(GraphPath(("a", "b"), ("A", "b"), ("",), -1.5, 0.85, "b")),
        str(GraphPath(("a", "b", "c"), ("A", "b", "c"), ("r", "s"), 1.5, 0.5, "t")),
    ]
    assert texts == [
        "seed 'a' (1.5000)",
        "seed 'A' [a] (1.5000) => document 'text'",
        "seed 'A' [a] (-1.5000) --> 'b'; 1 hop, -1.5000 x 0.85 = -1.2750",
        "seed 'A' [a] (1.5000) --r--> 'b' --s--> 'c' => document 't'; 2 hops, 1.5000 x 0.5^2 = 0.3750",
    ]

"""A strategy with its options, read from one text."""

import string

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from octavo.cli.compared_strategy import LONGEST_LABEL, ComparedStrategy, parsed_strategy


@pytest.mark.parametrize(
    ("text", "strategy", "options", "label"),
    [
        (" Keyword ", "keyword", {}, "keyword"),
        ("hybrid --graph", "hybrid", {"graph": True}, "hybrid,graph"),
        ("hybrid --rrf-k=20", "hybrid", {"rrf_k": 20}, "hybrid,rrf_k=20"),
        ("--rrf-k 20 hybrid", "hybrid", {"rrf_k": 20}, "hybrid,rrf_k=20"),
        ("a b=hybrid", "hybrid", {}, "a b"),
        ("größer = temporal --floor .5", "temporal", {"floor": 0.5}, "größer"),
        (
            "multi-query --expander 'table:my dir/s.json' --model m",
            "multi-query",
            {"expander": "table:my dir/s.json", "model": "m"},
            "multi-query,expander=table-my-dir-s.json,model=m",
        ),
        (
            "best = hybrid --weights keyword=2,vector=1",
            "hybrid",
            {"weights": "keyword=2,vector=1"},
            "best",
        ),
        (
            "hybrid --weights=keyword=2,vector=1",
            "hybrid",
            {"weights": "keyword=2,vector=1"},
            "hybrid,weights=keyword=2,vector=1",
        ),
    ],
)
def test_what_is_read(text, strategy, options, label):
    assert parsed_strategy(text) == ComparedStrategy(strategy, options, label)


@pytest.mark.parametrize(
    "label",
    ["", ".hidden", "-", "a/b", "a\\b", "a:b", "a\tb\x1b", "a\u202eb", "\ud800", "x" * 61, "a*"],
)
def test_labels_that_no_file_can_have_are_refused(label):
    with pytest.raises(typer.BadParameter, match="expected a label of 1 to 60 characters"):
        parsed_strategy(f"{label} = hybrid")


@given(st.text(string.ascii_letters + string.digits + " ._+,-äß東", min_size=1, max_size=60))
def test_a_label_comes_back(label):
    label = " ".join(label.split()).strip(".- ")
    if label and " --" not in f" {label}":
        assert parsed_strategy(f"{label} = vector").label == label


@given(st.text(max_size=80).filter(lambda text: "\x00" not in text))
def test_labels_that_are_made_are_ones_for_files(expander):
    label = ComparedStrategy("multi-query", {"expander": expander}).label
    assert label.startswith("multi-query,expander=")
    assert len(label) <= LONGEST_LABEL
    assert label.isprintable()
    assert not set(label) & set('/\\:*?"<>| ')

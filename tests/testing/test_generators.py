"""Generated values are legal, and reach the corners that break contracts."""

import builtins
import importlib
import sys

import numpy as np
import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from octavo import RAGContext, RetrievedDocument
from octavo import testing as kit
from octavo.columns.ranking import rank_hits
from octavo.testing import (
    contexts,
    document_lists,
    documents,
    metadata_filters,
    ranked_streams,
)


@given(documents(), contexts(max_results=5), metadata_filters())
def test_values_are_legal(document, context, filters):
    assert isinstance(document, RetrievedDocument)
    assert 1 <= context.max_results <= 5
    assert context.with_metadata_filters(filters).metadata_filters == filters


@given(document_lists(min_size=1, max_size=4))
def test_lists_have_distinct_ids(found):
    ids = [document.metadata["entryId"] for document in found]
    assert 1 <= len(set(ids)) == len(ids) <= 4


@given(ranked_streams(rows=5, max_hits=3))
def test_streams_are_in_order(hits):  # S6 S13
    assert hits.offsets[0] == 0
    assert hits.queries <= 4
    assert all(hits.counts() <= 3)
    ranked = rank_hits(hits)
    assert np.array_equal(ranked.rows, hits.rows)
    assert all(row in range(5) for row in hits.rows.tolist())
    pairs = list(zip(hits.query_of().tolist(), hits.rows.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))


@given(ranked_streams(queries=3))
def test_the_number_of_queries_can_be_given(hits):
    assert hits.queries == 3


def test_ties_and_near_misses_are_reached():
    find(document_lists(), lambda found: len({each.score for each in found}) < len(found))
    find(ranked_streams(), lambda hits: len(set(hits.scores.tolist())) < len(hits))
    tiers = st.lists(documents(), min_size=2).map(
        lambda found: {each.metadata.get("tier") for each in found}
    )
    find(tiers, lambda values: {"SEMANTIC", "semantic"} <= values)
    find(contexts(), lambda context: context != RAGContext() and not context.metadata_filters)


def test_without_hypothesis_the_extra_is_named(monkeypatch):
    real_import = builtins.__import__

    def refuse(name, *arguments, **options):
        if name.split(".")[0] == "hypothesis":
            raise ModuleNotFoundError(f"No module named {name!r}", name="hypothesis")
        return real_import(name, *arguments, **options)

    monkeypatch.delitem(sys.modules, "octavo.testing.generators")
    monkeypatch.delitem(kit.__dict__, "contexts", raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(
        ImportError, match=r"contexts needs hypothesis: pip install 'octavo\[testing\]'"
    ):
        kit.contexts  # noqa: B018
    monkeypatch.undo()
    assert callable(importlib.import_module("octavo.testing").contexts)


def test_the_public_names():
    assert set(kit.__all__) <= set(dir(kit))
    assert all(getattr(kit, name).__doc__ for name in kit.__all__)
    with pytest.raises(AttributeError, match="FakeEmbeding"):
        kit.FakeEmbeding  # noqa: B018

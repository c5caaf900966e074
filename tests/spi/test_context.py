"""RAGContext: immutable, checked when made (S4)."""

import dataclasses
import math
import pickle
from decimal import Decimal

import numpy as np
import pytest

from octavo.errors import FailureReason, InvalidArgumentError
from octavo.spi import RAGContext


def test_defaults_are_the_references():  # S4
    context = RAGContext()
    assert (context.max_results, context.min_score, dict(context.metadata_filters)) == (10, 0.0, {})


def test_deriving_leaves_the_original():  # S4
    first = RAGContext()
    second = first.with_max_results(3).with_min_score(-1).with_metadata_filters({"tier": "WORKING"})
    assert (second.max_results, second.min_score) == (3, -1.0)
    assert dict(second.metadata_filters) == {"tier": "WORKING"}
    assert first == RAGContext()


def test_it_cannot_be_changed():  # S4
    context = RAGContext()
    with pytest.raises(dataclasses.FrozenInstanceError):
        context.max_results = 2
    with pytest.raises(TypeError):
        context.metadata_filters["tier"] = "WORKING"


def test_filters_are_copied():  # S4
    owned = {"tier": "SEMANTIC"}
    context = RAGContext(metadata_filters=owned)
    owned["tier"] = "WORKING"
    assert dict(context.metadata_filters) == {"tier": "SEMANTIC"}


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u2003", "\u3000", None, 3, True])
def test_blank_or_non_string_filters_are_refused(blank):  # S4
    with pytest.raises(InvalidArgumentError, match="metadata_filters"):
        RAGContext(metadata_filters={"tier": blank})
    with pytest.raises(InvalidArgumentError, match="metadata_filters"):
        RAGContext(metadata_filters={blank: "SEMANTIC"})


@pytest.mark.parametrize("filters", [None, "tier", [("tier", "x")]])
def test_filters_must_be_a_mapping(filters):  # S4
    with pytest.raises(InvalidArgumentError, match="mapping"):
        RAGContext(metadata_filters=filters)


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "10", None])
def test_max_results_is_an_integer_of_at_least_one(value):  # S4
    with pytest.raises(InvalidArgumentError, match="max_results") as caught:
        RAGContext(max_results=value)
    assert caught.value.reason is FailureReason.VALIDATION


@pytest.mark.parametrize(
    "value",
    [
        math.nan, math.inf, -math.inf, 10**400, pytest.param(10**5000, id="5000 digits"), "0", None, True, np.bool_(True),
        np.array([0.5]), np.array(0.5), Decimal("sNaN"), Decimal("NaN"), 1j,
    ],
)  # fmt: skip
def test_min_score_is_finite(value):  # S4
    with pytest.raises(InvalidArgumentError, match="min_score"):
        RAGContext(min_score=value)


def test_it_is_pickled():  # S4
    context = RAGContext(3, 0.5, {"tier": "WORKING"})
    again = pickle.loads(pickle.dumps(context))
    assert again == context
    with pytest.raises(TypeError):
        again.metadata_filters["tier"] = "other"

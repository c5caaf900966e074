"""What counts as a number (S29), and errors as they travel."""

import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from octavo import errors
from octavo.errors import (
    DimensionMismatchError,
    FailureReason,
    InvalidArgumentError,
    RetrievalError,
    checked_count,
    checked_fraction,
    plain_text,
    shown,
    told,
)
from octavo.testing.violation import ContractViolationError

NO_NUMBERS = [
    True, np.bool_(True), np.bool_(False), None, "1", b"1", 1j, [1], np.array([0.5]), np.array([3]), np.array(3), np.array(0.5),
    np.array([1, 2]), Decimal("sNaN"), Decimal("NaN"), float("nan"), float("inf"), 2.5,
]  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [*NO_NUMBERS, 10**400, pytest.param(-(10**5000), id="5000 digits"), -0.1, Fraction(3, 2)],
)
def test_what_is_no_fraction(value):  # S29
    with pytest.raises(InvalidArgumentError, match="decay: expected a number from 0 to 1, found"):
        checked_fraction("decay", value)


@pytest.mark.parametrize(
    "value",
    [*NO_NUMBERS, 1.0, np.float64(1.0), 10**400, pytest.param(10**5000, id="5000 digits"), 0, -1],
)
def test_what_is_no_count(value):  # S29
    with pytest.raises(InvalidArgumentError, match="count: expected an integer from 1 to 9, found"):
        checked_count("count", value, 1, 9)


@pytest.mark.parametrize(
    "value", [1, 0.5, np.float32(0.5), np.float64(0.5), np.int64(1), Decimal("0.5"), Fraction(1, 2)]
)
def test_fractions(value):  # S29
    found = checked_fraction("decay", value)
    assert (type(found), found) == (float, float(value))


@pytest.mark.parametrize("value", [1, 9, np.int32(3), np.uint64(3)])
def test_counts(value):  # S29
    found = checked_count("count", value, 1, 9)
    assert (type(found), found) == (int, int(value))


class Hostile(str):
    """Text that raises whatever is done with it."""

    __slots__ = ()

    def _raise(self, *_):
        raise ZeroDivisionError

    __eq__ = __hash__ = __repr__ = __str__ = __format__ = __len__ = strip = _raise


def test_text_is_read_without_running_its_own_code():  # S43
    text = plain_text(Hostile("plain"))
    assert (type(text), text) == (str, "plain")
    assert plain_text(np.str_("numpy")) == "numpy"
    assert [plain_text(value) for value in (None, 1, b"bytes", ["a"])] == [None] * 4


def test_messages_name_the_type_of_what_cannot_be_shown():
    class SilentError(Exception):
        def __str__(self):
            raise ZeroDivisionError

    assert told(SilentError()) == "SilentError"
    assert told(KeyError("gone")) == "KeyError: 'gone'"
    assert shown(Hostile("plain")) == "a value of type Hostile"


PLAIN_ERRORS = [
    kind("what went wrong")
    for kind in vars(errors).values()
    if isinstance(kind, type)
    and issubclass(kind, errors.OctavoError)
    and kind is not DimensionMismatchError
]


@pytest.mark.parametrize(
    "error",
    [
        *PLAIN_ERRORS,
        DimensionMismatchError("query vectors", 128, 64),
        RetrievalError("late", FailureReason.TIMEOUT),
        ContractViolationError("S7", "expected one, found two"),
    ],
    ids=repr,
)
def test_an_error_survives_the_way_between_processes(error):
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is type(error)
    assert str(found) == str(error)
    assert vars(found) == vars(error)

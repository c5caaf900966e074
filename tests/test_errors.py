"""What counts as a number (S29)."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from octavo.errors import InvalidArgumentError, checked_count, checked_fraction

NO_NUMBERS = [
    True, np.bool_(True), np.bool_(False), None, "1", b"1", 1j, [1], np.array([0.5]), np.array([3]),
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

from decimal import Decimal

import pytest

from octavo.columns.streams import in_stream


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (8.5, "2 (8.5000)"),
        (0.0, "2 (0.0000)"),
        (-3e-9, "2 (-3e-09)"),
        (float("nan"), "2 (nan)"),
        (7, "2 (7)"),
        (Decimal("1.50"), "2 (1.50)"),
        ("n/a", "2 (n/a)"),  # the column of another system, whose name only looks like a score
        ([1, 2], "2 ([1, 2])"),
    ],
)
def test_any_value_can_be_shown(score, shown):
    assert in_stream({"x_rank": 2, "x_score": score}, "x") == shown


def test_a_small_multiplier_is_not_nothing():
    assert in_stream({"multiplier": 0.00004}, "multiplier") == "4e-05"
    assert in_stream({"multiplier": 0.25}, "multiplier") == "0.2500"
    assert in_stream({}, "multiplier") is None

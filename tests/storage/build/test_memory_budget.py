"""The memory budget of a build."""

import pytest

from octavo.errors import InvalidArgumentError
from octavo.storage.build.memory_budget import (
    LARGEST_HEAP,
    MIB,
    SMALLEST_HEAP,
    MemoryBudget,
    parse_budget,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2GiB", 2 << 30),
        ("2g", 2 << 30),
        (" 1.5 GB ", 3 << 29),
        ("600M", 600 * MIB),
        ("1073741824", 1 << 30),
        (1 << 30, 1 << 30),
    ],
)
def test_sizes(text, expected):
    assert parse_budget(text).total == expected


@pytest.mark.parametrize(
    "value", ["", "2XB", "-1GiB", "GiB", "nan", True, 2.5, "1GiB2", "9" * 400 + "T"]
)
def test_other_texts_are_refused(value):
    with pytest.raises(InvalidArgumentError, match="memory budget"):
        parse_budget(value)


def test_too_small_is_refused():
    with pytest.raises(InvalidArgumentError, match="512MiB"):
        parse_budget("511MiB")


def test_default_is_at_least_the_smallest():
    assert parse_budget(None).total >= 512 * MIB


@pytest.mark.parametrize("total", [512 * MIB, 2048 * MIB, 64 * 1024 * MIB])
@pytest.mark.parametrize("writers", [1, 2, 16])
def test_heaps_stay_inside(total, writers):
    heap = MemoryBudget(total).heap(writers)
    assert SMALLEST_HEAP <= heap <= LARGEST_HEAP
    assert heap * writers <= total or heap == SMALLEST_HEAP


def test_structures_get_what_libraries_leave():
    assert MemoryBudget(512 * MIB).working == 128 * MIB
    assert MemoryBudget(0).working == 0

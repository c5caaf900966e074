"""Commits that merge nothing, so that a small index has several segments."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from octavo.columns.tiers import Tiers


@contextmanager
def unmerged() -> Iterator[None]:
    """Keep every segment as it is at the commits inside."""

    def apart(_: Tiers, sizes: list[int]) -> list[range]:
        return [range(place, place + 1) for place in range(len(sizes))]

    with mock.patch.object(Tiers, "groups", apart):
        yield

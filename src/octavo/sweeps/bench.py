"""Queries whose candidates are kept, ranked by a strategy with one setting after another."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from octavo.corpus.blocks import split_queries
from octavo.corpus.option_values import expander
from octavo.corpus.options import expansion_mode, has_option
from octavo.corpus.searchable import SearchableCorpus
from octavo.errors import InvalidArgumentError, shown
from octavo.parallel import ordered_map
from octavo.spi import RAGContext
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.clock import system_clock
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.queries import Queries
from octavo.sweeps.grid import split_options
from octavo.sweeps.remembered import RememberedExpander, remembering


class SweepBench:
    """Ranks the same queries again and again, and searches once.

    Parameters
    ----------
    corpus
        What is searched.
    strategy
        The name of the strategy.
    queries
        The queries.
    context
        Limits and filters.
    options
        Options that stay as they are. Where the strategy asks for the time, it stays too.

    Raises
    ------
    InvalidArgumentError
        A child is not given by its name: its candidates could not be kept.
    """

    def __init__(
        self,
        corpus: SearchableCorpus,
        strategy: str,
        queries: Queries,
        context: RAGContext,
        options: Mapping[str, Any],
    ) -> None:
        self._corpus = remembering(corpus)
        self._name = strategy
        self._context = context
        self._now = system_clock().isoformat()
        ids = pa.array([""] * len(queries), pa.string())
        self.blocks = [block.queries for block in split_queries(ids, queries)]
        self._options = self._kept(strategy, options)

    @property
    def snapshot(self) -> Snapshot:
        """The store of the corpus, whose searches are remembered."""
        return self._corpus.keyword_index

    def strategy(self, point: Mapping[str, Any]) -> ColumnarStrategy:
        """Return the strategy at a point.

        Raises
        ------
        InvalidArgumentError
            It has no such option, or a value is out of range.
        ConfigurationError
            It, or its child, is none for an index in shards.
        """
        own, inner = split_options({**self._options, **point})
        if inner and not has_option(self._name, "child"):
            raise InvalidArgumentError(
                f"strategy {self._name!r}: no option child, found {', '.join(map(repr, inner))} of one"
            )
        if inner:
            child = own.get("child") or self._corpus.default_strategy
            own["child"] = self._corpus.strategy(child, **self._kept(child, inner))
        return self._corpus.strategy(self._name, **own)

    def rankings(self, point: Mapping[str, Any]) -> list[Ranking]:
        """Return the ranking of each block of queries at a point."""
        strategy = self.strategy(point)
        return [strategy.rank(block, self._context) for block in self.blocks]

    def search(self, point: Mapping[str, Any], threads: int) -> None:
        """Rank at a point with all threads at once, so that what it finds is remembered."""
        strategy = self.strategy(point)
        for _ in ordered_map(
            lambda block: strategy.rank(block, self._context), self.blocks, threads=threads
        ):
            pass

    def _kept(self, name: object, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options with what would be asked again made once."""
        if not isinstance(name, str):
            raise InvalidArgumentError(
                f"child: expected the name of a strategy, found {shown(name)}"
            )
        kept = dict(options)
        child = kept.get("child")
        if child is not None and not isinstance(child, str):
            raise InvalidArgumentError(
                f"child: expected the name of a strategy, found {shown(child)}"
            )
        if has_option(name, "now") and kept.get("now") is None:
            kept["now"] = self._now
        given = kept.get("expander")
        if has_option(name, "expander") and given is not None:
            kept["mode"] = expansion_mode(given, kept.get("mode"))
            if not isinstance(given, RememberedExpander):
                kept["expander"] = RememberedExpander(expander(given))
        return kept


def deepest_point(points: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the point whose streams hold those of the others, as far as that can be told."""

    def depth(point: Mapping[str, Any]) -> int:
        given = [value for name, value in point.items() if name.endswith("candidate_depth")]
        return max((value for value in given if isinstance(value, int)), default=0)

    return max(points, key=depth)

"""What ten times the documents cost: each size beside the one before, in turn, in one process."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from octavo.benchmark.bench import DEPTH, Bench
from octavo.benchmark.measure import Measure, Pair, Unit
from octavo.benchmark.timing import Timed
from octavo.corpus import Corpus
from octavo.spi import RAGContext

STRATEGIES = ("keyword", "vector", "hybrid")
_SINGLE = 8


def _search(bench: Bench, *, strategy: str, sizes: tuple[int, int]) -> Pair:
    def timed(size: int) -> Timed:
        other = bench.of_size(size)
        chosen, context = other.corpus.strategy(strategy), RAGContext(DEPTH)
        block = other.block
        pieces = [block[at : at + 1] for at in range(min(_SINGLE, len(block)))]
        return Timed(lambda: [chosen.rank(piece, context) for piece in pieces], len(pieces))

    return Pair(timed(sizes[0]), timed(sizes[1]))


def _open(bench: Bench, *, sizes: tuple[int, int]) -> Pair:
    def timed(size: int) -> Timed:
        path = bench.of_size(size).corpus.path
        return Timed(lambda: Corpus.open(path))

    return Pair(timed(sizes[0]), timed(sizes[1]))


def growth_measures(sizes: Sequence[int]) -> tuple[Measure, ...]:
    """Return the measures for each size but the smallest."""
    measures = []
    for smaller, larger in pairwise(sizes):
        pair = (larger, smaller)
        measures += [
            Measure(
                name=f"growth.{strategy}.{larger}",
                what=f"one {strategy} query, {larger:,} documents",
                unit=Unit.QUERY,
                baseline=f"{smaller:,} documents",
                prepare=partial(_search, strategy=strategy, sizes=pair),
            )
            for strategy in STRATEGIES
        ]
        measures.append(
            Measure(
                name=f"growth.open.{larger}",
                what=f"Corpus.open, {larger:,} documents",
                unit=Unit.CALL,
                baseline=f"{smaller:,} documents",
                prepare=partial(_open, sizes=pair),
            )
        )
    return tuple(measures)

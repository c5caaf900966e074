"""All measures that need no peer, in the order in which they run."""

from collections.abc import Sequence

from octavo.benchmark.measure import Measure
from octavo.benchmark.measures import batch, engine, memory, micro, start, storage, strategy
from octavo.benchmark.measures.growth import growth_measures


def measures(growth: Sequence[int] = ()) -> tuple[Measure, ...]:
    """Return every measure; growth over ``growth`` documents, of which there are at least two.

    Examples
    --------
    >>> measures()[0].name
    'micro.fusion'
    """
    return (
        *micro.MEASURES,
        *engine.MEASURES,
        *strategy.MEASURES,
        *batch.MEASURES,
        *storage.MEASURES,
        *memory.MEASURES,
        *start.MEASURES,
        *growth_measures(growth),
    )

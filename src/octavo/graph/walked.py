"""What every walk over a graph gives: visited nodes as hits, and what each tells of itself."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits, Part
from octavo.engines.report import SearchReport
from octavo.errors import ExecutionError
from octavo.graph.walk_nodes import WalkNodes
from octavo.spi import GraphMetadata


class Walked(NamedTuple):
    """The visited nodes of each query, in no promised order within a query."""

    hits: Hits
    nodes: WalkNodes
    report: SearchReport
    seeds: Hits
    """Where each query's walk started, best first; row -1 where a seed was not visited."""


def walk_parts(hops: NDArray[np.int32], seed_scores: NDArray[np.float64]) -> dict[str, Part]:
    """Return the parts from which a score can be recomputed: ``seed_score * decay^hops``."""
    return {
        "hops": Part(hops, key=GraphMetadata.HOPS),
        "seed_score": Part(seed_scores, key=GraphMetadata.SEED_SCORE),
    }


def too_many_paths(where: str, query: int) -> ExecutionError:
    """Return the failure of a walk that could not be exact within its means."""
    return ExecutionError(
        f"{where}: query {query}: seeds with scores below zero start too many paths; "
        "lower max_depth, or give scores of at least 0"
    )

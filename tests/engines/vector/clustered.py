"""Vectors in clusters, and indexes over them that the tests of approximate search share."""

import numpy as np

from octavo.engines.vector.approximate import ApproximateVectorIndex, Structure
from octavo.engines.vector.inverted_lists import InvertedLists
from octavo.engines.vector.list_building import build_lists
from octavo.engines.vector.neighbour_graph import NeighbourGraph, build_graph
from octavo.engines.vector.width import SearchWidth
from octavo.kernels.unit_length import unit_length


def clustered(rows, dimensions=24, clusters=40, seed=6):
    random = np.random.default_rng(seed)
    centres = random.standard_normal((clusters, dimensions))
    owner = random.integers(0, clusters, rows)
    return unit_length(centres[owner] + 0.6 * random.standard_normal((rows, dimensions)))


def lists_of(vectors, present=None, threads=1):
    return InvertedLists(*build_lists(vectors, present, threads=threads))


def with_lists(vectors, present=None, efforts=(12, 16, 20, 24), nominees=128):
    structure = Structure(lists_of(vectors, present), SearchWidth(efforts, nominees))
    return ApproximateVectorIndex([vectors], [present], [structure])


def with_graph(vectors, present=None, breadth=128):
    structure = Structure(
        NeighbourGraph(build_graph(vectors)),
        SearchWidth((breadth, 2 * breadth, 4 * breadth), breadth),
    )
    return ApproximateVectorIndex([vectors], [present], [structure])

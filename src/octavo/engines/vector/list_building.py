"""Build inverted lists: find centroids, assign every vector to one, and store its code there.

Everything is trained on a bounded sample by one thread from fixed seeds, and the rest is computed
in blocks of fixed size, so the same vectors give the same file whatever the number of threads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import faiss
import numpy as np
from numpy.typing import NDArray

from octavo.engines.choice import list_count, slice_width, training_rows
from octavo.engines.vector.nomination import one_thread
from octavo.engines.vector.nominator import FaissObject
from octavo.kernels.quantize import CENTROIDS, quantize
from octavo.parallel import ordered_map

_SEED = 1234
_ITERATIONS = 6  # more move recall by less than its noise (measured)
_ASSIGNED_ROWS = 1024
_LISTS_AT_A_TIME = 16
_LEAST_TRAINING = 64 * CENTROIDS


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """Rows in the order of their lists; list ``i`` holds ``order[bounds[i]:bounds[i + 1]]``."""

    vectors: NDArray[np.float32]
    order: NDArray[np.int64]
    bounds: NDArray[np.int64]


def build_lists(
    vectors: NDArray[np.float32],
    present: NDArray[np.bool_] | None,
    *,
    threads: int,
    centroids: NDArray[np.float32] | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[FaissObject, NDArray[np.int32]]:
    """Build the lists of one segment.

    Parameters
    ----------
    vectors
        Unit-length float32, shape ``(n, dimensions)``, C-contiguous; memory-mapped is fine.
    present
        Where a row has a vector; ``None``: everywhere. At least one row does.
    threads
        For assigning and coding; training takes one.
    centroids
        Those of another segment, to share them; by default new ones are trained.
    progress
        Told how many rows are done.

    Returns
    -------
    index, list_of_row
        FAISS's index, to be written, and the list of each row (int32, -1 without a vector).

    Notes
    -----
    O(n * lists * dimensions). Beside the result it keeps the training sample, 12 bytes a row and a
    few blocks in memory.
    """
    rows = np.arange(len(vectors)) if present is None else np.flatnonzero(present)
    sample = _sample(vectors, rows)
    if centroids is None:
        centroids = train_centroids(sample, list_count(len(rows)))
    index = _trained_index(sample, centroids)
    list_of_row = _assign(vectors, index.quantizer, threads)
    if present is not None:
        list_of_row[~present] = -1
    _fill(index, vectors, list_of_row, threads, progress)
    return index, list_of_row


def train_centroids(sample: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Return ``count`` unit-length centroids of a sample, by spherical k-means."""
    clustering = faiss.Clustering(sample.shape[1], count)
    clustering.niter = _ITERATIONS
    clustering.seed = _SEED
    clustering.spherical = True
    clustering.min_points_per_centroid = 1
    clustering.max_points_per_centroid = len(sample)
    with one_thread():
        clustering.train(sample, faiss.IndexFlatIP(sample.shape[1]))
    return faiss.vector_to_array(clustering.centroids).reshape(count, sample.shape[1])


def _sample(vectors: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the vectors to train on; few ones are repeated, as training asks for a minimum."""
    chosen = np.random.default_rng(_SEED).permutation(len(rows))[: training_rows(len(rows))]
    sample = vectors.take(rows[np.sort(chosen)], axis=0)
    if len(sample) < _LEAST_TRAINING:
        sample = np.tile(sample, (-(-_LEAST_TRAINING // len(sample)), 1))
    return np.ascontiguousarray(sample)


def _trained_index(sample: NDArray[np.float32], centroids: NDArray[np.float32]) -> FaissObject:
    lists, dimensions = centroids.shape
    nearest = faiss.IndexFlatIP(dimensions)
    nearest.add(np.ascontiguousarray(centroids))
    slices = dimensions // slice_width(dimensions)
    index: FaissObject = faiss.IndexIVFPQFastScan(
        nearest, dimensions, lists, slices, 4, faiss.METRIC_INNER_PRODUCT
    )
    index.by_residual = False
    index.pq.cp.seed = _SEED
    index.pq.cp.min_points_per_centroid = 1
    with one_thread():
        index.train(sample[:: max(1, len(sample) // (1 << 15))])
    return index


def _assign(
    vectors: NDArray[np.float32], centroids: FaissObject, threads: int
) -> NDArray[np.int32]:
    """Return the nearest centroid of each row."""
    list_of_row = np.empty(len(vectors), np.int32)

    def assign(start: int) -> None:
        block = vectors[start : start + _ASSIGNED_ROWS]
        with one_thread():
            # Keeps the best only: a matrix of all distances costs more to write than to compute.
            _, nearest = centroids.search(block, 1)
        list_of_row[start : start + len(block)] = nearest[:, 0]

    for _ in ordered_map(assign, range(0, len(vectors), _ASSIGNED_ROWS), threads=threads):
        pass
    return list_of_row


def _fill(
    index: FaissObject,
    vectors: NDArray[np.float32],
    list_of_row: NDArray[np.int32],
    threads: int,
    progress: Callable[[int], None],
) -> None:
    """Code the rows list by list, in ascending order, and hand each list its blocks of codes."""
    order = np.argsort(list_of_row, kind="stable")
    order = order[np.count_nonzero(list_of_row < 0) :]
    sizes = np.bincount(list_of_row[order], minlength=index.nlist)
    table = _transposed(index)
    packer = index.get_CodePacker()
    starts = range(0, index.nlist, _LISTS_AT_A_TIME)
    lists = _Lists(vectors, order, np.append(0, np.cumsum(sizes)))
    pack = partial(_packed, lists, table, packer)
    done = 0
    for packed in ordered_map(pack, starts, threads=threads):
        for number, rows, codes in packed:
            index.invlists.add_entries(
                number, len(rows), faiss.swig_ptr(rows), faiss.swig_ptr(codes)
            )
            done += len(rows)
        progress(done)
    index.ntotal = done


def _transposed(index: FaissObject) -> NDArray[np.float32]:
    """Return the centroids of all slices as the coding kernel reads them."""
    quantizer = index.pq
    flat: NDArray[np.float32] = faiss.vector_to_array(quantizer.centroids)
    slices = flat.reshape(quantizer.M, CENTROIDS, quantizer.dsub)
    return np.ascontiguousarray(slices.transpose(0, 2, 1).reshape(index.d, CENTROIDS))


def _packed(
    lists: _Lists, table: NDArray[np.float32], packer: FaissObject, first: int
) -> list[tuple[int, NDArray[np.int64], NDArray[np.uint8]]]:
    """Return rows and packed codes of a few lists, those without rows left out."""
    packed = []
    width = slice_width(lists.vectors.shape[1])
    for number in range(first, min(first + _LISTS_AT_A_TIME, len(lists.bounds) - 1)):
        rows = lists.order[lists.bounds[number] : lists.bounds[number + 1]]
        if len(rows) == 0:
            continue
        blocks = -(-len(rows) // packer.nvec)
        flat = np.zeros((blocks * packer.nvec, packer.code_size), np.uint8)
        quantize(lists.vectors, rows, table, width, flat)
        codes = np.zeros((blocks, packer.block_size), np.uint8)
        for block, start in enumerate(range(0, len(flat), packer.nvec)):
            packer.pack_all(faiss.swig_ptr(flat[start:]), faiss.swig_ptr(codes[block]))
        packed.append((number, rows, codes))
    return packed

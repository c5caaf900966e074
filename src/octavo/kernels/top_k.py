"""A bounded heap that keeps the best k of many, ordered by (score descending, row ascending).

The heap holds *slots*: numbers that index the arrays of scores and rows. Its root is the worst slot
kept, so the next item is compared with one value. Many heaps share one array, each from its own
``base``. Equal (score, row) pairs are settled by slot, so the order is total and nothing depends
on how items arrived. ``select_best`` chooses from items that are all there; the heap itself serves
items that come in blocks.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

_SCORES = readonly(types.float64)
_ROWS = readonly(types.int64)
_HEAP = writable(types.int64)

# Up to here moving the few kept slots aside is faster than a heap, whose branches cannot be
# predicted (measured).
_FEW = 32


@kernel(types.boolean(_SCORES, _ROWS, types.int64, types.int64))
def precedes(scores: NDArray[np.float64], rows: NDArray[np.int64], first: int, second: int) -> bool:
    """Return whether slot ``first`` ranks before slot ``second`` (S6)."""
    if scores[first] != scores[second]:
        return bool(scores[first] > scores[second])
    if rows[first] != rows[second]:
        return bool(rows[first] < rows[second])
    return first < second


@kernel(types.void(_HEAP, types.int64, types.int64, _SCORES, _ROWS))
def sift_down(
    heap: NDArray[np.int64],
    base: int,
    size: int,
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> None:
    """Restore the heap of ``size`` slots at ``base`` after its root changed; O(log size)."""
    slot = heap[base]
    position = 0
    while 2 * position + 1 < size:
        child = 2 * position + 1
        if child + 1 < size and precedes(scores, rows, heap[base + child], heap[base + child + 1]):
            child += 1
        if precedes(scores, rows, heap[base + child], slot):
            break
        heap[base + position] = heap[base + child]
        position = child
    heap[base + position] = slot


@kernel(types.void(_HEAP, types.int64, types.int64, types.int64, _SCORES, _ROWS))
def push(
    heap: NDArray[np.int64],
    base: int,
    size: int,
    slot: int,
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> None:
    """Add ``slot`` to the heap of ``size`` slots at ``base``; O(log size)."""
    position = size
    while position > 0:
        parent = (position - 1) // 2
        if precedes(scores, rows, slot, heap[base + parent]):
            break
        heap[base + position] = heap[base + parent]
        position = parent
    heap[base + position] = slot


@kernel(types.void(_HEAP, types.int64, types.int64, _SCORES, _ROWS))
def sort_heap(
    heap: NDArray[np.int64],
    base: int,
    size: int,
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> None:
    """Turn the heap of ``size`` slots at ``base`` into a list, best first; O(size log size)."""
    for end in range(size - 1, 0, -1):
        worst = heap[base]
        heap[base] = heap[base + end]
        heap[base + end] = worst
        sift_down(heap, base, end, scores, rows)


@kernel(types.void(_HEAP, types.int64, readonly(types.int64), _SCORES, _ROWS))
def sort_heaps(
    heap: NDArray[np.int64],
    capacity: int,
    sizes: NDArray[np.int64],
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> None:
    """Sort, best first, the heap of ``sizes[i]`` slots at ``i * capacity``, for every ``i``."""
    for number in range(sizes.shape[0]):
        sort_heap(heap, number * capacity, sizes[number], scores, rows)


@kernel(
    types.int64(_SCORES, _ROWS, types.int64, types.int64, types.int64, _HEAP, types.int64, _HEAP)
)
def select_best(
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
    start: int,
    stop: int,
    limit: int,
    best: NDArray[np.int64],
    base: int,
    scratch: NDArray[np.int64],
) -> int:
    """Write the ``limit`` best slots from ``start`` to ``stop`` to ``best``, in order.

    Parameters
    ----------
    scores, rows
        What the slots index.
    start, stop
        The slots to choose from.
    limit
        The number of slots to keep, at least 0.
    best, base
        Where to write: from ``best[base]`` on.
    scratch
        At least ``2 * min(limit, stop - start)`` values.

    Returns
    -------
    int
        The number of slots written, ``min(limit, stop - start)``.

    Notes
    -----
    O(n log limit). Slots that come in order already form a run and cost one comparison each; only
    those that rise above its end go through the heap.
    """
    kept = 0
    if limit <= _FEW:
        for slot in range(start, stop):
            if kept == limit:
                if limit == 0 or not precedes(scores, rows, slot, best[base + kept - 1]):
                    continue
                kept -= 1
            place = base + kept
            while place > base and precedes(scores, rows, slot, best[place - 1]):
                best[place] = best[place - 1]
                place -= 1
            best[place] = slot
            kept += 1
        return kept

    run = min(limit, stop - start)  # the run lies in scratch behind the heap
    in_heap = 0
    in_run = 0
    for slot in range(start, stop):
        if in_run == 0 or precedes(scores, rows, scratch[run + in_run - 1], slot):
            if in_run < limit:
                scratch[run + in_run] = slot
                in_run += 1
        elif in_heap < limit:
            push(scratch, 0, in_heap, slot, scores, rows)
            in_heap += 1
        elif precedes(scores, rows, slot, scratch[0]):
            scratch[0] = slot
            sift_down(scratch, 0, in_heap, scores, rows)
    sort_heap(scratch, 0, in_heap, scores, rows)

    from_heap = 0
    from_run = 0
    while kept < limit and from_heap + from_run < in_heap + in_run:
        if from_heap == in_heap or (
            from_run < in_run
            and precedes(scores, rows, scratch[run + from_run], scratch[from_heap])
        ):
            best[base + kept] = scratch[run + from_run]
            from_run += 1
        else:
            best[base + kept] = scratch[from_heap]
            from_heap += 1
        kept += 1
    return kept

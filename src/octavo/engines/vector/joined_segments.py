"""Join small segments that follow one another, since each segment costs a search some time.

An index that is updated has many: every commit adds one. Their vectors are copied into memory when
the index is opened; rows, hits and scores stay the same.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.columns.vector_codes import VectorCodes
from octavo.engines.vector.segments import VectorSegments

Kind = TypeVar("Kind", bound=np.generic)

_SMALL_BYTES = 1 << 21
"""Segments of vectors up to here are joined; the work in larger ones hides what each costs."""
_JOINED_BYTES = 1 << 26
"""The most that are held in one piece."""


def join_small(segments: VectorSegments, apart: Sequence[bool]) -> tuple[VectorSegments, list[int]]:
    """Return the same rows in fewer segments, and the first old segment of each.

    Parameters
    ----------
    segments
        The segments as they are stored.
    apart
        For each whether it must stay by itself.
    """
    runs = list(_runs(segments, apart))
    firsts = [run[0] for run in runs]
    if len(runs) == len(segments.matrices):
        return segments, firsts
    joined = VectorSegments(
        [_together([segments.matrices[number] for number in run]) for run in runs],
        [_joined_flags(segments, run) for run in runs],
        [_joined_codes(segments, run) for run in runs],
    )
    return joined, firsts


def _runs(segments: VectorSegments, apart: Sequence[bool]) -> Iterator[list[int]]:
    run: list[int] = []
    size = 0
    for number, matrix in enumerate(segments.matrices):
        small = matrix.nbytes <= _SMALL_BYTES and not apart[number]
        alike = bool(run) and (segments.codes[number] is None) == (segments.codes[run[0]] is None)
        if run and not (small and size and alike and size + matrix.nbytes <= _JOINED_BYTES):
            yield run
            run, size = [], 0
        run.append(number)
        size = size + max(1, matrix.nbytes) if small else 0
    yield run


def _joined_flags(segments: VectorSegments, run: Sequence[int]) -> NDArray[np.bool_] | None:
    flags = [segments.present[number] for number in run]
    if all(each is None for each in flags):
        return None
    return _together(
        [
            np.ones(len(segments.matrices[number]), np.bool_) if each is None else each
            for number, each in zip(run, flags, strict=True)
        ]
    )


def _joined_codes(segments: VectorSegments, run: Sequence[int]) -> VectorCodes | None:
    codes = [each for number in run if (each := segments.codes[number]) is not None]
    if not codes:
        return None
    return VectorCodes(
        _together([each.codes for each in codes]), _together([each.bounds for each in codes])
    )


def _together(arrays: Sequence[NDArray[Kind]]) -> NDArray[Kind]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)

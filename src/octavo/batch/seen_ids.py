"""Noticing a repeated id among any number of ids, with bounded memory."""

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

import numpy as np

RUN_LENGTH = 1 << 18
"""Ids held in memory, about 30 MB, before they become a sorted run on disk."""

_DIGEST = np.dtype("S16")


class SeenIds:
    """Ids seen so far, as 128-bit digests: the recent in a set, the rest in sorted files.

    The files are memory-mapped, 16 bytes an id. Checking a block of ids costs a binary search in
    each file. Two different ids with one digest are not to be expected in the life of the universe.

    Parameters
    ----------
    directory
        Where to put the files; they are the owner's to remove.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._recent: set[bytes] = set()
        self._runs: list[np.ndarray] = []

    def add(self, ids: Iterable[str]) -> int | None:
        """Add ids; return the position of the first that was seen before, or ``None``."""
        digests = [blake2b(identifier.encode(), digest_size=16).digest() for identifier in ids]
        repeated = self._first_in_runs(digests)
        for position, digest in enumerate(digests[:repeated]):
            if digest in self._recent:
                return position
            self._recent.add(digest)
        if len(self._recent) >= RUN_LENGTH:
            self._start_run()
        return repeated

    def _first_in_runs(self, digests: list[bytes]) -> int | None:
        found: int | None = None
        wanted = np.array(digests, _DIGEST)
        for run in self._runs:
            places = np.minimum(np.searchsorted(run, wanted), len(run) - 1)
            matches = np.flatnonzero(run[places] == wanted)
            if len(matches):
                first = int(matches[0])
                found = first if found is None else min(found, first)
        return found

    def _start_run(self) -> None:
        path = self._directory / f"seen-{len(self._runs):06d}.npy"
        np.save(path, np.sort(np.array(list(self._recent), _DIGEST)))
        self._runs.append(np.load(path, mmap_mode="r"))
        self._recent = set()

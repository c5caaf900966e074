"""Selections in the form that structures read, remembered from one search to the next."""

import threading
import weakref
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from octavo.engines.vector.nominator import Admitted
from octavo.engines.vector.segments import VectorSegments

_REMEMBERED = 16


class RememberedFilters:
    """The last selections, made once for each array of booleans that nobody can change."""

    def __init__(self, segments: VectorSegments) -> None:
        self._segments = segments
        self._lock = threading.Lock()
        self._made: OrderedDict[
            int, tuple[weakref.ref[NDArray[np.bool_]], list[Admitted | None]]
        ] = OrderedDict()

    def of(self, flags: NDArray[np.bool_]) -> list[Admitted | None]:
        """Return the admitted rows of each segment; remembered where nobody can change ``flags``."""
        if flags.flags.writeable:
            return self._make(flags)
        with self._lock:
            known = self._made.get(id(flags))
            if known is not None and known[0]() is flags:
                self._made.move_to_end(id(flags))
                return known[1]
        made = self._make(flags)
        with self._lock:
            self._made[id(flags)] = (weakref.ref(flags), made)
            while len(self._made) > _REMEMBERED:
                self._made.popitem(last=False)
        return made

    def _make(self, flags: NDArray[np.bool_]) -> list[Admitted | None]:
        made: list[Admitted | None] = []
        for number in range(len(self._segments.matrices)):
            own = self._segments.searchable(number, flags)
            made.append(Admitted(np.zeros(0, np.bool_) if own is None else own))
        return made

"""Which of many things were used last; the others are told to give back what they can."""

import itertools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class RecentlyUsed(Generic[Thing]):
    """Remembers the last things used, without keeping them alive.

    Parameters
    ----------
    most
        How many.
    release
        Called with each that is no longer among them, unless it is gone.

    Examples
    --------
    >>> class Room: ...
    >>> first, second = Room(), Room()
    >>> rooms = RecentlyUsed(1, lambda room: print(room is first))
    >>> rooms.use(first)
    >>> rooms.use(second)
    True
    """

    def __init__(self, most: int, release: Callable[[Thing], object]) -> None:
        self._most = most
        self._release = release
        self._guard = threading.Lock()
        self._numbers = itertools.count()
        self._used: OrderedDict[int, weakref.ref[Thing]] = OrderedDict()
        self._number_of: weakref.WeakKeyDictionary[Thing, int] = weakref.WeakKeyDictionary()

    def use(self, thing: Thing) -> None:
        """Say that something is used now."""
        oldest = None
        with self._guard:
            earlier = self._number_of.get(thing)
            if earlier is not None:
                self._used.pop(earlier, None)
            number = next(self._numbers)
            self._number_of[thing] = number
            self._used[number] = weakref.ref(thing)
            if len(self._used) > self._most:
                oldest = self._used.popitem(last=False)[1]()
        if oldest is not None:
            self._release(oldest)

"""Numbers for the distinct texts of a stream, in memory for the distinct ones only."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis.buffers import TextBuffers, text_array, text_buffers
from octavo.kernels.fnv import hash_texts
from octavo.kernels.text_numbers import move_slots, number_texts

_FIRST_SLOTS: Final = 1 << 12


class TextNumbers:
    """Gives each distinct text of a stream one int32 number, in order of first appearance.

    Texts are told apart by their bytes, never by a hash alone. Memory: the distinct texts, and 24
    to 48 bytes for each.

    Examples
    --------
    >>> numbers = TextNumbers()
    >>> numbers.add(pa.array(["b", "a", "b"], pa.large_string())).tolist()
    [0, 1, 0]
    >>> numbers.add(pa.array(["c", "a"], pa.large_string())).tolist()
    [2, 1]
    >>> numbers.texts().to_pylist()
    ['b', 'a', 'c']
    """

    def __init__(self) -> None:
        self._known = 0
        self._table = np.zeros(_FIRST_SLOTS, np.uint64)
        self._ends = np.zeros(1, np.int64)
        self._text = np.zeros(0, np.uint8)

    def __len__(self) -> int:
        return self._known

    def add(self, texts: pa.LargeStringArray) -> NDArray[np.int32]:
        """Return the number of each text, none of which is null; O(bytes).

        There must be fewer than 2**31 distinct texts.
        """
        buffers = text_buffers(texts)
        offsets = buffers.offsets
        self._make_room(len(texts), int(offsets[-1] - offsets[0]))
        numbers = np.empty(len(texts), np.int32)
        with np.errstate(over="ignore"):  # products wrap on purpose; without JIT numpy warns
            self._known = number_texts(
                hash_texts(texts),
                offsets,
                buffers.data,
                self._table,
                self._ends,
                self._text,
                self._known,
                numbers,
            )
        return numbers

    def texts(self, start: int = 0) -> pa.LargeStringArray:
        """Return the texts from number ``start`` on, over the memory in which they are kept."""
        return text_array(TextBuffers(self._text, self._ends[start : self._known + 1]))

    def _make_room(self, texts: int, size: int) -> None:
        """Make room for further texts of ``size`` bytes together, should all be new."""
        texts += self._known
        if len(self._ends) <= texts:
            self._ends = _longer(self._ends, self._known + 1, texts + 1)
        used = int(self._ends[self._known])
        if len(self._text) < used + size:
            self._text = _longer(self._text, used, used + size)
        if len(self._table) < 2 * texts:
            larger = np.zeros(1 << (2 * texts - 1).bit_length(), np.uint64)
            move_slots(self._table, larger)
            self._table = larger


def _longer(values: NDArray[Any], used: int, needed: int) -> NDArray[Any]:
    longer = np.empty(max(needed, len(values) + len(values) // 2), values.dtype)
    longer[:used] = values[:used]
    return longer

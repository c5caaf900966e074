"""One code point from UTF-8 and back, for kernels that walk over text."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

_CODE_POINTS = 0x110000
_pair = types.Tuple((types.int64, types.int64))  # type: ignore[no-untyped-call]


@kernel(_pair(readonly(types.uint8), types.int64, types.int64))
def decode(text: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """Return the code point at a byte and where the next one begins; -1 where it is no UTF-8."""
    first = int(np.int64(text[at]))
    if first < 0x80:
        return first, at + 1
    if first >= 0xF0:
        length = 4
        code_point = first & 0x07
    elif first >= 0xE0:
        length = 3
        code_point = first & 0x0F
    else:
        length = 2
        code_point = first & 0x1F
    if first < 0xC0 or at + length > end:
        return -1, at + 1
    for follower in range(at + 1, at + length):
        code_point = (code_point << 6) | (int(np.int64(text[follower])) & 0x3F)
    if code_point >= _CODE_POINTS:
        return -1, at + 1
    return code_point, at + length


@kernel(types.int64(types.int64, writable(types.uint8), types.int64))
def encode(code_point: int, out: NDArray[np.uint8], to: int) -> int:
    """Write one code point as UTF-8; return where the next one goes."""
    if code_point < 0x80:
        out[to] = np.uint8(code_point)
        return to + 1
    if code_point < 0x800:
        out[to] = np.uint8(0xC0 | (code_point >> 6))
        out[to + 1] = np.uint8(0x80 | (code_point & 0x3F))
        return to + 2
    if code_point < 0x10000:
        out[to] = np.uint8(0xE0 | (code_point >> 12))
        out[to + 1] = np.uint8(0x80 | ((code_point >> 6) & 0x3F))
        out[to + 2] = np.uint8(0x80 | (code_point & 0x3F))
        return to + 3
    out[to] = np.uint8(0xF0 | (code_point >> 18))
    out[to + 1] = np.uint8(0x80 | ((code_point >> 12) & 0x3F))
    out[to + 2] = np.uint8(0x80 | ((code_point >> 6) & 0x3F))
    out[to + 3] = np.uint8(0x80 | (code_point & 0x3F))
    return to + 4

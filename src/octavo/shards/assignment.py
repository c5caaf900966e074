"""Which shard a document belongs to: decided by its id alone."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.kernels.fnv import hash_texts

LARGEST_SHARDS = 1_000


def shard_of(ids: pa.LargeStringArray, shards: int) -> NDArray[np.int64]:
    """Return the number of the shard of each id, from 0, shape ``(n,)``.

    The FNV-1a hash of the id's UTF-8 bytes, mixed, modulo the number of shards: the same on every
    machine, and independent of the order of the documents.

    Notes
    -----
    The low bits of FNV-1a follow the last bytes of the text too closely; the mixer is the finaliser
    of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).

    Examples
    --------
    >>> shard_of(pa.array(["a", "b", "c", "d"], pa.large_string()), 2).tolist()
    [0, 1, 0, 1]
    """
    with np.errstate(over="ignore"):
        mixed = hash_texts(ids)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    numbers: NDArray[np.int64] = (mixed % np.uint64(shards)).astype(np.int64)
    return numbers

import hashlib
import math
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.analysis.buffers import text_buffers
from octavo.kernels.hash_embedding import embed_rows

MASK = (1 << 64) - 1
TOKENS = st.lists(st.text(st.sampled_from("abcé文_."), min_size=1, max_size=8), max_size=12)


def mix(value: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = ((value ^ (value >> 33)) * factor) & MASK
    return value ^ (value >> 33)


def slots_of(token: str, dimensions: int) -> list[tuple[int, int]]:
    """The four slots of a token with the signs, in exact integers."""
    state = 0xCBF29CE484222325
    for byte in token.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    first = mix(state)
    second = mix((first + 1) & MASK)
    halves = [half for value in (first, second) for half in (value & 0xFFFFFFFF, value >> 32)]
    return [((half >> 1) * dimensions >> 31, -1 if half & 1 else 1) for half in halves]


def oracle(tokens: list[str], dimensions: int) -> list[float]:
    counts = [0] * dimensions
    for token in tokens:
        weight = min(max(len(token.encode()) - 1, 1), 6)
        for slot, sign in slots_of(token, dimensions):
            counts[slot] += sign * weight
    if tokens and not any(counts):
        counts[slots_of(tokens[-1], dimensions)[-1][0]] = 1
    length = math.sqrt(sum(map(abs, counts))) or 1.0
    return [math.copysign(math.sqrt(abs(count)) / length, count) for count in counts]


def embed(texts: list[str], dimensions: int) -> np.ndarray:
    buffers = text_buffers(pa.array(texts, pa.large_string()))
    vectors = np.full((len(texts), dimensions), np.nan, np.float32)
    with np.errstate(over="ignore"):
        embed_rows(buffers.data, buffers.offsets, np.full(dimensions, 7, np.int64), vectors)
    return vectors


# S45
@given(st.lists(TOKENS, max_size=5), st.sampled_from([64, 100, 128, 1000]))
@settings(max_examples=100, deadline=None)
def test_equals_exact_arithmetic_bit_for_bit(rows: list[list[str]], dimensions: int) -> None:
    found = embed([" ".join(tokens) for tokens in rows], dimensions)
    expected = np.array([oracle(tokens, dimensions) for tokens in rows], np.float32)
    assert found.tobytes() == expected.reshape(found.shape).tobytes()


def test_a_token_never_cancels_itself_out() -> None:
    # With 64 slots about one token in 6,000 meets itself twice with opposite signs.
    tokens = [f"t{number}" for number in range(60_000)]
    cancelling = [token for token in tokens if cancels(token)]
    assert cancelling  # else this test shows nothing
    assert np.count_nonzero(embed(cancelling, 64), axis=1).tolist() == [1] * len(cancelling)


def cancels(token: str) -> bool:
    sums: dict[int, int] = {}
    for slot, sign in slots_of(token, 64):
        sums[slot] = sums.get(slot, 0) + sign
    return not any(sums.values())


# S45: golden vectors. They may change only together with SCHEME_VERSION.
def test_golden_slots() -> None:
    vectors = embed(["retrieval", "merge sorted lists", "日本 本語"], 64)
    found = [
        {int(slot): round(float(vector[slot]), 6) for slot in np.flatnonzero(vector)}
        for vector in vectors
    ]
    assert found == GOLDEN


GOLDEN = [
    {1: -0.5, 6: -0.5, 35: 0.5, 36: -0.5},
    {
        12: -0.27735,
        14: -0.27735,
        22: -0.27735,
        24: -0.27735,
        41: -0.310087,
        42: -0.27735,
        44: -0.416025,
        47: 0.310087,
        54: 0.310087,
        59: 0.27735,
        63: 0.27735,
    },
    {4: 0.408248, 14: 0.408248, 34: -0.408248, 39: 0.408248, 40: 0.408248, 63: 0.408248},
]


@pytest.mark.parametrize(
    ("dimensions", "digest"),
    [
        (64, "eb1b6f162b81f26c37902a24cad8a72daea743213f5c6fc1b012b82aec88fb32"),
        (128, "d04a2659701794c02c9ba507f7f83636675ade2c8e701f89f84d1a7feb3ad5ad"),
        (4096, "ae6b81051b9afe2b52cd957f8d7015ad962217bbba7c4c9c039207dd62577c50"),
        (16384, "aa872a6c1318f878ec25714b57726c99f57024a0b1ceab4c7c165c09a0eb3332"),
    ],
)
def test_golden_bytes(dimensions: int, digest: str) -> None:
    vectors = embed(
        ["", "a", "the quick brown fox", "os.path os path", "日本 本語", "é" * 200], dimensions
    )
    assert hashlib.sha256(vectors.astype("<f4").tobytes()).hexdigest() == digest


PROGRAM = """
import hashlib, numpy as np, pyarrow as pa
from octavo.analysis.buffers import text_buffers
from octavo.kernels.hash_embedding import embed_rows
buffers = text_buffers(pa.array(["", "a", "the quick brown fox", "日本 本語"], pa.large_string()))
vectors = np.empty((4, 128), np.float32)
with np.errstate(over="ignore"):
    embed_rows(buffers.data, buffers.offsets, np.zeros(128, np.int64), vectors)
print(hashlib.sha256(vectors.tobytes()).hexdigest())
"""


def test_same_bits_without_compilation() -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "3"}
    printed = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env=environment, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    here = embed(["", "a", "the quick brown fox", "日本 本語"], 128)
    assert printed == hashlib.sha256(here.tobytes()).hexdigest()

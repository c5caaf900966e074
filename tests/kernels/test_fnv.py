"""FNV-1a against published values and a plain-Python loop."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.fnv import hash_texts

texts = st.lists(st.text(st.characters(codec="utf-8")))


def fnv1a_oracle(data):
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def test_published_values():
    # From the test vectors of http://www.isthe.com/chongo/tech/comp/fnv/ (64-bit FNV-1a).
    known = {"": 0xCBF29CE484222325, "a": 0xAF63DC4C8601EC8C, "foobar": 0x85944171F73967E8}
    hashes = hash_texts(pa.array(list(known), pa.large_string()))
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == list(known.values())


@given(texts, st.integers(0, 3), st.integers(0, 3))
def test_hashes_equal_the_oracle(values, skipped, dropped):
    sliced = pa.array(values, pa.large_string()).slice(skipped)
    sliced = sliced.slice(0, max(0, len(sliced) - dropped))
    expected = [fnv1a_oracle(text.encode()) for text in sliced.to_pylist()]
    assert hash_texts(sliced).tolist() == expected


def test_no_texts():
    assert hash_texts(pa.array([], pa.large_string())).shape == (0,)
    assert hash_texts(pa.array([None], pa.large_string())).tolist() == [fnv1a_oracle(b"")]


def test_the_same_without_compilation():
    words = ["", "a", "ünïcödé", "x" * 100]
    script = (
        "import pyarrow as pa, warnings; warnings.simplefilter('error');"
        "from octavo.kernels.fnv import hash_texts;"
        f"print(hash_texts(pa.array({words!r}, pa.large_string())).tolist())"
    )
    plain = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert plain.stdout.strip() == str([fnv1a_oracle(word.encode()) for word in words])

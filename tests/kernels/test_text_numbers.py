"""Texts numbered by first appearance against a dictionary, equal hashes included."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from octavo.analysis.buffers import text_buffers
from octavo.kernels import text_numbers
from octavo.kernels.fnv import hash_texts
from octavo.kernels.text_numbers import move_slots, number_texts

TEXTS = st.lists(st.text("aé\U0001f600\0", max_size=3), max_size=60)


def large(values):
    return pa.array(list(values), pa.large_string())


def numbered(parts, slots=256, hashes=None, number=number_texts):
    """Number the texts of each part after the other; return the numbers, and the known texts."""
    table = np.zeros(slots, np.uint64)
    ends, text, known = np.zeros(200, np.int64), np.zeros(4000, np.uint8), 0
    found = []
    for part in parts:
        buffers = text_buffers(large(part))
        own = hash_texts(large(part)) if hashes is None else np.array(hashes(part), np.uint64)
        numbers = np.empty(len(part), np.int32)
        with np.errstate(over="ignore"):
            known = number(own, buffers.offsets, buffers.data, table, ends, text, known, numbers)
        found.append(numbers.tolist())
    spans = pairwise(ends[: known + 1])
    return found, [bytes(text[start:end]).decode() for start, end in spans]


def expected(parts):
    known = {}
    return [[known.setdefault(text, len(known)) for text in part] for part in parts], list(known)


@given(st.lists(TEXTS, max_size=3))
def test_numbers_by_first_appearance(parts):
    assert numbered(parts) == expected(parts)


@given(st.lists(TEXTS, max_size=3), st.sampled_from([0, 1, 2**32 - 1, 2**63, 2**64 - 1]))
def test_equal_hashes_do_no_harm(parts, value):
    assert numbered(parts, hashes=lambda part: [value] * len(part)) == expected(parts)


@given(st.lists(TEXTS, max_size=2))
def test_without_a_compiler_the_numbers_are_the_same(parts):
    plain = getattr(number_texts, "py_func", number_texts)
    assert numbered(parts, number=plain) == expected(parts)


def test_a_table_with_one_free_slot():
    words = [f"w{number}" for number in range(15)]
    assert numbered([words, words[::-1], ["x"][:0]], slots=16) == (
        [list(range(15)), list(range(15))[::-1], []],
        words,
    )


def test_a_larger_table_finds_what_the_smaller_one_held():
    words = [f"word {number}" for number in range(500)]
    buffers = text_buffers(large(words))
    ends, text = np.zeros(1001, np.int64), np.zeros(10_000, np.uint8)
    numbers = np.empty(500, np.int32)
    known, table = 0, np.zeros(512, np.uint64)
    for slots in (512, 1024, 2**17):
        larger = np.zeros(slots, np.uint64)
        move_slots(table, larger)
        assert np.count_nonzero(larger) == known
        table = larger
        with np.errstate(over="ignore"):
            known = number_texts(
                hash_texts(large(words)), buffers.offsets, buffers.data, table, ends, text, known,
                numbers,
            )  # fmt: skip
        assert known == 500
        assert numbers.tolist() == list(range(500))


def test_what_is_fetched_ahead_is_a_hint():
    assert text_numbers._AHEAD > 1
    words = [f"w{number % 70}" for number in range(3 * text_numbers._AHEAD + 1)]
    assert numbered([words]) == expected([words])

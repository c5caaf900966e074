"""Terms are found by their bytes, and clauses are in the order (frequency, text)."""

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.find_terms import find_terms, order_clauses
from octavo.kernels.fnv import hash_texts

WORDS = st.text("ab\u00e9\u65e5\U0001f600", min_size=1, max_size=5)


def flat(tokens):
    encoded = [token.encode() for token in tokens]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    return np.frombuffer(b"".join(encoded), np.uint8), offsets


def dictionary(words, hashes=None):
    words = list(words)
    hashes = hash_texts(pa.array(words, pa.large_string())) if hashes is None else hashes
    order = sorted(range(len(words)), key=lambda item: (int(hashes[item]), words[item].encode()))
    ordered = [words[item] for item in order]
    text, offsets = flat(ordered)
    return ordered, np.asarray(hashes, np.uint64)[order], offsets[1:].copy(), text


def find(tokens, hashes, ends, text):
    data, offsets = flat(tokens)
    terms = np.empty(len(tokens), np.int64)
    with np.errstate(over="ignore"):
        find_terms(data, offsets, hashes, ends, text, terms)
    return terms.tolist()


@given(st.sets(WORDS, max_size=40), st.lists(WORDS, max_size=20))
def test_known_terms_are_found_and_no_others(words, tokens):
    ordered, hashes, ends, text = dictionary(words)
    expected = [ordered.index(token) if token in words else -1 for token in tokens]
    assert find(tokens, hashes, ends, text) == expected


def test_a_large_dictionary():
    words = [f"w{number}" for number in range(20_000)]
    ordered, hashes, ends, text = dictionary(words)
    assert find(ordered, hashes, ends, text) == list(range(20_000))
    assert find([f"x{number}" for number in range(2_000)], hashes, ends, text) == [-1] * 2_000


def test_terms_of_one_hash_are_told_apart_by_their_bytes():
    same = np.repeat(hash_texts(pa.array(["b"], pa.large_string())), 3)
    ordered, hashes, ends, text = dictionary(["c", "b", "a"], same)
    assert ordered == ["a", "b", "c"]
    assert find(["b"], hashes, ends, text) == [1]
    assert find(["b"], np.repeat(hashes[:1], 2), ends[:1].repeat(2), text) == [-1]


def test_a_damaged_dictionary_finds_nothing_and_reads_nothing_else():
    ordered, hashes, ends, text = dictionary(["a", "b", "c", "dd"])
    for damaged in (ends + 2**60, -ends, ends[::-1].copy(), np.full(4, 2**62)):
        assert all(term in (-1, 0, 1, 2, 3) for term in find(ordered, hashes, damaged, text))
    assert find(ordered, hashes[::-1].copy(), ends, text) is not None


def test_ends_that_wrap_round_read_nothing():
    # a damaged file: the sum of start and width is below the size of the text, as an int64
    tokens = ["abcdefgh"]
    hashes = np.array([0, *hash_texts(pa.array(tokens, pa.large_string()))], np.uint64)
    ends = np.array([2**63 - 4, -(2**63) + 4], np.int64)
    assert find(tokens, hashes, ends, np.zeros(16, np.uint8)) == [-1]


@given(st.lists(st.lists(WORDS, max_size=12), max_size=4), st.randoms())
def test_clauses_are_distinct_known_tokens_in_order(queries, random):
    tokens = [token for query in queries for token in query]
    table = {token: random.choice([0, 1, 1, 2, 300]) for token in sorted(set(tokens))}
    data, offsets = flat(tokens)
    frequencies = np.array([table[token] for token in tokens], np.int64)
    query_offsets = np.cumsum([0, *map(len, queries)]).astype(np.int64)
    clauses, repetitions = np.empty(len(tokens), np.int64), np.empty(len(tokens), np.int64)
    clause_offsets, unknown = np.zeros(len(queries) + 1, np.int64), np.zeros(len(queries), np.int64)
    order_clauses(
        data, offsets, frequencies, query_offsets, clauses, repetitions, clause_offsets, unknown
    )
    for number, query in enumerate(queries):
        span = slice(clause_offsets[number], clause_offsets[number + 1])
        found = [
            (table[tokens[token]], tokens[token], count)
            for token, count in zip(clauses[span], repetitions[span], strict=True)
        ]
        counted = Counter(query).items()
        assert found == sorted((table[t], t, count) for t, count in counted if table[t])
        assert unknown[number] == sum(not table[token] for token in set(query))


def test_a_very_long_query_is_sorted():
    tokens = [f"t{number * 7919 % 3000}" for number in range(6_000)]
    data, offsets = flat(tokens)
    clauses, repetitions = np.empty(6_000, np.int64), np.empty(6_000, np.int64)
    clause_offsets, unknown = np.zeros(2, np.int64), np.zeros(1, np.int64)
    order_clauses(
        data, offsets, np.ones(6_000, np.int64), np.array([0, 6_000]), clauses, repetitions,
        clause_offsets, unknown,
    )  # fmt: skip
    assert [tokens[token] for token in clauses[: clause_offsets[1]]] == sorted(set(tokens))
    assert set(repetitions[:3_000].tolist()) == {2}

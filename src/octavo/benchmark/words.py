"""The words of generated documents: a Zipf vocabulary, log-normal lengths, words of topics.

Everything is drawn as integers from PCG64 streams and looked up in tables, so that the same seed
gives the same bytes on every machine: the libraries' ``exp`` and ``log`` differ in their last bits.
"""

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, compute

VOCABULARY = 200_000
TOPICS = 2_048
TOPIC_WORDS = 48

_ZIPF_SHIFT = 2.7  # Zipf-Mandelbrot: weight = 1 / (rank + shift), exact in IEEE 754
_ZIPF_SLOTS = 1 << 22
_MEDIAN_LENGTH, _LENGTH_SPREAD = 9.0, 0.5
_LENGTH_SLOTS = 1 << 10
_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiou"
_FIRST_TOPIC_WORD, _LAST_TOPIC_WORD = 200, 50_000
# Of 256 words of a document so many are of its main topic, and of its second one.
_MAIN, _SECOND = 84, 24


@dataclass(frozen=True, slots=True, eq=False)
class TopicPair:
    """The main and the second topic of each text: int64, shape ``(n,)``."""

    main: NDArray[np.int64]
    second: NDArray[np.int64]


def draw_topics(rng: np.random.Generator, number: int) -> TopicPair:
    """Draw topics; low ones are more common (the smaller of two equal chances)."""
    first, second = (np.minimum(*rng.integers(0, TOPICS, (2, number))) for _ in range(2))
    return TopicPair(first, second)


def draw_texts(
    rng: np.random.Generator,
    topics: TopicPair,
    lengths: NDArray[np.int64],
    topic_words: NDArray[np.int64],
    *,
    main: int = _MAIN,
    second: int = _SECOND,
) -> Array:
    """Return one text a pair of topics, as a string array.

    Parameters
    ----------
    topics, lengths
        What each text is about, and its number of words.
    topic_words
        int64, shape ``(TOPICS, TOPIC_WORDS)``: positions in the vocabulary.
    main, second
        Of 256 words how many come from either topic; the rest follow Zipf's law.
    """
    total = int(lengths.sum())
    words = zipf_table()[rng.integers(0, _ZIPF_SLOTS, total)].astype(np.int64)
    chance = rng.integers(0, 256, total)
    place = np.minimum(*rng.integers(0, TOPIC_WORDS, (2, total)))
    for low, high, topic in ((0, main, topics.main), (main, main + second, topics.second)):
        chosen = np.flatnonzero((chance >= low) & (chance < high))
        of_word = np.repeat(topic, lengths)[chosen]
        words[chosen] = topic_words[of_word, place[chosen]]
    offsets: Any = pa.array(np.concatenate(([0], np.cumsum(lengths))).astype(np.int32))
    lists = pa.ListArray.from_arrays(offsets, vocabulary().take(words))
    texts: Array = compute.binary_join(lists, " ")
    return texts


def draw_topic_words(rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the words of each topic, those it says most first."""
    return rng.integers(_FIRST_TOPIC_WORD, _LAST_TOPIC_WORD, (TOPICS, TOPIC_WORDS))


def draw_lengths(rng: np.random.Generator, number: int) -> NDArray[np.int64]:
    """Return numbers of words, log-normal: median 9, one in a hundred above 28."""
    return length_table()[rng.integers(0, _LENGTH_SLOTS, number)]


@cache
def vocabulary() -> Array:
    """Return the words by rank; frequent ones are short, as in real text.

    Examples
    --------
    >>> [vocabulary()[rank].as_py() for rank in (0, 99, 100, 150_000)]
    ['ba', 'zu', 'baba', 'dozuba']
    """
    syllables = [onset + vowel for onset in _CONSONANTS for vowel in _VOWELS]
    words = list(syllables)
    shorter = syllables
    while len(words) < VOCABULARY:
        shorter = [
            head + tail
            for head in shorter[: (VOCABULARY - len(words)) // len(syllables) + 1]
            for tail in syllables
        ]
        words += shorter
    return pa.array(words[:VOCABULARY], pa.string())


@cache
def zipf_table() -> NDArray[np.int32]:
    """Return ranks; one taken with equal chances follows Zipf's law."""
    shares = np.cumsum(1.0 / (np.arange(VOCABULARY) + 1.0 + _ZIPF_SHIFT))
    at = (np.arange(_ZIPF_SLOTS) + 0.5) / _ZIPF_SLOTS * shares[-1]
    ranks: NDArray[np.int32] = np.searchsorted(shares, at).astype(np.int32)
    return ranks


@cache
def length_table() -> NDArray[np.int64]:
    """Return lengths; one taken with equal chances is log-normal (rounded, so the same anywhere)."""
    normal = NormalDist(math.log(_MEDIAN_LENGTH), _LENGTH_SPREAD)
    quantiles = ((slot + 0.5) / _LENGTH_SLOTS for slot in range(_LENGTH_SLOTS))
    return np.array([max(1, round(math.exp(normal.inv_cdf(at)))) for at in quantiles])

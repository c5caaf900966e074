"""Right answers worked out by brute force, with no code of octavo's engines.

Whatever a measure or a peer returns is compared with these. Analysed text is the one thing shared:
all are given the same tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, compute

Rows = Sequence[NDArray[np.int64]]

_K1, _B = 1.2, 0.75
_BLOCK = 65_536
_TOLERANCE = 1e-5  # scores this close (relative) count as equal: float32 engines may swap them


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return rows of unit length in float32; zero rows stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    lengths[lengths == 0.0] = 1.0
    return np.asarray(vectors / lengths[:, np.newaxis], np.float32)


def split_words(analyzed: Array) -> Any:  # noqa: ANN401 - a list array, which the stubs lose
    """Return the tokens of each analysed text; one empty token where there are none."""
    return compute.split_pattern(compute.fill_null(analyzed, ""), " ")


class ExactVectors:
    """Cosine scores by a blocked matrix product, decided in float64.

    Parameters
    ----------
    vectors
        Unit length, float32[n, d].
    """

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._vectors = vectors

    def top(
        self, queries: NDArray[np.float32], k: int, admitted: NDArray[np.bool_] | None = None
    ) -> "ExactTop":
        """Return the ``k`` best admitted rows of each query of unit length."""
        count = len(queries)
        kept_rows: NDArray[np.int64] = np.zeros((count, 0), np.int64)
        kept: NDArray[np.float32] = np.zeros((count, 0), np.float32)
        for start in range(0, len(self._vectors), _BLOCK):
            block = self._vectors[start : start + _BLOCK]
            scores = queries @ block.T
            rows = np.arange(start, start + len(block))
            if admitted is not None:
                chosen = admitted[start : start + len(block)]
                scores, rows = scores[:, chosen], rows[chosen]
            kept = np.concatenate((kept, scores), axis=1)
            kept_rows = np.concatenate((kept_rows, np.broadcast_to(rows, scores.shape)), axis=1)
            if kept.shape[1] > 2 * k:
                best: NDArray[np.int64] = np.argpartition(-kept, 2 * k, axis=1)[:, : 2 * k]
                kept = np.take_along_axis(kept, best, axis=1)
                kept_rows = np.take_along_axis(kept_rows, best, axis=1)
        exact = np.stack([self.scores(queries[at], rows) for at, rows in enumerate(kept_rows)])
        order: NDArray[np.int64] = np.stack(
            [np.lexsort((kept_rows[at], -exact[at]))[:k] for at in range(count)]
        )
        rows = np.take_along_axis(kept_rows, order, axis=1)
        scores = np.take_along_axis(exact, order, axis=1)
        return ExactTop(list(rows), list(scores))

    def scores(self, query: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosines of one query with ``rows``, in float64."""
        scores: NDArray[np.float64] = self._vectors[rows].astype(np.float64) @ query.astype(
            np.float64
        )
        return scores

    def recall(self, queries: NDArray[np.float32], found: Rows, top: "ExactTop") -> float:
        """Return the share of the best that was found; rows that tie with the last are as good."""
        scores = [self.scores(query, rows) for query, rows in zip(queries, found, strict=True)]
        return top.recall(found, scores)


class ExactKeywords:
    """BM25 over analysed texts in float64, for the terms of given queries.

    Parameters
    ----------
    analyzed
        Tokens joined by single spaces, one text a row.
    queries
        The tokens of each query.

    Notes
    -----
    k1 = 1.2, b = 0.75, idf = ln(1 + (N - df + 0.5) / (df + 0.5)); lengths are exact, where tantivy
    rounds those of 40 tokens and more.
    """

    def __init__(self, analyzed: Array, queries: Sequence[Sequence[str]]) -> None:
        words = split_words(analyzed)
        flat = words.flatten()
        of_row = np.asarray(words.value_parent_indices(), np.int64)
        real = np.asarray(compute.not_equal(flat, ""))
        self._documents = len(analyzed)
        lengths = np.bincount(of_row[real], minlength=self._documents)
        norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1e-9))
        wanted = sorted({token for tokens in queries for token in tokens})
        code = compute.index_in(flat, pa.array(wanted, flat.type))
        known = np.flatnonzero(np.asarray(code.is_valid()))
        pairs = np.asarray(code.take(known), np.int64) * self._documents + of_row[known]
        pairs, counts = np.unique(pairs, return_counts=True)
        terms, rows = np.divmod(pairs, max(1, self._documents))
        impact = counts * (_K1 + 1) / (counts + norm[rows])
        bounds = np.searchsorted(terms, np.arange(len(wanted) + 1))
        self._postings: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
        for position, token in enumerate(wanted):
            piece = slice(bounds[position], bounds[position + 1])
            frequency = piece.stop - piece.start
            idf = np.log(1 + (self._documents - frequency + 0.5) / (frequency + 0.5))
            self._postings[token] = rows[piece], idf * impact[piece]

    def scores(self, tokens: Sequence[str]) -> NDArray[np.float64]:
        """Return the score of every row; 0 where it has no token."""
        scores = np.zeros(self._documents)
        for token in tokens:
            rows, impact = self._postings[token]
            scores[rows] += impact
        return scores

    def top(
        self, queries: Sequence[Sequence[str]], k: int, admitted: NDArray[np.bool_] | None = None
    ) -> "ExactTop":
        """Return the ``k`` best admitted rows of each query that hold a token."""
        found = []
        for tokens in queries:
            scores = self.scores(tokens)
            if admitted is not None:
                scores[~admitted] = 0.0
            rows = np.flatnonzero(scores)
            if len(rows) > k:
                least = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
                rows = rows[scores[rows] >= least]
            order = np.lexsort((rows, -scores[rows]))[:k]
            found.append((rows[order], scores[rows[order]]))
        return ExactTop([rows for rows, _ in found], [scores for _, scores in found])

    def recall(self, queries: Sequence[Sequence[str]], found: Rows, top: "ExactTop") -> float:
        """Return the share of the best that was found; rows that tie with the last are as good."""
        scores = [self.scores(tokens)[rows] for tokens, rows in zip(queries, found, strict=True)]
        return top.recall(found, scores)


@dataclass(frozen=True, slots=True, eq=False)
class ExactTop:
    """The right answers of each query, best first, with their scores."""

    rows: list[NDArray[np.int64]]
    scores: list[NDArray[np.float64]]

    def recall(self, found: Rows, scores: Sequence[NDArray[np.float64]]) -> float:
        """Return the share of right answers among ``found``, whose exact scores are ``scores``."""
        right = total = 0
        for rows, exact, expected in zip(found, scores, self.scores, strict=True):
            total += len(expected)
            if len(expected) == 0:
                continue
            least = expected[-1] - _TOLERANCE * max(1.0, abs(expected[-1]))
            distinct = np.unique(rows, return_index=True)[1]
            right += min(len(expected), int((exact[distinct] >= least).sum()))
        return right / total if total else 1.0

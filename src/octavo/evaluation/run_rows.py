"""The rows of a run as they came, and the order that they mean."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError
from octavo.evaluation.groups import Coded, Counts, first_repeat


@dataclass(frozen=True, slots=True, eq=False)
class RunRows:
    """Queries, documents and scores in any order.

    Parameters
    ----------
    origin
        Where they come from, for messages.
    queries, documents
        Of each row.
    scores
        float64.
    ranks
        int64; ``None`` where the scores decide alone.
    """

    origin: str
    queries: Coded
    documents: Coded
    scores: NDArray[np.float64]
    ranks: Counts | None

    def order(self) -> Counts:
        """Return the rows query by query, best first; O(n log n), O(n) where they lie so already.

        Raises
        ------
        InvalidArgumentError
            A document comes twice for a query, or ranks repeat or contradict the scores.
        """
        repeated = first_repeat(self.queries.codes, self.documents.codes)
        if repeated is not None:
            raise InvalidArgumentError(
                f"{self.origin}: expected each document once for a query, found document "
                f"{self.documents.text(repeated)!r} again for query {self.queries.text(repeated)!r}"
            )
        if self.ranks is None:
            return self._trec_order()
        order = _sorted_rows(self.queries.codes, self.ranks)
        self._check_ranks(self.ranks, order)
        return order

    def _trec_order(self) -> Counts:
        """Order by score as float32, descending, then by the bytes of the document id, descending.

        trec_eval keeps scores as float32, so what is equal there is a tie.
        """
        largest = np.finfo(np.float32).max
        falling = -np.clip(self.scores, -largest, largest).astype(np.float32)
        order = _sorted_rows(self.queries.codes, falling)
        same = _repeats(self.queries.codes[order]) & _repeats(falling[order])
        if same.any():
            tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
            ties = np.cumsum(np.append(True, ~same))[tied]
            places = self.documents.byte_order(order[tied])
            order[tied] = order[tied][np.lexsort((-places, ties))]
        return order

    def _check_ranks(self, ranks: Counts, order: Counts) -> None:
        within = _repeats(self.queries.codes[order])
        scores = self.scores[order]
        for wrong, found in (
            (_repeats(ranks[order]), "the same rank"),
            (scores[1:] > scores[:-1], "a score above that of the rank before"),
        ):
            rows = np.flatnonzero(within & wrong)
            if len(rows):
                at = order[rows[0] + 1]
                raise InvalidArgumentError(
                    f"{self.origin}: expected scores that fall with distinct ranks, found {found} "
                    f"at rank {ranks[at]} of query {self.queries.text(at)!r}"
                )


def _sorted_rows(queries: Counts, keys: NDArray[np.number]) -> Counts:
    """Return the rows by query, then by key."""
    # Compared, not subtracted: the difference of two numbers may be beyond them.
    if ((queries[1:] > queries[:-1]) | (_repeats(queries) & (keys[1:] >= keys[:-1]))).all():
        return np.arange(len(queries))
    return np.lexsort((keys, queries))


def _repeats(values: NDArray[np.number]) -> NDArray[np.bool_]:
    """Whether each value but the first is that before it."""
    repeats: NDArray[np.bool_] = values[1:] == values[:-1]
    return repeats

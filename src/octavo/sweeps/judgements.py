"""Judgements by row: which of the documents that were found are relevant."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.errors import InvalidArgumentError
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.columnar import Ranking
from octavo.strategies.joined import joined_rows
from octavo.sweeps.metric import Judged


class Judgements(Protocol):
    """Judged documents of queries, ragged by offsets, such as :class:`octavo.evaluation.Qrels`."""

    @property
    def query_ids(self) -> Any:  # noqa: ANN401 - an Arrow array of strings
        """The judged queries."""
        ...

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Query ``q`` owns the judgements ``offsets[q]:offsets[q + 1]``."""
        ...

    @property
    def ids(self) -> Any:  # noqa: ANN401
        """The judged documents, an Arrow array of strings."""
        ...

    @property
    def grades(self) -> NDArray[np.int64]:
        """How relevant they are; above 0 is relevant."""
        ...


class JudgedRows:
    """The grades of a corpus's rows for some queries.

    Parameters
    ----------
    snapshot
        The corpus.
    query_ids
        The queries, in the order in which they are ranked.
    judgements
        Documents that the corpus does not have stay judged: what cannot be found is missed.

    Raises
    ------
    InvalidArgumentError
        A query has no judgement.
    """

    def __init__(self, snapshot: Snapshot, query_ids: list[str], judgements: Judgements) -> None:
        self._snapshot = snapshot
        places = {query: place for place, query in enumerate(judgements.query_ids.to_pylist())}
        missing = [query for query in query_ids if query not in places]
        if missing:
            raise InvalidArgumentError(
                f"queries: expected judgements of every query, found none of {missing[0]!r}"
            )
        chosen = np.array([places[query] for query in query_ids], np.int64)
        counts = np.diff(judgements.offsets)[chosen]
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
        within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], counts)
        taken = np.repeat(judgements.offsets[:-1][chosen], counts) + within
        queries = np.repeat(np.arange(len(chosen)), counts)
        grades = np.asarray(judgements.grades, np.int64)[taken]
        rows = snapshot.rows_of(judgements.ids.take(taken).to_pylist())
        known = rows >= 0
        # In ascending order, so that a ranked document is found by bisection.
        keys = queries[known] * snapshot.rows + rows[known]
        order = np.argsort(keys)
        self._keys = keys[order]
        self._grades = grades[known][order]
        self._ideal_offsets = offsets
        self._ideal_grades = grades[np.lexsort((-grades, queries))]

    @property
    def found(self) -> int:
        """How many judged documents the corpus has."""
        return len(self._keys)

    def judged(self, ranking: Ranking) -> Judged:
        """Return the grades of ranked documents."""
        hits = ranking.hits
        grades = np.zeros(len(hits), np.int64)
        rows = self._rows(hits, ranking)
        own = rows < self._snapshot.rows
        keys = hits.query_of()[own] * self._snapshot.rows + rows[own]
        if len(self._keys):
            places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            grades[own] = np.where(self._keys[places] == keys, self._grades[places], 0)
        return Judged(hits.offsets, grades, self._ideal_offsets, self._ideal_grades)

    def _rows(self, hits: Hits, ranking: Ranking) -> NDArray[np.int64]:
        """Return the rows of the corpus; what lies beyond is no document of it."""
        if ranking.documents is self._snapshot:
            return hits.rows
        return joined_rows(hits.rows, ranking.documents, self._snapshot)

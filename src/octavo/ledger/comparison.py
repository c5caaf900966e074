"""Two results compared: which queries changed, which hits moved, and what moved them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from octavo.ledger.attribution import Attribution
from octavo.ledger.changes import QueryChange, changes_of
from octavo.ledger.pairing import paired
from octavo.ledger.results import Results, open_results
from octavo.ledger.setting_changes import SettingChange, setting_changes
from octavo.strategies.settings import RunSettings


@dataclass(slots=True)
class DiffSummary:
    """Numbers of a comparison, complete when it is.

    Parameters
    ----------
    queries
        Queries with hits in one of the results.
    changed
        Those of them with a change.
    moves
        Hits by :class:`~octavo.ledger.changes.Move`.
    moved_by
        Hits by what moved them.
    """

    queries: int = 0
    changed: int = 0
    moves: Counter[str] = field(default_factory=Counter)
    moved_by: Counter[str] = field(default_factory=Counter)


class ResultDiff:
    """The changes from one result to another, found while they are read: iterate once.

    Get one from :func:`diff`. Settings that differ are known at once; :attr:`summary` is complete
    after the last query.
    """

    def __init__(self, before: Results, after: Results, *, ignore_scores: bool) -> None:
        self._results = (before, after)
        self._ignore_scores = ignore_scores
        self.settings: tuple[SettingChange, ...] = setting_changes(before.settings, after.settings)
        """Settings that differ, the strategy's first."""
        self.summary = DiffSummary()

    def __iter__(self) -> Iterator[QueryChange]:
        """Yield the queries that changed, in the order of the results."""
        before, after = self._results
        attribution = Attribution(before.settings, after.settings)
        for pair in paired(before, after):
            self.summary.queries += len(pair.queries)
            for change in changes_of(pair, attribution, ignore_scores=self._ignore_scores):
                self.summary.changed += 1
                self.summary.moves.update(hit.move.value for hit in change.hits)
                self.summary.moved_by.update(hit.moved_by for hit in change.hits)
                yield change


def diff(
    before: Any,  # noqa: ANN401 - a path or a table
    after: Any,  # noqa: ANN401
    *,
    ignore_scores: bool = False,
    settings_before: RunSettings | None = None,
    settings_after: RunSettings | None = None,
) -> ResultDiff:
    """Compare two results of the same queries, hit by hit.

    Parameters
    ----------
    before, after
        As for :func:`octavo.recompute`: files of ``octavo batch`` or tables. Queries are the same
        where their ids are, and hits where the ids of their documents are. The hits of a query must
        lie together; the order of queries may differ.
    ignore_scores
        Whether a hit that only changed its score is no change.
    settings_before, settings_after
        How they were asked for, where the results themselves do not tell.

    Returns
    -------
    ResultDiff
        To be iterated once; reads a block of each result at a time.

    Raises
    ------
    InvalidArgumentError
        While iterating: a column ``query_id``, ``rank``, ``id`` or ``score`` is missing or damaged.
    SourceLoadingError
        A file is missing or damaged.

    Examples
    --------
    >>> import pyarrow as pa
    >>> def hits(*ids):
    ...     rank, score = [*range(1, len(ids) + 1)], [1.0 / (n + 1) for n in range(len(ids))]
    ...     return pa.table({"query_id": ["q"] * len(ids), "rank": rank, "id": ids, "score": score})
    >>> for query in diff(hits("a", "b"), hits("b", "c")):
    ...     print([(hit.id, hit.move.value) for hit in query.hits])
    [('b', 'up'), ('c', 'entered'), ('a', 'left')]
    """
    return ResultDiff(
        open_results(before, "before", settings_before),
        open_results(after, "after", settings_after),
        ignore_scores=ignore_scores,
    )

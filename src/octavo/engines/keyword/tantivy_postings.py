"""tantivy's postings of an index, opened when they are first asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from octavo.engines.keyword.champion_file import read_champions
from octavo.engines.keyword.champions import ChampionList, Champions
from octavo.engines.keyword.composed import open_composed, segment_counts
from octavo.engines.keyword.damage import damage_reported
from octavo.engines.keyword.frequency import document_frequencies
from octavo.engines.keyword.pruning import PrunedSearcher
from octavo.engines.keyword.rows import RowSearcher
from octavo.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True, eq=False)
class TantivyPostings:
    """The composed index, and what is remembered of it."""

    searcher: PrunedSearcher
    frequency: Callable[[str], int]
    segments: int


def open_tantivy(
    directories: Sequence[Path],
    rows: int,
    where: str,
    *,
    first_rows: Sequence[int] | None,
    scratch: Path | None,
    champions: Sequence[Path],
) -> TantivyPostings:
    """Open segment directories; see :meth:`octavo.engines.keyword.index.KeywordIndex.open`."""
    searcher = open_composed(directories, scratch)
    offsets = None if first_rows is None else _each_segment(directories, first_rows)
    with damage_reported(where):
        row_searcher = RowSearcher(searcher, rows, where, offsets)
    stored: dict[str, ChampionList] = {}
    for path in champions:
        stored |= read_champions(path, directories, rows)
    pruned = PrunedSearcher(row_searcher, Champions(row_searcher, stored))
    return TantivyPostings(pruned, document_frequencies(searcher), row_searcher.segments)


def _each_segment(directories: Sequence[Path], first_rows: Sequence[int]) -> list[int]:
    """Repeat what is given for each directory for each of its tantivy segments."""
    if len(first_rows) != len(directories):
        raise InvalidArgumentError(
            f"first_rows: expected one for each of {len(directories)} segments, "
            f"found {len(first_rows)}"
        )
    return [
        first_row
        for first_row, count in zip(first_rows, segment_counts(directories), strict=True)
        for _ in range(count)
    ]

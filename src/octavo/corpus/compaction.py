"""When an index is worth compacting, and why."""

DELETED_SHARE = 0.1
"""Deleted rows, as a share of all, from which keyword results can differ noticeably from those of
the documents alone: ``docs/deletes.md`` tells what was measured."""

MANY_SEGMENTS = 24
"""Segments that a search has to visit; commits merge small ones, so there are rarely so many."""


def compaction_reason(documents: int, rows: int, segments: int) -> str | None:
    """Return why an index should be compacted, ``None`` where it need not be.

    Parameters
    ----------
    documents
        The number of live rows.
    rows
        The number of rows, deleted ones included.
    segments
        The number of segments.

    Examples
    --------
    >>> compaction_reason(750, 1_000, 3)
    '25 % of the rows are deleted: they take room and count in BM25 statistics'
    >>> compaction_reason(990, 1_000, 3) is None
    True
    """
    deleted = rows - documents
    if deleted and deleted >= DELETED_SHARE * rows:
        share = 100 * deleted / rows
        return f"{share:.0f} % of the rows are deleted: they take room and count in BM25 statistics"
    if segments > MANY_SEGMENTS:
        return f"there are {segments:,} segments: every search visits each"
    return None

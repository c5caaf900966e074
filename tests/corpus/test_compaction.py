"""When compaction is advised."""

import pytest

from octavo.corpus.compaction import DELETED_SHARE, MANY_SEGMENTS, compaction_reason


@pytest.mark.parametrize(
    ("documents", "rows", "segments", "reason"),
    [
        (0, 0, 1, None),
        (1_000, 1_000, MANY_SEGMENTS, None),
        (1_000, 1_000, MANY_SEGMENTS + 1, "25 segments"),
        (901, 1_000, 1, None),
        (0, 0, 0, None),
        (1_000 - int(1_000 * DELETED_SHARE), 1_000, 1, "% of the rows are deleted"),
        (0, 7, 1, "100 % of the rows are deleted"),
    ],
)
def test_the_reason(documents, rows, segments, reason):
    found = compaction_reason(documents, rows, segments)
    assert found is None if reason is None else reason in found

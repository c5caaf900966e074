"""Small segments lie in one stack, large ones by themselves; rows stay where they are."""

import numpy as np

from octavo.engines.keyword.block_max import stacked
from octavo.engines.keyword.block_max.stacked import stack
from tests.engines.keyword.block_max.block_max_corpora import write_segments

DOCUMENTS = [["a", *["b"] * (row % 3), f"c{row}"] for row in range(40)]


def test_large_segments_come_first_and_are_not_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(stacked, "_SMALL_POSTINGS", 20)
    segments = write_segments(tmp_path, DOCUMENTS, [3, 23, 26, 26, 36])
    stacks = stack(segments)
    assert [each.first_rows.tolist() for each in stacks] == [[3], [26], [36, 0, 23, 26]]
    assert stacks[0].rows is segments[1].rows
    assert stacks[0].levels is segments[1].levels
    for each in stacks:
        for number, first_row in enumerate(each.first_rows.tolist()):
            start, stop = each.segment_ends[number : number + 2, 2]
            found = set((each.rows[start:stop] + first_row).tolist())
            rows = int(np.diff(each.segment_ends[number : number + 2, 5])[0])
            assert found == set(range(first_row, first_row + rows))


def test_a_stack_has_a_largest_size(tmp_path, monkeypatch):
    monkeypatch.setattr(stacked, "_STACKED_POSTINGS", 40)
    segments = write_segments(tmp_path, DOCUMENTS, list(range(5, 40, 5)))
    stacks = stack(segments)
    assert len(stacks) > 1
    assert all(each.segment_ends[-1, 2] <= 40 for each in stacks)
    rows = np.concatenate([each.first_rows for each in stacks])
    assert sorted(rows.tolist()) == list(range(0, 40, 5))


def test_no_segment_gives_no_stack():
    assert stack([]) == []

"""Merging in tiers: groups cover all runs in order, runs stay few, rows are rewritten rarely."""

import math

from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.tiers import Tiers

sizes = st.lists(st.integers(0, 5_000), max_size=30)


@given(sizes)
def test_groups_are_all_runs_in_order(runs):
    groups = Tiers().groups(runs)
    assert [position for group in groups for position in group] == list(range(len(runs)))


@given(sizes, st.integers(0, 100), st.integers(1, 2_000), st.integers(1, 8))
def test_no_merge_gives_more_than_the_largest(runs, small, largest, share):
    tiers = Tiers(4, small, largest, share)
    for group in tiers.groups(runs):
        if len(group) > 1:
            total = sum(runs[position] for position in group)
            assert total <= max(largest, sum(runs) // share)


@given(sizes)
def test_neighbours_that_stay_apart_are_unequal(runs):
    tiers = Tiers(4, small_rows=100, largest_rows=10**9)
    totals = [sum(runs[position] for position in group) for group in tiers.groups(runs)]
    for count in range(2, len(totals) + 1):  # the last so many
        last = totals[-count:]
        assert sum(last) > 100
        assert sum(last) < 4 * max(last)


def test_one_row_at_a_time_is_written_a_logarithmic_number_of_times():
    tiers = Tiers(4, small_rows=16, largest_rows=10**9)
    runs, written, rows = [], 0, 2_000
    for _ in range(rows):
        runs.append(1)
        groups = tiers.groups(runs)
        written += sum(
            sum(runs[position] for position in group) for group in groups if len(group) > 1
        )
        runs = [sum(runs[position] for position in group) for group in groups]
        assert len(runs) <= 4 * math.log2(rows)
    assert written <= rows * (math.log2(rows) / 2 + 1) + rows * 16

"""Runs of rows: few, local to edits, and gone when nobody needs them."""

import gc
import shutil
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.engines.keyword import SegmentInfo
from octavo.memory import postings
from octavo.memory.changes import Edit
from octavo.memory.postings import Run, edited_runs, open_runs


def appended(*texts):
    return Edit({}, None, list(texts))


def texts_of(runs):
    return [text for run in runs for text in run.texts.to_pylist()]


@given(st.lists(st.integers(1, 400), max_size=60))
def test_runs_stay_few_and_rows_are_rewritten_seldom(sizes):
    runs = []
    rewritten = rows = 0
    for size in sizes:
        before = {id(run) for run in runs}
        runs = edited_runs(runs, appended(*["x"] * size))
        rewritten += sum(len(run) for run in runs if id(run) not in before)
        rows += size
    assert sum(map(len, runs)) == rows
    doublings = max(1, rows).bit_length()
    assert len(runs) <= 4 * doublings
    # Once for each power of four, and some times while a run is small.
    assert rewritten <= rows * (doublings / 2 + 1) + len(sizes) * postings._TIERS.small_rows


def test_an_edit_leaves_other_runs_alone(monkeypatch):
    monkeypatch.setattr(postings, "_TIERS", replace(postings._TIERS, small_rows=0))
    runs = edited_runs(edited_runs([], appended("a", "b")), appended("c"))
    assert [len(run) for run in runs] == [2, 1]
    after = edited_runs(runs, Edit({0: "z"}, np.array([True, False, True]), ["d"]))
    assert texts_of(after) == ["z", "c", "d"]
    assert texts_of(runs) == ["a", "b", "c"]
    replaced = edited_runs(runs, Edit({2: "y"}, None, []))
    assert replaced[0] is runs[0]
    assert texts_of(replaced) == ["a", "b", "y"]


def test_a_run_that_loses_all_rows_goes():
    runs = edited_runs([], appended("a", "b"))
    assert edited_runs(runs, Edit({}, np.zeros(2, np.bool_), [])) == []
    assert open_runs([]).rows == 0


def test_a_large_addition_is_cut(monkeypatch):
    monkeypatch.setattr(postings, "_TIERS", replace(postings._TIERS, largest_rows=4))
    runs = edited_runs([], appended(*"abcdefghij"))
    assert [len(run) for run in runs] == [4, 4, 2]
    assert texts_of(runs) == list("abcdefghij")


def test_files_are_numbered_anew_when_rows_before_them_go(monkeypatch):
    monkeypatch.setattr(postings, "_TIERS", replace(postings._TIERS, small_rows=0))
    runs = edited_runs(edited_runs([], appended("a", "b")), appended("c"))
    hits, _ = open_runs(runs).search([["c"]], 5)
    assert hits.rows.tolist() == [2]
    directory = runs[1].write()
    runs = edited_runs(runs, Edit({}, np.array([True, False, True]), []))
    hits, _ = open_runs(runs).search([["c"]], 5)
    assert hits.rows.tolist() == [1]
    assert runs[1].write() == directory


def test_files_go_with_the_run():
    run = Run(pa.array(["a"], pa.large_string()))
    directory = run.write()
    assert directory.is_dir()
    assert run.write() == directory
    index = open_runs([run])
    del run
    gc.collect()
    assert not directory.exists()
    assert index.search([["a"]], 1)[0].rows.tolist() == [0]  # the files are mapped


def test_files_that_someone_removed_are_made_again():
    runs = edited_runs([], appended("a", "b"))
    open_runs(runs)
    shutil.rmtree(runs[0].write())
    runs = edited_runs(runs, appended(*"c" * 500))
    assert open_runs(runs).search([["b", "c"]], 1000)[0].rows.tolist() == [1, *range(2, 502)]


def test_a_failed_write_leaves_nothing(monkeypatch):
    directories = []

    def full(directory, *arguments, **options):
        (directory / "half").touch()
        directories.append(directory)
        raise OSError("no space left on device")

    monkeypatch.setattr(postings, "write_segment", full)
    run = Run(pa.array(["a"], pa.large_string()))
    with pytest.raises(OSError, match="no space"):
        run.write()
    assert run.directory is None
    assert not directories[0].exists()


def test_the_heap_is_bounded(monkeypatch):
    heaps = []
    monkeypatch.setattr(
        postings,
        "write_segment",
        lambda directory, texts, heap_bytes: heaps.append(heap_bytes) or SegmentInfo(0, (), ()),
    )
    for size in (1, 50_000_000, 200_000_000):
        Run(pa.array(["x" * size], pa.large_string())).write()
    assert heaps[0] == 30_000_000
    assert 150_000_000 <= heaps[1] <= 151_000_000
    assert heaps[2] == 500_000_000

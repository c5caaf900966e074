"""The parts of a transaction: bounded memory, one pending segment, what is undone."""

import threading
import time

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, parallel
from octavo.columns.id_index import IdIndex, IdIndexBuilder
from octavo.errors import InvalidArgumentError
from octavo.storage.build import postings_stage, segment_build
from octavo.storage.build.memory_budget import parse_budget
from octavo.storage.build.work import Work
from octavo.storage.snapshot.snapshot import open_snapshot
from octavo.storage.writer.row_states import RowStates
from octavo.storage.writer.writer import index_writer


def table(first, count, text="fox"):
    names = [f"d{number}" for number in range(first, first + count)]
    return pa.table({"id": names, "text": [f"{text} {name}" for name in names]})


@pytest.fixture
def index(tmp_path):
    Corpus.build(table(0, 50), tmp_path / "index", embedding="hash:64", threads=1)
    return tmp_path / "index"


def work(threads=2):
    return Work(parse_budget("512MiB"), threads)


def test_several_batches_of_one_operation_are_taken_back_together(index):
    # More rows than a batch of the inputs holds, so the first is written before the second fails.
    large = table(1_000, 40_000)
    late = pa.concat_tables([large, table(1_000, 1)])
    with index_writer(open_snapshot(index), work()) as writer:
        assert writer.delete(["d0"]) == 1
        with pytest.raises(InvalidArgumentError, match="'d1000' in row 40010"):
            writer.upsert(pa.concat_tables([table(1, 10, "new"), late]))
        assert writer.delete(["d1000"]) == 0
        assert writer.add(table(1_000, 3)) == 3
    snapshot = open_snapshot(index)
    assert snapshot.count == 52
    assert snapshot.rows_of(["d0", "d1000", "d1003"]).tolist()[0::2] == [-1, -1]
    row = snapshot.rows_of(["d1"])
    assert snapshot.texts("content", row) == ["fox d1"]


def test_a_large_upsert_keeps_what_is_the_same(index):
    first = table(0, 40_000)
    with index_writer(open_snapshot(index), work()) as writer:
        assert writer.upsert(first) == 39_950
        assert writer.upsert(first) == 0  # pending rows, most of them written out
        assert writer.upsert(table(39_000, 2_000)) == 1_000
    assert open_snapshot(index).count == 41_000


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_change_the_files(index, tmp_path, threads):
    # The postings are cut by the number of threads; columns, vectors and ids are not.
    with index_writer(open_snapshot(index), work(threads)) as writer:
        writer.add(table(100, 9_000))
    Corpus.build(table(100, 9_000), tmp_path / "one", embedding="hash:64", threads=1)
    built = tmp_path / "one" / "segments" / "00000001"
    for name in (
        "documents.arrow",
        "dictionaries.arrow",
        "vectors.npy",
        "vector_codes.npy",
        "id_rows.npy",
    ):
        assert (index / "segments" / "00000002" / name).read_bytes() == (built / name).read_bytes()


def test_an_undone_operation_restores_rows_it_killed():
    states = RowStates(4, np.array([True, True, False, True]))
    states.begin()
    states.kill(np.array([0]))
    states.append(2)
    states.begin()
    states.kill(np.array([1, 4]))
    states.append(3)
    assert states.is_new(np.array([5, 6])).tolist() == [False, True]
    assert states.undo()
    # As if nothing was written.
    assert states.live.tolist() == [False, True, False, True, True, True]
    states.keep_dead()  # but something was
    assert states.live.tolist() == [False, True, False, True, True, True, False, False, False]
    states.begin()
    states.kill(np.array([1]))
    assert not states.undo()
    assert states.live[1]


def test_an_id_on_several_rows_is_found_where_it_is_live(tmp_path):
    stored = ["a", "b", "a", "a"]
    builder = IdIndexBuilder()
    builder.add(pa.array(stored, pa.large_string()))
    builder.write(tmp_path / "h.npy", tmp_path / "r.npy")
    for live in ([1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]):
        mask = np.array(live, bool)
        ids = IdIndex(
            tmp_path / "h.npy",
            tmp_path / "r.npy",
            lambda rows: [stored[row] for row in rows],
            live=mask,
        )
        expected = [
            next((row for row, name in enumerate(stored) if name == wanted and mask[row]), -1)
            for wanted in ("a", "b", "c")
        ]
        assert ids.rows(["a", "b", "c"]).tolist() == expected


def test_nothing_writes_on_after_an_interrupt(index, monkeypatch):
    """Or it would write into the next transaction's segment, which has the same name."""
    write_segment, begun, ended = postings_stage.write_segment, threading.Event(), []

    def slow(directory, arrays, *others):
        begun.set()
        time.sleep(0.2)
        write_segment(directory, arrays, *others)
        ended.append(directory)

    def interrupted(*_):
        begun.wait(10)
        raise KeyboardInterrupt

    monkeypatch.setattr(parallel, "available_threads", lambda: 2)
    monkeypatch.setattr(postings_stage, "write_segment", slow)
    monkeypatch.setattr(segment_build, "write_block_max_postings", interrupted)
    with pytest.raises(KeyboardInterrupt), index_writer(open_snapshot(index), work()) as writer:
        writer.add(table(100, 5))
    assert ended
    assert [path.name for path in (index / "segments").iterdir()] == ["00000001"]

"""``octavo add``."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.corpus.corpus import Corpus
from tests.cli.interrupting import interrupted_at


@pytest.fixture
def mine(index, tmp_path):
    """An index of the five documents that a test may change."""
    return shutil.copytree(index, tmp_path / "index")


@pytest.fixture
def more(tmp_path):
    path = tmp_path / "more.parquet"
    table = {"id": ["f", "g"], "text": ["A grey wolf.", "An owl."], "tier": ["top", None]}
    pq.write_table(pa.table(table), path)
    return path


def ids(path, query, **options):
    hits = Corpus.open(path).search(query, strategy="keyword", **options)
    return [hit.metadata["entryId"] for hit in hits]


def test_added_documents_are_found_at_once(octavo, mine, more):
    done = octavo("add", mine, more)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == ["added       2", "documents   7", "generation  2"]
    assert ids(mine, "wolf") == ["f"]
    assert ids(mine, "wolf fox owl", filters={"tier": "top"}) == ["f", "a"]
    assert "documents/s" in done.stderr


def test_json_is_one_line(octavo, mine, more):
    done = octavo("add", mine, more, "--json", "--memory-budget", "1GiB", "--threads", 1)
    assert json.loads(done.stdout) == {"added": 2, "documents": 7, "generation": 2}


def test_several_inputs_are_one_commit(octavo, mine, more, tmp_path):
    (tmp_path / "lines.jsonl").write_text('{"id": "h", "text": "A heron."}\n')
    (tmp_path / "table.csv").write_text("id,text\ni,An ibis.\n")
    done = octavo("add", mine, more, tmp_path / "lines.jsonl", tmp_path / "table.csv")
    assert "generation  2" in done.stdout
    assert "documents   9" in done.stdout
    assert ids(mine, "heron ibis") == ["h", "i"]


def test_an_id_that_is_there_is_refused_and_nothing_is_added(octavo, mine, tmp_path):
    table = pa.table({"id": ["new", "a"], "text": ["A wolf.", "A wolf."]})
    pq.write_table(table, tmp_path / "some.parquet")
    failed = octavo("add", mine, tmp_path / "some.parquet")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert failed.stderr.splitlines()[-1].startswith("octavo: ")
    assert "'a'" in failed.stderr
    assert ids(mine, "wolf") == []
    assert len(Corpus.open(mine)) == 5


def test_upsert_replaces_and_inserts(octavo, mine, tmp_path):
    table = pa.table({"id": ["new", "a"], "text": ["A wolf.", "A wolf too."]})
    pq.write_table(table, tmp_path / "some.parquet")
    done = octavo("add", mine, tmp_path / "some.parquet", "--upsert")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["written     2", "documents   6"]
    assert sorted(ids(mine, "wolf")) == ["a", "new"]
    assert ids(mine, "jumps") == []


@pytest.mark.parametrize(
    ("name", "content"),
    [("none.csv", ""), ("header.csv", "id,text\n"), ("none.jsonl", ""), ("blank.jsonl", "\n\n")],
)
def test_a_file_of_nothing_is_no_error(octavo, mine, tmp_path, name, content):
    (tmp_path / name).write_text(content)
    for option in ((), ("--upsert",)):
        done = octavo("add", mine, tmp_path / name, *option)
        assert done.exit_code == 0, done.stderr
        assert done.stdout.splitlines()[1:] == ["documents   5", "generation  1"]
    pq.write_table(pa.table({"id": pa.array([], pa.string())}), tmp_path / "none.parquet")
    assert octavo("add", mine, tmp_path / "none.parquet").exit_code == 0


def test_what_is_no_index_or_no_file_is_one_line(octavo, mine, more, tmp_path):
    for arguments in ((tmp_path / "no", more), (mine, tmp_path / "no.parquet")):
        failed = octavo("add", *arguments)
        assert (failed.exit_code, failed.stdout) == (1, "")
        assert failed.stderr.splitlines()[-1].startswith("octavo: ")
    assert octavo("add", mine).exit_code == 2
    assert len(Corpus.open(mine)) == 5


def test_an_input_without_the_columns_of_the_index_says_which(octavo, mine, tmp_path):
    (tmp_path / "other.csv").write_text("key,words\nx,wolf\n")
    failed = octavo("add", mine, tmp_path / "other.csv")
    assert failed.exit_code == 1
    assert "'id'" in failed.stderr
    assert "'key'" in failed.stderr


def test_a_second_writer_is_told_who_writes(octavo, mine, more):
    from octavo.storage.commit.lock import writer_lock

    with writer_lock(mine):
        failed = octavo("add", mine, more)
    assert failed.exit_code == 1
    assert "another writer holds the lock (pid " in failed.stderr
    assert octavo("add", mine, more).exit_code == 0


def test_an_interrupt_changes_nothing_and_leaves_no_lock(octavo, mine, more):
    written = str(Path("segments", "00000002", "documents.arrow"))
    code, said = interrupted_at(written, "add", mine, more)
    assert (code, said[-1]) == (130, "octavo: interrupted")
    assert ids(mine, "wolf") == []
    assert [path.name for path in (mine / "segments").iterdir()] == ["00000001"]
    assert octavo("add", mine, more).exit_code == 0


def test_a_size_that_is_none_is_a_wrong_command_line(octavo, mine, more):
    for size in ("5potatoes", "1KB"):
        done = octavo("add", mine, more, "--memory-budget", size)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "--memory-budget" in done.stderr
        assert repr(size) in done.stderr


def test_columns_that_the_input_lacks_are_told(octavo, mine, more, tmp_path):
    assert "no column 'tier'" not in octavo("add", mine, more).stderr
    pq.write_table(pa.table({"id": ["a"], "text": ["A red fox."]}), tmp_path / "few.parquet")
    done = octavo("add", mine, tmp_path / "few.parquet", "--upsert")
    assert done.exit_code == 0
    assert "The input has no column" in done.stderr
    assert "'tier'" in done.stderr

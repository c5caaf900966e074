"""``octavo delete``."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.corpus.corpus import Corpus


@pytest.fixture
def mine(index, tmp_path):
    """An index of the five documents a to e that a test may change."""
    return shutil.copytree(index, tmp_path / "index")


def left(path):
    corpus = Corpus.open(path)
    return "".join(one for one in "abcde" if (corpus.keyword_index.rows_of([one]) >= 0).all())


def test_ids_of_the_command_line(octavo, mine):
    done = octavo("delete", mine, "--id", "a", "--id", "zzz", "--id", "a", "--id", "e")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == ["deleted    2", "not found  1", "documents  3"]
    assert left(mine) == "bcd"
    hits = Corpus.open(mine).search("fox 東京", strategy="keyword")
    assert [hit.metadata["entryId"] for hit in hits] == ["d"]


def test_ids_of_a_file_and_of_standard_input(octavo, mine, tmp_path):
    (tmp_path / "ids.txt").write_text("a\r\n\nnobody\n")
    done = octavo("delete", mine, "--ids", tmp_path / "ids.txt", "--json")
    assert json.loads(done.stdout) == {"deleted": 1, "not_found": 1, "documents": 4}
    pq.write_table(pa.table({"id": ["b", "x", "b"]}), tmp_path / "ids.parquet")
    done = octavo("delete", mine, "--ids", tmp_path / "ids.parquet", "--json")
    assert json.loads(done.stdout) == {"deleted": 1, "not_found": 1, "documents": 3}

    from typer.testing import CliRunner

    from octavo.cli.main import app

    done = CliRunner().invoke(app, ["delete", str(mine), "--ids", "-"], input="c\n")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "deleted    1")
    assert left(mine) == "de"


def test_no_ids_are_no_error(octavo, mine, tmp_path):
    (tmp_path / "ids").write_text("\n")
    done = octavo("delete", mine, "--ids", tmp_path / "ids")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "deleted    0")
    assert Corpus.open(mine).info().generation == 1


def test_filters(octavo, mine):
    done = octavo("delete", mine, "--filter", "tier=rest")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == ["deleted    3", "documents  2"]
    assert left(mine) == "ae"
    again = octavo("delete", mine, "--filter", "tier=rest", "--json")
    assert json.loads(again.stdout) == {"deleted": 0, "documents": 2}


def test_a_filter_of_an_unknown_key_deletes_nothing(octavo, mine):
    for dry_run in ((), ("--dry-run",)):
        failed = octavo("delete", mine, "--filter", "teir=rest", *dry_run)
        assert (failed.exit_code, failed.stdout) == (1, "")
        assert "no document has the key 'teir' (did you mean 'tier'?)" in failed.stderr
    assert left(mine) == "abcde"


def test_a_dry_run_changes_nothing(octavo, mine):
    before = {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()}
    said = octavo("delete", mine, "--id", "a", "--id", "no", "--dry-run")
    assert said.stdout.splitlines() == ["to delete  1", "not found  1", "documents  5"]
    said = octavo("delete", mine, "--filter", "tier=rest", "--dry-run", "--json")
    assert json.loads(said.stdout) == {"to_delete": 3, "documents": 5}
    assert {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--id", "a", "--filter", "tier=top"),
        ("--ids", "-", "--id", "a"),
        ("--ids", "-", "--filter", "tier=top"),
        ("--filter", "tier"),
        ("--filter", "=x"),
        ("a",),
    ],
)
def test_there_is_exactly_one_way(octavo, mine, arguments):
    assert octavo("delete", mine, *arguments).exit_code == 2
    assert left(mine) == "abcde"


def test_failures_are_one_line(octavo, mine, tmp_path):
    for arguments in (
        (tmp_path / "no", "--id", "a"),
        (mine, "--ids", tmp_path / "no"),
    ):
        failed = octavo("delete", *arguments)
        assert (failed.exit_code, failed.stdout) == (1, "")
        assert failed.stderr.startswith("octavo: ")
    assert left(mine) == "abcde"

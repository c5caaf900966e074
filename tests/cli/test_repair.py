"""``octavo repair``."""

import json
import shutil

import pytest


@pytest.fixture
def mine(index, tmp_path):
    return shutil.copytree(index, tmp_path / "index")


def damage(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_whole_index_has_nothing_to_repair(octavo, mine):
    done = octavo("repair", mine)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "Nothing is damaged." in done.stderr
    assert json.loads(octavo("repair", mine, "--json").stdout)["rebuilt"] == []


@pytest.mark.parametrize("name", ["id_rows.npy", "rows.npy", "vector_codes.npy"])
def test_derived_parts_are_built_again(octavo, index, mine, name):
    (damaged,) = mine.rglob(name)
    damage(damaged)
    assert octavo("verify", mine).exit_code == 1
    done = octavo("repair", mine)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("rebuilt ")
    assert octavo("verify", mine).exit_code == 0
    for strategy in ("keyword", "vector"):
        question = ("fox whale", "--strategy", strategy, "--json")
        assert octavo("search", mine, *question).stdout == octavo("search", index, *question).stdout


def test_lost_documents_cannot_be_repaired(octavo, mine):
    (documents,) = mine.rglob("documents.arrow")
    damage(documents)
    failed = octavo("repair", mine)
    assert failed.exit_code == 1
    assert str(documents) in failed.stderr


def test_no_index_is_a_failure(octavo, tmp_path):
    failed = octavo("repair", tmp_path)
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert failed.stderr.startswith("octavo: ")

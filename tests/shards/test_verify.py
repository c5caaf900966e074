import shutil

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from octavo.cli.main import app
from octavo.shards import ShardedCorpus
from octavo.shards.verify import verify_shards
from octavo.storage.maintenance.verify import verify_index


@pytest.fixture
def index(tmp_path):
    ids = [f"d{number}" for number in range(30)]
    documents = pa.table({"id": ids, "text": [f"fox {each}" for each in ids]})
    return ShardedCorpus.build(documents, tmp_path / "index", 3, embedding="none").path


def positions(index):
    return sorted(index.rglob("*.positions.npy"))


def test_a_whole_index_is_whole(index):
    found = verify_shards(index)
    assert (found.documents, found.problems, found.remains) == (30, (), ())
    parts = [verify_index(place.snapshot().path) for place in ShardedCorpus.open(index).shards]
    assert found.files == 1 + sum(part.files + 1 for part in parts)
    done = CliRunner().invoke(app, ["verify", str(index)])
    assert done.exit_code == 0
    assert "ok: 30 documents" in done.stdout


def test_a_damaged_shard_is_named(index):
    path = next(index.rglob("documents.arrow"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    found = verify_shards(index)
    assert [problem.path for problem in found.problems] == [path]
    assert CliRunner().invoke(app, ["verify", str(index)]).exit_code == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda array: array[::-1], "rising"),
        (lambda array: array + 1_000, "below 30"),
        (lambda array: array[:-1], "shape"),
        (lambda array: array.astype(np.int32), "int64"),
    ],
)
def test_damaged_positions_are_named(index, change, message):
    path = positions(index)[1]
    np.save(path, change(np.load(path)))
    (problem,) = verify_shards(index).problems
    assert problem.path == path
    assert message in problem.message


def test_a_document_in_two_shards_is_named(index):
    first, second, _ = positions(index)
    array = np.load(second)
    array[0] = np.load(first)[0]
    np.save(second, np.sort(array))
    problems = verify_shards(index).problems
    assert "another shard" in problems[0].message or "rising" in problems[0].message


def test_every_damaged_shard_is_named_the_missing_ones_too(index):
    first, second, third = (place.snapshot().path for place in ShardedCorpus.open(index).shards)
    shutil.rmtree(first)
    for name in ("manifest.json", "manifest.copy.json"):
        (second / name).write_text("{")
    damaged = next(third.rglob("documents.arrow"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    problems = verify_shards(index).problems
    assert {problem.path for problem in problems} == {
        first,
        second / "manifest.json",
        second / "manifest.copy.json",
        damaged,
    }
    done = CliRunner().invoke(app, ["verify", str(index)])
    assert done.exit_code == 1
    assert all(str(path) in done.stdout for path in (first, second, damaged))


def test_a_damaged_description_is_a_problem_as_a_damaged_manifest_is(index):
    (index / "shards.json").write_text("{")
    (problem,) = verify_shards(index).problems
    assert problem.path == index / "shards.json"
    assert CliRunner().invoke(app, ["verify", str(index)]).exit_code == 1


def test_what_a_killed_build_left_is_no_part_of_the_index(index):
    killed, other = index / "generation-00000002", index / "generation-00000001" / ".scratch"
    (killed / "00000").mkdir(parents=True)
    other.mkdir()
    (index / "shards.json.tmp").touch()
    found = verify_shards(index)
    assert found.whole
    assert set(found.remains) == {killed, other, index / "shards.json.tmp"}
    done = CliRunner().invoke(app, ["verify", str(index)])
    assert done.exit_code == 0
    assert f"Not part of the index: {', '.join(map(str, sorted(found.remains)))}" in done.stderr


def test_an_index_that_is_replaced_while_it_is_verified_is_verified_anew(index, monkeypatch):
    checked = []

    def replaced_before(directory):
        if not checked:
            ids = pa.table({"id": ["a"], "text": ["fox"]})
            ShardedCorpus.build(ids, index, 2, embedding="none", overwrite=True)
        checked.append(directory)
        return verify_index(directory)

    monkeypatch.setattr("octavo.shards.verify.verify_index", replaced_before)
    found = verify_shards(index)
    assert (found.problems, found.documents) == ((), 1)

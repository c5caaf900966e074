import shutil

import pytest


def test_a_whole_index_is_ok(octavo, index):
    found = octavo("verify", index)
    assert found.exit_code == 0
    assert found.stdout.startswith("ok: 5 documents, ")


def test_every_damaged_file_is_named(octavo, index, tmp_path):
    files = sorted(
        path.relative_to(index)
        for path in index.rglob("*")
        if path.is_file() and path.stat().st_size
    )
    named = 0
    for file in files:
        if file.name.startswith("writer."):
            continue
        copy = tmp_path / "copy"
        shutil.copytree(index, copy)
        damaged = bytearray((copy / file).read_bytes())
        damaged[len(damaged) // 2] ^= 1
        (copy / file).write_bytes(damaged)
        found = octavo("verify", copy)
        assert found.exit_code == 1
        assert str(copy / file) in found.stdout
        shutil.rmtree(copy)
        named += 1
    assert named > 3


def test_a_truncated_and_a_missing_file_are_named(octavo, index, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(index, copy)
    (documents,) = copy.rglob("documents.arrow")
    documents.write_bytes(documents.read_bytes()[:-100])
    (vectors,) = copy.rglob("vectors.npy")
    vectors.unlink()
    found = octavo("verify", copy)
    assert found.exit_code == 1
    assert str(documents) in found.stdout
    assert f"{vectors}: the file is missing" in found.stdout
    assert "2 of" in found.stderr


@pytest.mark.parametrize("what", ["missing", "empty"])
def test_no_index_is_a_failure(octavo, tmp_path, what):
    path = tmp_path / "no" if what == "missing" else tmp_path
    found = octavo("verify", path)
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.startswith(f"octavo: {path}: expected an octavo index")

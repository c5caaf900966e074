"""Every damaged byte is found and named."""

import shutil

import pytest

from octavo import Corpus, CorpusCorruptError, CorpusFormatError
from octavo.storage.maintenance.verify import verify_index


@pytest.fixture
def index(corpus, tmp_path):
    shutil.copytree(corpus.path, tmp_path / "index")
    return tmp_path / "index"


def files_of(index):
    skipped = {"writer.lock", "writer.json"}
    return sorted(p for p in index.rglob("*") if p.is_file() and p.name not in skipped)


def test_a_whole_index_has_no_problem(index):
    checked = verify_index(index)
    assert checked.whole
    assert checked.documents == 10
    assert checked.files == len(files_of(index))
    assert checked.bytes == sum(path.stat().st_size for path in files_of(index))


def test_one_flipped_byte_in_any_file_is_named(index):
    for path in files_of(index):
        whole = path.read_bytes()
        for position in {0, len(whole) // 2, len(whole) - 1} if whole else ():
            flipped = bytearray(whole)
            flipped[position] ^= 0x10
            path.write_bytes(flipped)
            if path.name.startswith("manifest.") and chr(whole[position]).isspace():
                continue  # white space is no content
            problems = verify_index(index).problems
            assert [problem.path for problem in problems] == [path]
        path.write_bytes(whole)
    assert verify_index(index).whole


def test_missing_truncated_and_grown_files_are_named_by_verify_and_open(index):
    for path in files_of(index):
        if path.name.startswith("manifest."):
            continue
        whole = path.read_bytes()
        for content in (None, whole[:-1], whole + b"x"):
            path.unlink(missing_ok=True)
            if content is not None:
                path.write_bytes(content)
            assert [problem.path for problem in verify_index(index).problems] == [path]
            with pytest.raises(CorpusCorruptError, match=path.name):
                Corpus.open(index)
        path.write_bytes(whole)
    assert Corpus.open(index).verify().whole


def test_several_problems_are_all_reported(index):
    chosen = [path for path in files_of(index) if path.suffix == ".npy"]
    for path in chosen:
        path.write_bytes(path.read_bytes()[:-1] + b"\xff\xff")
    assert {problem.path for problem in verify_index(index).problems} == set(chosen)


def test_no_index_is_no_verification(tmp_path):
    with pytest.raises(CorpusFormatError):
        verify_index(tmp_path)

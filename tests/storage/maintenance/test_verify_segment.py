"""Parts that are whole by themselves and do not belong together are found."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.storage.format import layout
from octavo.storage.format.manifest import LiveEntry, read_manifest
from octavo.storage.maintenance.verify import verify_index
from octavo.storage.snapshot.live_rows import write_live
from tests.storage.damage import edit, restated
from tests.storage.segmented import segmented
from tests.storage.writer.test_merge import table

OPTIONS = {"title": "title", "metadata": ["tier"], "embedding": "hash:64", "parent": "parent"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Two segments, with dead rows, nulls, and documents that are only parents."""
    index = tmp_path_factory.mktemp("verify") / "index"
    segmented(index, [table(0, 50), table(50, 30)], [(3, 4), ()], [table(90, 4)], **OPTIONS)
    return index


@pytest.fixture
def index(built, tmp_path):
    shutil.copytree(built, tmp_path / "index")
    return tmp_path / "index"


@pytest.fixture
def segment(index):
    return layout.segment_directory(index, "00000001")


def found(index):
    return [(problem.path.name, problem.message) for problem in verify_index(index).problems]


def test_the_index_is_whole(index):
    assert verify_index(index).whole
    assert verify_index(index).documents == 82
    assert verify_index(index).remains == ()


def rotate(array):
    return np.roll(array, 1, axis=0)


def shorter(array):
    return array[:-1]


def out_of_range(array):
    array[0] = len(array)
    return array


def swapped(array):
    array[[0, 1]] = array[[1, 0]]
    return array


def longer_vector(array):
    array[7] *= 1.5
    return array


def not_a_number(array):
    array[7, 0] = np.nan
    return array


def a_vector_for_a_parent(array):
    array[-1] = array[0]
    return array


def another_code(array):
    array[2, 2] ^= 3
    return array


ARRAYS = [
    ("id_rows.npy", rotate, "id_hashes.npy", "not that of the id"),
    ("id_rows.npy", out_of_range, "id_rows.npy", "every row once"),
    ("id_rows.npy", shorter, "id_rows.npy", "shape"),
    ("id_hashes.npy", rotate, "id_hashes.npy", "out of order"),
    ("id_hashes.npy", shorter, "id_hashes.npy", "shape"),
    ("vectors.npy", shorter, "vectors.npy", "shape"),
    ("vectors.npy", longer_vector, "vectors.npy", "unit length"),
    ("vectors.npy", not_a_number, "vectors.npy", "unit length"),
    ("vectors.npy", a_vector_for_a_parent, "vectors.npy", "expected zeros"),
    ("vectors.npy", swapped, "vector_codes.npy", "rows 0 to 53"),
    ("vector_codes.npy", another_code, "vector_codes.npy", "rows 0 to 53"),
    ("vector_codes.npy", shorter, "vector_codes.npy", "shape"),
    ("vector_bounds.npy", rotate, "vector_bounds.npy", "rows 0 to 53"),
    ("vector_present.npy", shorter, "vector_present.npy", "shape"),
    ("only_parents.npy", shorter, "only_parents.npy", "shape"),
    ("only_parents.npy", rotate, "only_parents.npy", "has words"),
    ("block_max/rows.npy", rotate, "block_max", "do not rise"),
    ("block_max/rows.npy", shorter, "rows.npy", "shape"),
    ("block_max/rows.npy", lambda rows: rows + 9, "block_max", "does not exist"),
    ("block_max/ends.npy", swapped, "block_max", "do not rise"),
    ("block_max/hashes.npy", swapped, "block_max", "not that of its term"),
    ("block_max/text_ends.npy", lambda ends: ends - 1, "block_max", "do not rise"),
    ("block_max/codes.npy", lambda codes: codes + 1, "block_max", "something else"),
    ("block_max/codes.npy", lambda codes: codes + 256, "block_max", "something else"),
    ("block_max/bounds.npy", lambda bounds: bounds[:0], "bounds.npy", "shape"),
]


@pytest.mark.parametrize(("file", "change", "named", "message"), ARRAYS)
def test_arrays_that_do_not_fit_the_others(index, segment, file, change, named, message):
    edit(segment / file, change)
    assert [problem.path for problem in verify_index(index).problems] == [segment / file]
    restated(index)
    ((name, said),) = found(index)
    assert (name, message in said) == (named, True), said


def test_documents_of_another_build(index, segment, tmp_path):
    """Whole files, swapped between indexes."""
    beside = tmp_path / "beside"
    Corpus.build(table(0, 54, seed=9), beside, threads=1, **OPTIONS)
    other = layout.segment_directory(beside, "00000001")
    shutil.copy(other / "documents.arrow", segment)
    shutil.copy(other / "dictionaries.arrow", segment)
    restated(index)
    assert found(index)
    shutil.copy(other / "id_hashes.npy", segment)
    shutil.copy(other / "id_rows.npy", segment)
    restated(index)


def test_values_of_documents(index, segment):
    path = segment / "documents.arrow"
    with pa.ipc.open_file(pa.BufferReader(path.read_bytes())) as reader:
        whole, schema = reader.read_all(), reader.schema
    place = schema.get_field_index("metadata.tier")
    codes = pa.array([99] * len(whole), pa.int32())
    with pa.ipc.new_file(str(path), schema) as writer:
        writer.write_table(whole.set_column(place, schema.field(place), codes))
    restated(index)
    ((name, said),) = found(index)
    assert name == "documents.arrow"
    assert "codes below 5" in said
    content = path.read_bytes().replace("über".encode(), b"\xff\xfeber")
    path.write_bytes(content)
    restated(index)
    ((name, said),) = found(index)
    assert name == "documents.arrow"
    assert "UTF8" in said.upper().replace("-", "")


def test_fewer_rows_than_the_manifest_says(index):
    (entry, _) = read_manifest(index).segments
    restated(index, rows=entry.rows + 1)
    names = {name for name, _ in found(index)}
    assert {"documents.arrow", "live", "vectors.npy", "0", "00000001.npy"} & names


@pytest.mark.parametrize(
    ("change", "message"),
    [({"null_vectors": 3}, "without a vector"), ({"empty_texts": 0}, "without words")],
)
def test_counts_of_the_manifest(index, change, message):
    restated(index, **change)
    ((name, said),) = found(index)
    assert (name, message in said) == ("00000001", True), said


def test_live_rows(index, segment):
    live = np.ones(54, bool)
    live[[3, 4, 5]] = False
    write_live(segment / "live/00000001.npy", live)
    restated(index)
    ((name, said),) = found(index)
    assert name == "00000001.npy"
    assert "expected 52 live rows, found 51" in said
    restated(index, live=LiveEntry("live/00000001.npy", 51))
    assert [said for _, said in found(index) if "vector" not in said and "words" not in said] == []


def test_live_rows_of_which_two_have_one_id(tmp_path):
    index = tmp_path / "index"
    segmented(index, [table(0, 5), table(3, 4)], [(3,), ()], **OPTIONS)
    ((name, said),) = found(index)
    assert name == "index"
    assert "'d4' in the live rows [4, 6]" in said


def test_postings_of_other_rows(index, segment, tmp_path):
    other = layout.segment_directory(index, "00000002")
    (segment / "keyword/0").rename(tmp_path / "gone")
    shutil.copytree(other / "keyword/0", segment / "keyword/0")
    restated(index)
    ((name, said),) = found(index)
    assert "expected postings of 54 rows, found 30" in said
    assert name == "0"


def test_postings_out_of_row_order(index, segment):
    path = segment / "keyword/0/meta.json"
    meta = json.loads(path.read_bytes())
    meta["segments"][0]["max_doc"] -= 1
    path.write_text(json.dumps(meta))
    restated(index)
    assert any(name == "0" or "keyword" in said for name, said in found(index))


def test_block_max_postings_of_other_texts(index, segment, tmp_path):
    beside = tmp_path / "beside"
    Corpus.build(table(0, 54, seed=9), beside, threads=1, **OPTIONS)
    shutil.rmtree(segment / "block_max")
    shutil.copytree(
        layout.segment_directory(beside, "00000001") / "block_max", segment / "block_max"
    )
    restated(index)
    ((name, said),) = found(index)
    assert name == "block_max"
    assert "documents, as the postings" in said


def test_a_file_that_the_manifest_does_not_name(index, segment):
    manifest = read_manifest(index)
    files = dict(manifest.segments[0].files)
    del files["id_rows.npy"]
    content = (segment / "id_rows.npy").read_bytes()
    restated(index, files=files)
    (segment / "id_rows.npy").write_bytes(content)
    ((name, said),) = found(index)
    assert (name, said) == ("id_rows.npy", "the manifest does not name this file")
    shutil.copy(segment / "vectors.npy", segment / "vectors.npy.old")
    (index / "notes.txt").write_text("mine")
    assert verify_index(index).remains == (
        index / "notes.txt", segment / "id_rows.npy", segment / "vectors.npy.old",
    )  # fmt: skip


def test_empty_texts_without_block_max(tmp_path):
    index = tmp_path / "index"
    segmented(index, [table(0, 30)], [(1,)], **OPTIONS, block_max=False)
    assert verify_index(index).whole
    restated(index, empty_texts=0)
    ((name, said),) = found(index)
    assert "without words" in said
    assert name == "00000001"

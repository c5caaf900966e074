"""Vectors on their way to disk, and their codes."""

import json

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, CorpusCorruptError
from octavo.columns.vector_codes import code_width
from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors
from octavo.storage.commit.commit import commit
from octavo.storage.format import layout
from octavo.storage.format.manifest import read_manifest
from octavo.storage.snapshot.segment_vectors import SegmentVectors

CODES = {layout.VECTOR_CODES, layout.VECTOR_BOUNDS}


def written(directory, batches):
    with SegmentVectors(directory) as vectors:
        for batch in batches:
            vectors.write(batch)
    return {path.name: np.load(path) for path in directory.glob("*.npy")}


def test_codes_are_those_of_the_vectors_nulls_first(tmp_path):  # S16
    some = unit_length(np.random.default_rng(1).standard_normal((5, 40)))
    missing = np.zeros((3, 0), np.float32), np.zeros(3, np.bool_)
    found = written(tmp_path, [missing, (some, None), missing])
    expected = np.concatenate([np.zeros((3, 40), np.float32), some, np.zeros((3, 40), np.float32)])
    np.testing.assert_array_equal(found[layout.VECTORS], expected)
    codes, bounds = encode_vectors(expected, code_width(40))
    np.testing.assert_array_equal(found[layout.VECTOR_CODES], codes)
    np.testing.assert_array_equal(found[layout.VECTOR_BOUNDS], bounds)
    assert found[layout.VECTOR_PRESENT].tolist() == [False] * 3 + [True] * 5 + [False] * 3


def test_short_vectors_have_no_codes(tmp_path):
    assert written(tmp_path, [(np.eye(8, dtype=np.float32), None)]).keys() == {layout.VECTORS}


def test_nothing_is_written_without_vectors_or_after_an_error(tmp_path):
    assert written(tmp_path, [(np.zeros((3, 0), np.float32), np.zeros(3, np.bool_))]) == {}
    missing = np.eye(40, dtype=np.float32), np.zeros(40, np.bool_)
    with pytest.raises(AttributeError), SegmentVectors(tmp_path) as vectors:
        [vectors.write(batch) for batch in (missing, (None, None))]
    assert not (tmp_path / layout.VECTOR_PRESENT).exists()


@pytest.fixture
def index(tmp_path):
    texts = [f"a text about {word}" for word in ("foxes", "whales", "owls", "wolves")]
    documents = pa.table({"id": list("abcd"), "text": texts})
    return Corpus.build(documents, tmp_path / "index", embedding="hash").path


def hits(path):
    corpus = Corpus.open(path)
    return corpus.search_batch(["foxes", "a text", "owls"] * 7, strategy="vector", min_score=-1.0)


def test_an_index_without_codes_answers_the_same(index):
    expected = hits(index)
    manifest = read_manifest(index)
    (segment,) = manifest.segments
    assert segment.files.keys() >= CODES
    body = json.loads((index / layout.MANIFEST).read_bytes())
    assert body["format_version"] == 1
    for name in CODES:
        (layout.segment_directory(index, segment.name) / name).unlink()
        del segment.files[name]
    commit(index, manifest)
    assert hits(index).equals(expected)
    assert Corpus.open(index).verify().whole


def test_codes_of_another_shape_are_corrupt(index):
    manifest = read_manifest(index)
    (segment,) = manifest.segments
    path = layout.segment_directory(index, segment.name) / layout.VECTOR_CODES
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"(4, 128)", b"(2, 256)"))
    with pytest.raises(CorpusCorruptError, match=r"vector_codes\.npy: expected uint8"):
        Corpus.open(index)


def test_codes_damaged_after_opening_change_no_score(index):
    expected = {
        (query, document): score
        for query, document, score in zip(
            *(hits(index)[name].to_pylist() for name in ("query_id", "id", "score")), strict=True
        )
    }
    manifest = read_manifest(index)
    (segment,) = manifest.segments
    directory = layout.segment_directory(index, segment.name)
    for name in CODES:
        path = directory / name
        whole = path.read_bytes()
        path.write_bytes(whole[:128] + b"\xff" * (len(whole) - 128))
    found = hits(index)
    for query, document, score in zip(
        *(found[name].to_pylist() for name in ("query_id", "id", "score")), strict=True
    ):
        assert expected[query, document] == score
    assert {problem.path.name for problem in Corpus.open(index).verify().problems} == CODES

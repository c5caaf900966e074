"""An index that is replaced lends its vectors to texts that are the same."""

import hashlib
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.kernels.unit_length import unit_length
from octavo.storage.build.build_request import VECTORS_REUSED, BuildProgress
from octavo.storage.build.reuse import _CONTROLS
from octavo.storage.commit.commit import commit
from octavo.storage.format.manifest import read_manifest
from tests.storage.segmented import files_of, segmented


class Counting:
    """Vectors that only the text decides; remembers what it was asked."""

    def __init__(self, salt="", dimensions=8):
        self.asked = []
        self.salt = salt
        self.dimensions = dimensions

    def __call__(self, text):
        self.asked.append(text)
        seed = int.from_bytes(hashlib.sha256((self.salt + text).encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions)


class Batched(Counting):
    def embed_batch(self, texts):
        return np.stack([Counting.__call__(self, text) for text in texts])


def table(texts, titles=None, first=0):
    columns = {"id": [f"d{first + row}" for row in range(len(texts))], "text": texts}
    return pa.table(columns | ({"title": titles} if titles else {}))


TEXTS = [f"a text about {number}" + " more" * (number % 5) for number in range(40)]


def vectors_of(function, texts):
    return unit_length(np.stack([function(text) for text in texts]).astype(np.float32))


def build(texts, out, function, **options):
    told = []
    documents = texts if isinstance(texts, pa.Table) else table(texts)
    options = {"overwrite": True, "threads": 1, **options}
    corpus = Corpus.build(documents, out, embedding=function, progress=told.append, **options)
    events = [event for event in told if isinstance(event, BuildProgress)]
    reused = [event.rows for event in events if event.stage == VECTORS_REUSED]
    return corpus, reused


@pytest.mark.parametrize("kind", [Counting, Batched])
def test_only_new_texts_are_embedded_whatever_the_ids(tmp_path, kind):
    function = kind()
    build(TEXTS, tmp_path / "index", function)
    assert function.asked == TEXTS
    function.asked.clear()
    changed = [*TEXTS[5:], "a new text", TEXTS[0], "another", "another"]
    documents = table(changed, first=1_000)
    _, reused = build(documents, tmp_path / "index", function)
    new = [text for text in changed if text not in TEXTS]
    controls = [text for text in function.asked if text in TEXTS]
    assert [text for text in function.asked if text not in TEXTS] == new
    assert len(controls) == len(set(controls)) <= _CONTROLS
    assert reused == [len(changed) - len(new)]
    build(documents, tmp_path / "scratch", kind())
    assert files_of(tmp_path / "index") == files_of(tmp_path / "scratch")


def test_the_first_build_and_other_embeddings_reuse_nothing(tmp_path):
    assert build(TEXTS, tmp_path / "index", "hash")[1] == []
    function = Counting()
    assert build(TEXTS, tmp_path / "index", function)[1] == []  # after hash vectors
    assert function.asked == TEXTS
    assert build(TEXTS, tmp_path / "index", "hash:64")[1] == []
    assert build(TEXTS, tmp_path / "other", Counting())[1] == []


@pytest.mark.parametrize("other", [Counting("other"), Counting(dimensions=9), Batched("other")])
def test_a_function_that_answers_otherwise_is_asked_for_everything(tmp_path, other):
    """Another model behind the same name must not be mixed with the one before."""
    build(TEXTS, tmp_path / "index", Counting())
    corpus, reused = build([*TEXTS[:30], "a new text"], tmp_path / "index", other)
    assert reused == [0]
    assert set(other.asked) == {*TEXTS[:30], "a new text"}
    assert len(other.asked) <= 31 + _CONTROLS
    expected = vectors_of(type(other)(other.salt, other.dimensions), TEXTS[3:4])
    np.testing.assert_array_equal(corpus._snapshot.segments[0].vectors[3], expected[0])


def test_small_differences_of_another_machine_are_no_other_function(tmp_path):
    build(TEXTS, tmp_path / "index", Counting())

    def nearly(text):
        vector = Counting()(text)
        return vector + 1e-6 * np.roll(vector, 1)

    assert build(TEXTS, tmp_path / "index", nearly)[1] == [40]


def test_titles_belong_to_the_text(tmp_path):
    function = Counting()
    build(table(["one", "two", ""], ["t", "t", "t"]), tmp_path / "index", function)
    function.asked.clear()
    build(table(["one", "two", ""], ["t", "other", "t"]), tmp_path / "index", function)
    assert [text for text in function.asked if text.startswith("other")] == ["other\ntwo"]
    function.asked.clear()
    # the same searchable texts, cut otherwise into title and content
    _, reused = build(table(["t\none", "other\ntwo", "t"]), tmp_path / "index", function)
    assert reused == [3]


def test_deleted_rows_lend_their_vectors_and_mere_parents_have_none(tmp_path):
    function = Counting()
    parents = table(["a parent"], first=50)
    segmented(
        tmp_path / "index", [table(TEXTS[:5]), table(TEXTS[5:9], first=5)], [(1, 2), ()],
        [parents], embedding=function, parent=None,
    )  # fmt: skip
    function.asked.clear()
    _, reused = build([*TEXTS[:9], "a parent"], tmp_path / "index", function)
    assert reused == [9]
    assert "a parent" in function.asked


def test_equal_hashes_do_no_harm(tmp_path, monkeypatch):
    function = Counting()
    build(TEXTS, tmp_path / "index", function)
    monkeypatch.setattr(
        "octavo.storage.snapshot.embedded_texts.hash_texts",
        lambda texts: np.zeros(len(texts), np.uint64),
    )
    corpus, reused = build(TEXTS[::-1], tmp_path / "index", function)
    assert reused == [1]
    expected = vectors_of(Counting(), TEXTS[::-1])
    np.testing.assert_array_equal(corpus._snapshot.segments[0].vectors, expected)


@pytest.mark.parametrize("name", ["vectors.npy", "documents.arrow"])
def test_damaged_vectors_are_not_lent(tmp_path, name):
    function = Counting()
    corpus, _ = build(TEXTS, tmp_path / "index", function)
    path = corpus._snapshot.segments[0].directory / name
    content = bytearray(path.read_bytes())
    content[-300] ^= 1
    path.write_bytes(content)
    function.asked.clear()
    assert build(TEXTS, tmp_path / "index", function)[1] == []
    assert function.asked == TEXTS


def test_another_fingerprint_is_another_function(tmp_path):
    function = Counting()
    build(TEXTS, tmp_path / "index", function)
    manifest = read_manifest(tmp_path / "index")
    other = replace(manifest.embedding, fingerprint="another")
    commit(tmp_path / "index", replace(manifest, embedding=other))
    assert build(TEXTS, tmp_path / "index", function)[1] == []

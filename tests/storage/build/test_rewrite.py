"""A new segment of an index is built as the index was: its structure too."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.engines.choice import VectorIndexKind
from octavo.storage.build.work import work_of
from octavo.storage.commit.commit import commit
from octavo.storage.format.manifest import read_manifest
from octavo.storage.writer.merge import merge_segments
from tests.storage.segmented import segmented

WORK = work_of(None, 1, None)


def part(rows, first=0):
    vectors = np.random.default_rng(first).standard_normal((rows, 16)).astype(np.float32)
    return pa.table(
        {
            "id": [str(first + row) for row in range(rows)],
            "text": [f"word{row % 50} and word{row % 7}" for row in range(rows)],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 16),
        }
    )


def kinds(corpus):
    return [segment.vector_search.kind for segment in read_manifest(corpus.path).segments]


@pytest.mark.parametrize("kind", [VectorIndexKind.LISTS, VectorIndexKind.GRAPH])
def test_a_structure_asked_for_by_name_is_built_for_the_whole_and_not_for_a_part(tmp_path, kind):
    parts = [part(600), part(200, 600), part(100, 800)]
    options = {"embedding": "column:vector", "vector_index": kind}
    corpus = segmented(tmp_path / "index", parts, [(1,), (), ()], **options)
    snapshot = corpus._snapshot
    entry = merge_segments(corpus.path, "00000009", snapshot.segments[1:], snapshot, WORK)
    assert entry.vector_search.kind == "flat"
    compacted = corpus.compact(threads=1)
    assert kinds(compacted) == [kind.value]
    (search,) = (segment.vector_search for segment in read_manifest(compacted.path).segments)
    assert search.target == 0.95
    assert search.recall >= 0.9
    vectors = np.random.default_rng(5).standard_normal((20, 16))
    exact = Corpus.build(
        pa.concat_tables([parts[0].slice(0, 1), parts[0].slice(2), *parts[1:]]),
        tmp_path / "exact", embedding="column:vector", recall=1.0,
    )  # fmt: skip
    hits = []
    for each in (compacted, exact):
        found = each.search_batch(["x"] * 20, strategy="vector", query_vectors=vectors)
        hits.append(set(zip(found["query_id"].to_pylist(), found["id"].to_pylist(), strict=True)))
    assert len(hits[1]) == 200
    assert len(hits[0] & hits[1]) >= 160
    assert compacted.verify().whole


def test_a_function_that_is_gone_does_not_keep_an_index_from_being_compacted(tmp_path):
    corpus = segmented(
        tmp_path / "index", [part(300), part(100, 300)], embedding="column:vector",
        vector_index="lists",
    )  # fmt: skip
    manifest = read_manifest(corpus.path)
    gone = replace(manifest.embedding, specification="gone.module:function", fingerprint="gone")
    commit(corpus.path, replace(manifest, embedding=gone))
    compacted = Corpus.open(corpus.path).compact(threads=1)
    (segment,) = read_manifest(compacted.path).segments
    assert segment.vector_search.kind == "lists"
    assert list(segment.vector_search.recalls) == ["documents"]


def test_no_document_is_embedded_again(tmp_path):
    asked = []

    def function(text):
        asked.append(text)
        return [float(len(text)), 1.0]

    parts = [part(30).drop_columns("vector"), part(9, 30).drop_columns("vector")]
    corpus = segmented(tmp_path / "index", parts, [(3,), ()], embedding=function)
    asked.clear()
    assert len(corpus.compact()) == 38
    assert asked == []
    (entry,) = read_manifest(corpus.path).segments
    assert entry.name == "00000003"


@pytest.mark.parametrize("kind", [VectorIndexKind.LISTS, VectorIndexKind.GRAPH])
def test_what_is_left_or_put_in_place_of_all_has_the_structure_of_a_whole(tmp_path, kind):
    options = {"embedding": "column:vector", "vector_index": kind}
    corpus = Corpus.build(part(1_000), tmp_path / "index", **options)
    with corpus.writer() as writer:
        writer.delete(range(700))
    assert kinds(corpus) == [kind.value]  # written again, as few rows are left
    with corpus.writer() as writer:
        writer.delete(range(1_000))
        writer.add(part(200, 2_000))
    assert kinds(corpus) == [kind.value]
    with corpus.writer() as writer:
        writer.add(part(100, 3_000))
    assert kinds(corpus) == [kind.value, "flat"]

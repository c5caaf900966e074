"""The promise of docs/format.md: an index of each format version that was released stays readable.

The committed indexes were made by ``formats/make.py``; what they must give comes from
``formats/oracle.py``, which uses no part of octavo.
"""

import json
import math
import os
import shutil
from pathlib import Path

import pytest

from octavo import Corpus
from octavo.errors import CorpusFormatError
from octavo.storage.format.layout import FORMAT_VERSION, MANIFEST, MANIFEST_COPY
from tests.storage.formats import content, oracle
from tests.storage.formats.make import SCHEMA, table

FORMATS = Path(__file__).parent / "formats"
VERSIONS = sorted(path.name for path in FORMATS.iterdir() if path.name.isdigit())
CLOSE = 1e-5
"""Relative for BM25 (S21), absolute for cosines."""


@pytest.fixture(params=VERSIONS)
def version(request):
    return FORMATS / request.param


@pytest.fixture
def expected(version):
    return json.loads((version / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def read_only(version, tmp_path):
    """A copy that nobody may write to, in a directory that nobody may write to."""
    index = shutil.copytree(version / "index", tmp_path / "read-only" / "index")
    places = [index.parent, index, *index.rglob("*")]
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    yield index
    for place in places:
        place.chmod(0o755 if place.is_dir() else 0o644)


def listing(index):
    return {
        path.relative_to(index).as_posix(): path.read_bytes()
        for path in index.rglob("*")
        if path.is_file()
    }


def check_answers(corpus, expected):
    for answer in expected["answers"]:
        for strategy in ("keyword", "vector", "graph"):
            hits = corpus.search(
                answer["query"],
                strategy=strategy,
                max_results=1_000,
                filters=answer["filters"],
            )
            found = {hit.metadata["entryId"]: hit.score for hit in hits}
            wanted = dict(map(tuple, answer[strategy]))
            assert len(hits) == len(found)
            assert found == pytest.approx(wanted, rel=CLOSE, abs=CLOSE), answer["query"]
            # The order, up to documents whose scores only rounding can part.
            scores = [wanted[hit.metadata["entryId"]] for hit in hits]
            assert scores == pytest.approx(sorted(scores, reverse=True), abs=2 * CLOSE)
            if strategy == "keyword":
                assert [*found] == [one for one, _ in answer["keyword"]]


def check_documents(corpus, expected):
    """Compare every column of every document, read by row."""
    snapshot = corpus.keyword_index
    assert (snapshot.rows, len(corpus)) == (expected["rows"], len(expected["documents"]))
    rows = snapshot.rows_of([one["id"] for one in expected["documents"]])
    assert (rows >= 0).all()
    assert sorted(rows) == list(rows)
    times, present = snapshot.timestamps(rows)
    for number, (document, wanted) in enumerate(
        zip(snapshot.documents(rows), expected["documents"], strict=True)
    ):
        assert document.id == wanted["id"]
        assert document.content == wanted["text"]
        assert document.title == wanted["title"]
        assert document.source == (wanted["source"] or wanted["id"])
        assert document.metadata.get("tier") == wanted["tier"]
        year = None if wanted["year"] is None else str(wanted["year"])
        assert document.metadata.get("year") == year
        assert (times[number] if present[number] else None) == wanted["written"]
        assert snapshot.texts("parent", rows[number : number + 1]) == [wanted["parent"]]


def test_there_is_an_index_of_each_version():
    assert [str(version) for version in range(1, FORMAT_VERSION + 1)] == VERSIONS


def test_the_index_has_what_it_is_there_for(version):
    corpus = Corpus.open(version / "index")
    segments = corpus.keyword_index.manifest.segments
    assert len(segments) >= 3
    assert any(segment.live is not None for segment in segments)
    assert any(segment.live is None for segment in segments)
    assert all(any(name.startswith("block_max/") for name in one.files) for one in segments)
    assert corpus.keyword_index.manifest.graph is not None
    size = sum(path.stat().st_size for path in version.rglob("*") if path.is_file())
    assert size < 150_000
    assert (version / "index" / MANIFEST).read_bytes() == (
        version / "index" / MANIFEST_COPY
    ).read_bytes()


def test_the_expected_results_follow_from_the_content(expected):
    """Nobody has edited one without the other."""
    rows = content.rows_as_written()
    assert expected["as written"]["rows"] == len(rows)
    for answer in expected["as written"]["answers"]:
        found = oracle.keyword(rows, answer["query"], answer["filters"])
        assert [list(pair) for pair in found] == answer["keyword"]
        assert any(answer["keyword"]) == (answer["query"] != "nothing")


def test_it_opens_and_searches_read_only(read_only, expected):
    before = listing(read_only)
    corpus = Corpus.open(read_only)
    assert corpus.verify().problems == ()
    check_documents(corpus, expected["as written"])
    check_answers(corpus, expected["as written"])
    parent = corpus.search("item25", strategy="hierarchical", child="keyword")
    assert [hit.metadata["entryId"] for hit in parent] == ["dök-25-🦊", "dok-04", "dök-00-🦊"]
    parent = corpus.search("new owl", strategy="hierarchical", child="keyword", max_results=3)
    assert [hit.metadata["entryId"] for hit in parent] == ["dök-40-🦊", "dok-61", "dök-60-🦊"]
    assert corpus.search("fox", strategy="temporal", now="1970-02-01T00:00:00Z")
    assert listing(read_only) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_it_cannot_be_written_read_only(read_only):
    with pytest.raises(OSError), Corpus.open(read_only).writer() as writer:  # noqa: PT011
        writer.delete(["dok-09"])


def test_a_copy_can_be_changed_and_compacted(version, expected, tmp_path):
    index = shutil.copytree(version / "index", tmp_path / "index")
    corpus = Corpus.open(index)
    with corpus.writer(threads=1) as writer:
        assert writer.delete(["dok-09", "dok-07"]) == 1
        assert writer.add(table(content.LATE)) == len(content.LATE)
    corpus.compact(threads=1)
    later = Corpus.open(index)
    assert later.info().segments == 1
    assert later.verify().problems == ()
    check_documents(later, expected["later"])
    check_answers(later, expected["later"])


def test_the_columns_are_those_of_the_content():
    assert set(SCHEMA.names) == set(content.BUILT[0])


def test_a_newer_version_says_so_and_is_not_read_from_the_copy(version, tmp_path):
    index = shutil.copytree(version / "index", tmp_path / "index")
    body = json.loads((index / MANIFEST).read_text())
    (index / MANIFEST).write_text(json.dumps(body | {"format_version": FORMAT_VERSION + 1}))
    message = (
        f"{index / MANIFEST}: written by format version {FORMAT_VERSION + 1}, this octavo reads "
        f"up to {FORMAT_VERSION}; install a newer octavo"
    )
    for action in (
        Corpus.open,
        lambda path: Corpus.build(table([]), path, overwrite=True, embedding="none"),
    ):
        with pytest.raises(CorpusFormatError) as refused:
            action(index)
        assert str(refused.value) == message
    assert math.prod((index / name).stat().st_size for name in (MANIFEST, MANIFEST_COPY))

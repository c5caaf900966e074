"""Several segment directories opened as one, with nothing written into them."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pyarrow as pa
import pytest
import tantivy

from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.index import KeywordIndex
from octavo.engines.keyword.schema import keyword_schema
from octavo.engines.keyword.writer import write_segment
from octavo.errors import ConfigurationError, CorpusCorruptError, CorpusFormatError
from tests.engines.keyword.corpora import build, write_segments

DOCUMENTS = [["a", "b"], ["b"], [], ["a", "b"], ["c", "a"]]


@pytest.fixture
def segments(tmp_path):
    return write_segments(tmp_path / "segments", DOCUMENTS, [2])


def contents(directories):
    return {
        file: (file.stat().st_mtime_ns, file.read_bytes())
        for directory in directories
        for file in directory.iterdir()
    }


def test_nothing_is_written_beside_the_files_and_nothing_is_left(segments, tmp_path):
    before = contents(segments)
    names = {directory: directory.stat().st_mtime_ns for directory in segments}
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    searcher = open_composed(segments, scratch)
    assert (searcher.num_docs, searcher.num_segments) == (5, 2)
    assert [*scratch.iterdir()] == []
    assert contents(segments) == before
    assert {directory: directory.stat().st_mtime_ns for directory in segments} == names


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_can_search_files_that_he_may_only_read():
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        segments = write_segments(place / "segments", DOCUMENTS, [2])
        for directory in [place, place / "segments", *segments]:
            directory.chmod(0o555)
        assert search_as_nobody(segments) == "5 []\n"


def search_as_nobody(segments):
    program = """
        import os, sys, tempfile
        from pathlib import Path
        from octavo.engines.keyword.composed import open_composed

        os.setgid(65534)
        os.setuid(65534)
        segments = [Path(argument) for argument in sys.argv[1:]]
        assert not os.access(segments[0], os.W_OK)
        with tempfile.TemporaryDirectory() as scratch:
            print(open_composed(segments, Path(scratch)).num_docs, os.listdir(scratch))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, segments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.stdout


def test_a_relative_path_works(segments, monkeypatch):
    monkeypatch.chdir(segments[0].parent)
    assert open_composed([Path(directory.name) for directory in segments]).num_docs == 5


def test_the_snapshot_outlives_its_files(segments):
    index = KeywordIndex.open(segments, 5)
    for directory in segments:
        for file in directory.iterdir():
            file.unlink()
    hits, _ = index.search([["a"]], 10)
    assert hits.rows.tolist() == [0, 3, 4]


def test_statistics_are_those_of_the_whole(segments):
    searcher = open_composed(segments)
    assert searcher.doc_freq("body", "a") == 3
    assert searcher.doc_freq("body", "b") == 3


def test_no_segments_are_an_empty_index():
    assert open_composed([]).num_docs == 0


def test_no_usable_temporary_directory_is_named(segments, tmp_path, monkeypatch):
    with pytest.raises(ConfigurationError, match="gone.*TMPDIR"):
        open_composed(segments, tmp_path / "gone")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "also gone"))
    with pytest.raises(ConfigurationError, match="also gone"):
        open_composed(segments)


@pytest.mark.parametrize("component", ["term", "idx", "pos", "fast", "fieldnorm", "store"])
def test_a_missing_file_is_named(segments, component):
    (file,) = segments[1].glob(f"*.{component}")
    file.unlink()
    with pytest.raises(CorpusCorruptError, match=file.name):
        open_composed(segments)


@pytest.mark.parametrize("component", ["term", "idx", "pos", "fast", "fieldnorm", "store"])
def test_a_truncated_file_is_corrupt(segments, component):
    (file,) = segments[1].glob(f"*.{component}")
    content = file.read_bytes()
    for length in (0, 1, len(content) // 2, len(content) - 1):
        file.unlink()
        file.write_bytes(content[:length])
        with pytest.raises(CorpusCorruptError, match=segments[1].name):
            open_composed(segments)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"schema": [], "segments": 3}',
        '{"schema": [], "segments": [{"segment_id": "../../x", "deletes": null}]}',
        '{"schema": [], "segments": [{"segment_id": 7, "deletes": null}]}',
        "\xff",
    ],
)
def test_a_damaged_list_of_segments_is_named(segments, text):
    (segments[0] / "meta.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(CorpusCorruptError, match=r"segment-0/meta\.json"):
        open_composed(segments)


def test_a_missing_directory_is_named(segments, tmp_path):
    with pytest.raises(CorpusCorruptError, match=r"gone/meta\.json"):
        open_composed([*segments, tmp_path / "gone"])


def test_the_same_segment_twice_is_refused(segments):
    with pytest.raises(CorpusCorruptError, match="same segment"):
        open_composed([segments[0], segments[0]])


def test_another_schema_is_a_format_error(tmp_path):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title")
    tantivy.Index(builder.build(), path=str(tmp_path))
    with pytest.raises(CorpusFormatError, match=r"'body'.*'title'"):
        open_composed([tmp_path])


def test_deleted_documents_are_composed_in(tmp_path):
    # The fact that a later part of the project leans on: a `.del` file beside the segment.
    write_segment(tmp_path / "live", [pa.array(["a", "a b", "a"])])
    index = tantivy.Index(keyword_schema(), path=str(tmp_path / "live"))
    writer = index.writer(15_000_000, 1)
    writer.delete_documents_by_term("body", "b")
    writer.commit()
    writer.wait_merging_threads()
    assert json.loads((tmp_path / "live" / "meta.json").read_bytes())["segments"][0]["deletes"]
    searcher = open_composed([tmp_path / "live"])
    assert searcher.num_docs == 2
    assert searcher.doc_freq("body", "a") == 3


def test_ties_come_in_row_order_over_composed_segments(tmp_path):
    # S6: tantivy breaks ties by (segment, document), which composition makes the row order.
    documents = [["tie"] * (1 + row % 2) for row in range(200)]
    index = build(tmp_path, documents, [1, 2, 50, 51, 120, 199])
    assert index.segments == 7
    hits, _ = index.search([["tie"]], 150)
    assert hits.rows.tolist() == [*range(1, 200, 2), *range(0, 100, 2)]

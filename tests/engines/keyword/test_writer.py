"""Segments on disk: immutable files, rows in order, honest failures."""

import json
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.selection import Selection
from octavo.engines.keyword import documents, writer
from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.documents import FilterColumn
from octavo.engines.keyword.index import KeywordIndex
from octavo.engines.keyword.schema import keyword_schema
from octavo.engines.keyword.writer import write_segment
from octavo.errors import InvalidArgumentError
from tests.engines.keyword.corpora import build


def stored_rows(searcher):
    hits = searcher.search(tantivy.Query.all_query(), limit=searcher.num_docs or 1).hits
    addresses = sorted((address.segment_ord, address.doc) for _, address in hits)
    return searcher.fast_field_values(
        "row", [tantivy.DocAddress(segment, doc) for segment, doc in addresses]
    )


def test_only_immutable_files_are_left(tmp_path):
    info = write_segment(tmp_path / "new" / "segment", [pa.array(["a b", "", None, "b"])])
    assert info.rows == 4
    assert len(info.segment_ids) == 1
    stem = info.segment_ids[0].replace("-", "")
    components = ["fast", "fieldnorm", "idx", "pos", "store", "term"]
    assert sorted(info.files) == sorted([*(f"{stem}.{name}" for name in components), "meta.json"])
    assert sorted(file.name for file in (tmp_path / "new" / "segment").iterdir()) == [*info.files]


def test_no_rows_make_a_directory_that_opens(tmp_path):
    info = write_segment(tmp_path, [])
    assert (info.rows, info.segment_ids, info.files) == (0, (), ("meta.json",))
    assert open_composed([tmp_path]).num_docs == 0


def test_a_directory_with_an_index_is_refused_and_kept(tmp_path):
    before = write_segment(tmp_path, [pa.array(["a"])])
    with pytest.raises(InvalidArgumentError, match=r"meta\.json"):
        write_segment(tmp_path, [pa.array(["b"])])
    assert sorted(file.name for file in tmp_path.iterdir()) == [*before.files]


def test_a_range_beyond_the_heap_becomes_parts_in_row_order(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "_HEAP_PER_TEXT_BYTE", 50_000)  # a part is 10,000 bytes
    monkeypatch.setattr(documents, "_BLOCK_ROWS", 100)
    texts = pa.array([f"word{n} again" for n in range(3_000)])
    info = write_segment(tmp_path, [texts.slice(0, 1_234), texts.slice(1_234)], first_row=100)
    assert info.rows == 3_000
    searcher = open_composed([tmp_path])
    assert stored_rows(searcher) == [*range(100, 3_100)]
    assert len(info.segment_ids) == searcher.num_segments
    assert len(info.files) == 6 * len(info.segment_ids) + 1


def test_a_part_merged_out_of_order_is_written_again_in_halves(tmp_path, monkeypatch):
    # A heap of 15 MB holds about 1,400 of these documents, and from eight segments on tantivy
    # merges them; whether out of order is chance, so the answer is forced for large parts.
    in_order = writer._in_row_order
    monkeypatch.setattr(
        writer,
        "_in_row_order",
        lambda searcher, segments: in_order(searcher, segments) if searcher.num_docs < 4 else None,
    )
    texts = pa.array([f"word{n}" for n in range(11)])
    column = FilterColumn("n", np.arange(11, dtype=np.int32), [str(n) for n in range(11)])
    info = write_segment(tmp_path, [texts.slice(0, 8), texts.slice(8)], 0, [column])
    assert len(info.segment_ids) == 5
    assert not (tmp_path / ".building").exists()
    assert stored_rows(open_composed([tmp_path])) == [*range(11)]
    index = KeywordIndex.open([tmp_path], 11)
    for row in range(11):
        admitted = np.arange(11) == row
        hits, _ = index.search([[f"word{row}"]], 5, Selection.of(admitted, {"n": str(row)}))
        assert hits.rows.tolist() == [row]


@pytest.mark.slow
def test_a_heap_far_too_small_gives_rows_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "_SMALLEST_HEAP", 15_000_000)
    random = np.random.default_rng(5)
    texts = [" ".join(f"w{n}" for n in random.integers(0, 50_000, 90)) for _ in range(4_500)]
    write_segment(tmp_path, [pa.array(texts)], first_row=100, heap_bytes=15_000_000)
    assert stored_rows(open_composed([tmp_path])) == [*range(100, 4_600)]


def test_tantivy_lists_segments_by_size_and_they_are_put_in_row_order(tmp_path):
    # Three commits of 1, 3 and 2 documents stand for a heap that overflowed.
    index = tantivy.Index(keyword_schema(), path=str(tmp_path))
    index_writer = index.writer(15_000_000, 1)
    row = 10
    for size in (1, 3, 2):
        for _ in range(size):
            document = tantivy.Document(body="x")
            document.add_unsigned("row", row)
            index_writer.add_document(document)
            row += 1
        index_writer.commit()
    index_writer.wait_merging_threads()
    index.reload()
    segments = json.loads((tmp_path / "meta.json").read_bytes())["segments"]
    assert [segment["max_doc"] for segment in segments] == [3, 2, 1]
    ordered = writer._in_row_order(index.searcher(), segments)
    assert [segment["max_doc"] for segment in ordered] == [1, 3, 2]


@pytest.mark.parametrize("rows", [[0, 2, 1, 3], [0, 1, 1, 3], [0, 1, 2, 4]])
def test_rows_out_of_order_inside_a_segment_are_noticed(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(writer, "_CHECKED_AT_ONCE", 2)
    index = tantivy.Index(keyword_schema(), path=str(tmp_path))
    index_writer = index.writer(15_000_000, 1)
    for row in rows:
        document = tantivy.Document(body="x")
        document.add_unsigned("row", row)
        index_writer.add_document(document)
    index_writer.commit()
    index_writer.wait_merging_threads()
    index.reload()
    segments = json.loads((tmp_path / "meta.json").read_bytes())["segments"]
    assert writer._in_row_order(index.searcher(), segments) is None


# The analyser makes no token with white space of ASCII in it; anything else may come.
TOKENS = st.lists(
    st.text(
        st.characters(exclude_characters=" \t\n\r\x0b\x0c", exclude_categories=["Cs"]), min_size=1
    )
)


@settings(max_examples=15, deadline=None)
@given(corpus=st.lists(TOKENS, min_size=1, max_size=6))
def test_the_whitespace_tokenizer_gives_every_token_back(tmp_path_factory, corpus):
    # S21: one analyser; tantivy adds nothing of its own.
    index = build(tmp_path_factory.mktemp("tokens"), corpus)
    for token in {token for tokens in corpus for token in tokens}:
        hits, _ = index.search([[token]], 10)
        expected = {row for row, tokens in enumerate(corpus) if token in tokens}
        assert set(hits.rows.tolist()) == expected


def test_tokens_up_to_65530_bytes_are_kept(tmp_path):
    # Beyond that tantivy drops them without a word; the analyser cuts far below.
    index = build(tmp_path, [["x" * 65_530], ["x" * 65_531]])
    hits, report = index.search([["x" * 65_530], ["x" * 65_531], ["x" * 70_000]], 5)
    assert hits.offsets.tolist() == [0, 1, 1, 1]
    assert report.counters["unknown terms"] == 2


def test_an_error_of_the_caller_passes_through_and_nothing_opens(tmp_path):
    def texts():
        yield pa.array(["a"] * 10)
        raise ValueError("mine")

    with pytest.raises(ValueError, match=r"^mine$"):
        write_segment(tmp_path, texts())
    assert [*tmp_path.iterdir()] == []


def test_a_directory_that_cannot_be_made_is_an_os_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        write_segment(tmp_path / "file", [pa.array(["a"])])


def test_a_full_disk_is_an_os_error_that_names_the_directory(tmp_path):
    program = """
        import resource, sys
        import pathlib, pyarrow as pa
        from octavo.engines.keyword.writer import write_segment

        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # stands for a full disk
        target = pathlib.Path(sys.argv[1])
        try:
            write_segment(target, [pa.array([f"word{n}" for n in range(5000)])])
        except OSError as error:
            print(type(error).__name__, str(target) in str(error), [*target.iterdir()])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "OSError True []\n", done.stderr

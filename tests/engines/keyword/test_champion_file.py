"""Stored champion lists equal searched ones, and never outlive what they were made for."""

import numpy as np
import pyarrow as pa
import pytest

from octavo.engines.keyword import champion_file
from octavo.engines.keyword.champion_file import read_champions, write_champions
from octavo.engines.keyword.champions import CHAMPIONS, Champions
from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.index import KeywordIndex
from octavo.engines.keyword.rows import RowSearcher
from octavo.errors import CorpusCorruptError
from tests.engines.keyword.corpora import write_segments

ROWS = 2_500
DOCUMENTS = [
    ["all"] * (1 + row % 4) + (["most"] if row % 10 else ["few"]) + [f"x{row % 7}"] * (row % 3)
    for row in range(ROWS)
]
TEXTS = [pa.array([" ".join(tokens) for tokens in DOCUMENTS], pa.large_string())]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    directory = tmp_path_factory.mktemp("written")
    segments = write_segments(directory, DOCUMENTS, [900])
    path = directory / "champions.arrow"
    assert write_champions(path, segments, ROWS, TEXTS) == 2
    return segments, path


def test_frequent_terms_are_stored_with_the_lists_that_a_search_gives(written):
    segments, path = written
    stored = read_champions(path, segments, ROWS)
    assert sorted(stored) == ["all", "most"]
    searched = Champions(RowSearcher(open_composed(segments), ROWS, "here"))
    for term, champions in stored.items():
        assert champions.rows == searched.of(term).rows
        assert champions.scores == searched.of(term).scores
        assert len(champions.rows) == CHAMPIONS


def test_an_index_finds_the_same_with_and_without_them(written):
    segments, path = written
    queries = [["all"], ["most", "all"], ["few", "all", "most"], ["x1", "x2", "all", "all"]]
    plain, _ = KeywordIndex.open(segments, ROWS).search(queries, 10)
    with_lists = KeywordIndex.open(segments, ROWS, champions=[path])
    hits, _ = with_lists.search(queries, 10)
    assert np.array_equal(hits.rows, plain.rows)
    assert np.array_equal(hits.scores, plain.scores)


def test_no_file_where_no_term_is_frequent(tmp_path):
    segments = write_segments(tmp_path, DOCUMENTS[:100])
    assert write_champions(tmp_path / "none.arrow", segments, 100, TEXTS) == 0
    assert not (tmp_path / "none.arrow").exists()


def test_a_sample_without_words_finds_no_term(written, tmp_path):
    segments, _ = written
    empty = [pa.array(["", None], pa.large_string())]
    assert write_champions(tmp_path / "none.arrow", segments, ROWS, empty) == 0


def test_other_segments_get_no_lists(written, tmp_path):
    segments, path = written
    others = write_segments(tmp_path, DOCUMENTS, [900])
    assert read_champions(path, others, ROWS) == {}
    assert read_champions(path, segments[:1], ROWS) == {}
    assert read_champions(path, segments[::-1], ROWS) == {}


def test_lists_of_another_length_are_left_alone(written, monkeypatch):
    segments, path = written
    shorter = pa.schema([pa.field("term", pa.large_string(), nullable=False)])
    monkeypatch.setattr(champion_file, "_SCHEMA", shorter)
    assert read_champions(path, segments, ROWS) == {}


def test_a_damaged_file_is_named(written, tmp_path):
    segments, path = written
    content = path.read_bytes()
    damaged = tmp_path / "damaged.arrow"
    for bad in (b"", b"no Arrow file", content[: len(content) // 2]):
        damaged.write_bytes(bad)
        with pytest.raises(CorpusCorruptError, match=r"damaged\.arrow"):
            read_champions(damaged, segments, ROWS)
    with pytest.raises(CorpusCorruptError, match="missing"):
        read_champions(tmp_path / "nowhere.arrow", segments, ROWS)


@pytest.mark.parametrize("wrong", ["row", "order", "sign"])
def test_lists_that_are_no_rankings_are_refused(written, tmp_path, wrong):
    segments, path = written
    table = pa.ipc.open_file(path).read_all()
    rows = [list(value) for value in table["rows"].to_pylist()]
    scores = [list(value) for value in table["scores"].to_pylist()]
    if wrong == "row":
        rows[1][5] = ROWS
    elif wrong == "order":
        scores[0][5] *= 2
    else:
        scores[0][-1] = -1.0
    table = pa.table([table["term"].to_pylist(), rows, scores], schema=table.schema)
    bad = tmp_path / "bad.arrow"
    with pa.ipc.new_file(str(bad), table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(CorpusCorruptError, match="rankings of rows"):
        read_champions(bad, segments, ROWS)

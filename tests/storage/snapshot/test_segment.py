"""Champion lists are a file of the index: written at build, checked at open, and optional."""

import pyarrow as pa
import pytest

from octavo import Corpus, CorpusCorruptError
from octavo.engines.keyword import champions
from octavo.storage.format import layout
from octavo.storage.maintenance.verify import verify_index

ROWS = 3_000
TABLE = pa.table(
    {
        "id": [str(row) for row in range(ROWS)],
        "text": ["all " * (1 + row % 3) + f"n{row % 11}" for row in range(ROWS)],
    }
)


def build(directory):
    return Corpus.build(TABLE, directory, embedding="none", block_max=False)


def champions_of(directory):
    return layout.segment_directory(directory, "00000001") / layout.CHAMPIONS


@pytest.fixture
def index(tmp_path):
    build(tmp_path / "index")
    return tmp_path / "index"


def found(corpus):
    return corpus.search_batch(["all", "n1 all", "all all n2"], strategy="keyword", max_results=20)


def test_a_build_stores_them_and_a_search_uses_them(index, monkeypatch):
    assert champions_of(index).is_file()
    expected = found(build(index.parent / "twin"))
    monkeypatch.setattr(champions, "union", None)  # nothing is searched for
    corpus = Corpus.open(index)
    assert corpus.search("all", strategy="keyword", max_results=20)
    assert found(corpus).equals(expected)


def test_results_do_not_depend_on_them(index, monkeypatch):
    monkeypatch.setattr("octavo.storage.snapshot.segment.layout.CHAMPIONS", "no such file")
    without = found(Corpus.open(index))
    monkeypatch.undo()
    assert found(Corpus.open(index)).equals(without)


def test_a_damaged_byte_is_noticed_at_open(index):
    path = champions_of(index)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorpusCorruptError, match=r"champions\.arrow: expected CRC-32"):
        Corpus.open(index)
    assert [problem.path for problem in verify_index(index).problems] == [path]


def test_small_corpora_have_none(tmp_path):
    few = TABLE.slice(0, 2_000)
    Corpus.build(few, tmp_path / "index", embedding="none", block_max=False)
    assert not champions_of(tmp_path / "index").exists()


def test_block_max_postings_need_none(tmp_path):
    Corpus.build(TABLE, tmp_path / "index", embedding="none")
    assert not champions_of(tmp_path / "index").exists()

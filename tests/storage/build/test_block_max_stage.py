"""Block-max postings as part of an index: built, opened, verified, left out."""

import shutil

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.storage.format.layout import BLOCK_MAX


@pytest.fixture(scope="module")
def many():
    random = np.random.default_rng(6)
    words = [" ".join(f"w{word}" for word in random.zipf(1.3, 8)) for _ in range(40_000)]
    return pa.table({"id": [str(number) for number in range(40_000)], "text": words})


def files(corpus):
    (directory,) = corpus.path.glob(f"segments/*/{BLOCK_MAX}")
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_the_bytes_do_not_depend_on_threads_or_memory(many, tmp_path):
    one = Corpus.build(many, tmp_path / "one", embedding="none", threads=1)
    two = Corpus.build(many, tmp_path / "two", embedding="none", threads=3, memory_budget="512MiB")
    assert files(one) == files(two)
    assert not list(one.path.rglob("*.tmp"))
    info = one.info()
    assert info.block_max_size == sum(map(len, files(one).values()))


def test_an_index_without_them_gives_the_same_hits(many, tmp_path):
    # S5, S21
    built = Corpus.build(many, tmp_path / "with", embedding="none")
    without = Corpus.build(many, tmp_path / "without", embedding="none", block_max=False)
    assert without.info().block_max_size == 0
    queries = [f"w{number} w{number * 3} w1" for number in range(1, 60)]
    found = built.search_batch(queries, strategy="keyword", max_results=20)
    assert found.equals(without.search_batch(queries, strategy="keyword", max_results=20))
    assert found.num_rows == 20 * len(queries)
    assert built.verify().whole
    assert without.verify().whole


def test_a_reader_keeps_what_it_opened(documents, tmp_path):
    corpus = Corpus.build(documents, tmp_path / "index", embedding="none")
    shutil.rmtree(corpus.path)
    assert [hit.content for hit in corpus.search("blue", strategy="keyword")] == ["blue whale"]

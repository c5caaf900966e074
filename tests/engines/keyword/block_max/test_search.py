"""Block-max postings give the hits of tantivy's full union: the same rows, the same bits."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.analysis import Analyzer
from octavo.columns.selection import Selection
from octavo.engines.keyword.block_max import search as search_module
from octavo.engines.keyword.block_max import stacked
from octavo.engines.keyword.block_max.files import open_postings
from octavo.engines.keyword.block_max.search import BlockMaxSearcher
from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.frequency import document_frequencies
from octavo.engines.keyword.index import KeywordIndex
from octavo.engines.keyword.queries import known_terms, union
from octavo.engines.keyword.rows import RowSearcher
from octavo.errors import CorpusCorruptError
from tests.engines.keyword.block_max.block_max_corpora import write, write_segments
from tests.engines.keyword.bm25_oracle import Bm25Oracle
from tests.engines.keyword.corpora import write_segments as write_tantivy

WORDS = st.sampled_from([*"abcdefgh", "éa", "日本"])
DOCUMENTS = st.lists(st.lists(WORDS, max_size=60), min_size=1, max_size=40)
QUERIES = st.lists(st.lists(WORDS | st.just("nowhere"), max_size=12), min_size=1, max_size=4)
SETTINGS = settings(max_examples=25, deadline=None)


class FullUnion:
    """tantivy's own full union, which is what every plan must equal."""

    def __init__(self, directory, documents, cuts=()):
        searcher = open_composed(write_tantivy(directory, documents, cuts))
        self.frequency = document_frequencies(searcher)
        self.rows = RowSearcher(searcher, len(documents), "here")

    def search(self, query, depth, admitted=None):
        terms = known_terms(query, self.frequency)
        if not terms:
            return [], []
        rows, scores = self.rows.top(union(terms), self.rows.rows)
        kept = [n for n, row in enumerate(rows) if admitted is None or admitted[row]][:depth]
        return [rows[n] for n in kept], [scores[n] for n in kept]


def check(hits, tantivy, queries, depth, admitted=None):
    for number, query in enumerate(queries):
        span = slice(int(hits.offsets[number]), int(hits.offsets[number + 1]))
        rows, scores = tantivy.search(query, depth, admitted)
        assert hits.rows[span].tolist() == rows, query
        assert hits.scores[span].tolist() == scores, query


@SETTINGS
@given(DOCUMENTS, st.sets(st.integers(0, 40), max_size=3), QUERIES, st.integers(1, 50), st.data())
def test_hits_are_tantivys_to_the_last_bit(tmp_path_factory, documents, cuts, queries, depth, data):
    # S6, S7, S8, S13, S21: any segments, repeated and unknown tokens, ties, filters
    cuts = [cut for cut in cuts if cut <= len(documents)]
    directory = tmp_path_factory.mktemp("index")
    tantivy = FullUnion(directory, documents, cuts)
    postings = write_segments(directory, documents, cuts)
    searcher = BlockMaxSearcher(postings)
    hits, report = searcher.search(queries, depth, Selection.everything(len(documents)))
    check(hits, tantivy, queries, depth)
    Bm25Oracle(documents).check(hits, queries, depth)
    assert sum(report.plans.values()) == len(queries)
    assert report.counters["hits"] == len(hits)
    flags = data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents)))
    admitted = np.array(flags, np.bool_)
    hits, _ = searcher.search(queries, depth, Selection.of(admitted))
    check(hits, tantivy, queries, depth, admitted)


def zipf_documents(random, rows, words, mean):
    lengths = np.minimum(random.geometric(1 / mean, rows) - 1, 400)
    ranks = np.minimum(random.zipf(1.3, int(lengths.sum())), words)
    chosen = np.array([f"w{rank}" for rank in ranks])
    return [each.tolist() for each in np.split(chosen, np.cumsum(lengths)[:-1])]


@pytest.fixture(scope="module", params=["each by itself", "stacked"])
def zipf(request, tmp_path_factory):
    """6,000 documents, long enough for blocks, windows, levels and large frequencies."""
    random = np.random.default_rng(3)
    documents = zipf_documents(random, 6000, 3000, 12)
    documents[17] = ["w1"] * 300 + ["w2"] * 255 + ["w3"] * 254
    documents[5400] = ["w2"] * 70_000
    directory = tmp_path_factory.mktemp("zipf")
    cuts = [2000]
    postings = write_segments(directory, documents, cuts)
    assert any(segment.description.frequent for segment in postings)
    assert any(segment.description.large for segment in postings)
    searcher = BlockMaxSearcher(postings)
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "each by itself":
            patch.setattr(stacked, "_SMALL_POSTINGS", 0)
        assert len(searcher._stacks) == (2 if request.param == "each by itself" else 1)
    return documents, FullUnion(directory, documents, cuts), searcher


@pytest.mark.parametrize("depth", [1, 10, 100, 3000, 10**9])
def test_both_algorithms_skip_and_stay_exact(zipf, depth):
    documents, tantivy, searcher = zipf
    random = np.random.default_rng(depth)
    queries = [
        [f"w{word}" for word in np.minimum(random.zipf(1.2, size), 3500)]
        for size in (1, 1, 2, 3, 4, 6, 20, 40)
    ]
    admitted = random.random(len(documents)) < 0.2
    everything = Selection.everything(len(documents))
    for query in queries:
        hits, _ = searcher.search([query], depth, everything)
        check(hits, tantivy, [query], depth)
        hits, _ = searcher.search([query], depth, Selection.of(admitted))
        check(hits, tantivy, [query], depth, admitted)


def test_blocks_are_skipped_and_frequent_terms_read_by_levels(zipf):
    documents, tantivy, searcher = zipf
    hits, report = searcher.search([["w1000", "w1"]], 1, Selection.everything(len(documents)))
    check(hits, tantivy, [["w1000", "w1"]], 1)
    postings = sum("w1" in each for each in documents)
    assert report.counters["postings scored"] < postings / 2


def test_a_batch_equals_its_queries_in_any_parts_and_threads(zipf, monkeypatch):
    # S5
    documents, _, searcher = zipf
    random = np.random.default_rng(1)
    queries = [[f"w{word}" for word in random.zipf(1.2, 3)] for _ in range(50)]
    everything = Selection.everything(len(documents))
    hits, report = searcher.search(queries, 7, everything)
    with ThreadPoolExecutor(4) as pool:
        singles = list(pool.map(lambda query: searcher.search([query], 7, everything)[0], queries))
    assert hits.rows.tolist() == [row for each in singles for row in each.rows.tolist()]
    assert hits.scores.tolist() == [score for each in singles for score in each.scores.tolist()]
    monkeypatch.setattr(search_module, "_HITS_AT_ONCE", 20)
    parts, same = searcher.search(queries, 7, everything)
    assert np.array_equal(parts.offsets, hits.offsets)
    assert np.array_equal(parts.rows, hits.rows)
    assert same == report


def test_plans_and_counters_are_reported(tmp_path):
    searcher = BlockMaxSearcher([write(tmp_path, [["a", "b"], ["a"], []])])
    many = [f"x{number}" for number in range(40)]
    everything = Selection.everything(3)
    hits, report = searcher.search([["a", "b", "a"], ["q", "q"], [], many], 5, everything)
    assert hits.rows.tolist() == [0, 1]
    assert report.plans == {"keyword: block-max postings": 1, "keyword: no known term": 3}
    assert report.counters["terms"] == 2
    assert report.counters["unknown terms"] == 41
    nothing = Selection.of(np.zeros(3, np.bool_))
    hits, report = searcher.search([["a"], ["q"]], 5, nothing)
    assert len(hits) == 0
    assert report.plans == {"keyword: nothing admitted": 1, "keyword: no known term": 1}


def test_many_clauses_are_accumulated(tmp_path):
    words = [f"w{number}" for number in range(search_module.MOST_LOOKUP_CLAUSES + 1)]
    documents = [words[:3], words, words[5:]]
    searcher = BlockMaxSearcher([write(tmp_path, documents)])
    hits, report = searcher.search([words], 3, Selection.everything(3))
    assert report.plans == {"keyword: accumulated postings": 1}
    check(hits, FullUnion(tmp_path, documents), [words], 3)


def test_frequent_clauses_are_accumulated_where_none_is_rare(tmp_path):
    words = [f"w{number}" for number in range(9)]
    dense = [words, words[1:], words, words[:8], words[2:]]
    sparse = [[word] for word in words for _ in range(10)] + [["rare", *words]]
    for documents, query, plan in (
        (dense, words, "keyword: accumulated postings"),
        (dense, words[:7], "keyword: block-max postings"),
        (sparse, ["rare", *words], "keyword: block-max postings"),
    ):
        directory = tmp_path / f"{len(documents)} {len(query)}"
        searcher = BlockMaxSearcher([write(directory, documents)])
        hits, report = searcher.search([query], 4, Selection.everything(len(documents)))
        assert report.plans == {plan: 1}
        check(hits, FullUnion(directory, documents), [query], 4)


def test_strange_tokens_find_nothing(tmp_path):
    searcher = BlockMaxSearcher([write(tmp_path, [["a", "b"], ["\ufffd"]])])
    queries = [["a b"], [""], ["\ud800"], ["a\0"], ["A"]]
    hits, report = searcher.search(queries, 5, Selection.everything(2))
    assert len(hits) == 0
    assert report.plans == {"keyword: no known term": len(queries)}


def test_no_rows_no_terms_and_no_queries(tmp_path):
    for number, documents in enumerate(([], [[]], [[], []])):
        searcher = BlockMaxSearcher([write(tmp_path / str(number), documents)])
        everything = Selection.everything(len(documents))
        assert len(searcher.search([["a"]], 5, everything)[0]) == 0
        assert searcher.search([], 5, everything)[0].queries == 0


def test_searches_release_the_interpreter(zipf):
    documents, _, searcher = zipf
    everything = Selection.everything(len(documents))
    queries = [[f"w{number}" for number in range(1, 40)]] * 200
    ticks = 0
    done = threading.Event()

    def search():
        searcher.search(queries, 10, everything)
        done.set()

    worker = threading.Thread(target=search)
    worker.start()
    while not done.is_set():
        ticks += 1
    worker.join()
    assert ticks > 0


def test_the_keyword_index_uses_them_only_where_none_is_missing(tmp_path):
    documents = [["a", "b"], ["a"], ["b", "b"], []]
    directories = write_tantivy(tmp_path, documents, [2])
    postings = write_segments(tmp_path, documents, [2])
    plans = {}
    for name, given_postings in (
        ("with", postings),
        ("without", ()),
        ("one missing", [postings[0], None]),
    ):
        index = KeywordIndex.open(directories, 4, block_max=given_postings)
        hits, report = index.search([["a", "b"]], 10)
        assert hits.rows.tolist() == [0, 2, 1]
        plans[name] = set(report.plans)
    assert plans["with"] == {"keyword: block-max postings"}
    assert plans["without"] == plans["one missing"]
    assert plans["without"].isdisjoint(plans["with"])


def test_damaged_arrays_never_crash(tmp_path):
    random = np.random.default_rng(8)
    documents = zipf_documents(random, 1500, 200, 30)
    write(tmp_path, documents)
    queries = [["w1", "w2"], ["w50", "w1"], [f"w{number}" for number in range(30)]]
    everything = Selection.everything(1500)
    whole = {
        path: path.read_bytes()
        for path in (tmp_path / "block_max").iterdir()
        if path.suffix == ".npy"
    }
    for path, content in whole.items():
        for _ in range(12):
            damaged = bytearray(content)
            for position in random.integers(0, len(content), 20):
                damaged[position] = random.integers(0, 256)
            path.write_bytes(damaged)
            try:
                searcher = BlockMaxSearcher([open_postings(tmp_path / "block_max", 1500)])
                hits, _ = searcher.search(queries, 50, everything)
            except CorpusCorruptError:
                continue
            assert set(hits.rows.tolist()) <= set(range(1500))
        path.write_bytes(content)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("depth", [10, 1000])
def test_real_texts_equal_tantivy(collections, tmp_path, depth):
    # S21: 2,000 queries of 1 to 6 words of 100,000 descriptions, over two segments
    column = pq.read_table(collections / "software_descriptions.parquet", columns=["text"])["text"]
    analyzed = Analyzer().analyze_batch(column.slice(0, 100_000).combine_chunks())
    documents = [text.split() for text in analyzed.to_pylist()]
    tantivy = FullUnion(tmp_path, documents, [60_000])
    searcher = BlockMaxSearcher(write_segments(tmp_path, documents, [60_000]))
    random = np.random.default_rng(4)
    queries = []
    for row in random.integers(0, len(documents), 2000).tolist():
        size = int(random.integers(1, 7))
        queries.append(documents[row][:size])
    hits, _ = searcher.search(queries, depth, Selection.everything(len(documents)))
    for number, query in enumerate(queries):
        span = slice(int(hits.offsets[number]), int(hits.offsets[number + 1]))
        terms = known_terms(query, tantivy.frequency)
        rows, scores = tantivy.rows.top(union(terms), depth) if terms else ([], [])
        assert hits.rows[span].tolist() == rows
        assert hits.scores[span].tolist() == scores

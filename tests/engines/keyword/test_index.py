"""The keyword engine against a plain-Python BM25, and its guarantees."""

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.analysis import Analyzer
from octavo.columns.selection import Selection
from octavo.engines.keyword import ranking
from octavo.engines.keyword.index import KeywordIndex
from octavo.errors import CorpusCorruptError, InvalidArgumentError
from tests.engines.keyword.block_max.block_max_corpora import write_segments as write_block_max
from tests.engines.keyword.bm25_oracle import Bm25Oracle, quantised_length
from tests.engines.keyword.corpora import build, write_segments

WORDS = st.sampled_from(["a", "b", "c", "d", "éa", "日本"])
DOCUMENTS = st.lists(st.lists(WORDS, max_size=60), min_size=1, max_size=25)
QUERIES = st.lists(st.lists(WORDS | st.just("nowhere"), max_size=8), min_size=1, max_size=4)
SETTINGS = settings(max_examples=15, deadline=None)


def hits_of(hits, query=0):
    span = slice(int(hits.offsets[query]), int(hits.offsets[query + 1]))
    return [*zip(hits.rows[span].tolist(), hits.scores[span].tolist(), strict=True)]


@pytest.mark.parametrize(
    ("length", "expected"),
    [(0, 0), (23, 23), (39, 39), (40, 40), (41, 40), (55, 54), (57, 56), (59, 56), (1000, 984)],
)
def test_lengths_are_quantised_as_in_lucene(length, expected):
    # From Lucene's SmallFloat.byte4ToInt table: ..., 40, 42, ..., 54, 56, 60, ..., 984, 1048, ...
    assert quantised_length(length) == expected


@SETTINGS
@given(DOCUMENTS, st.sets(st.integers(0, 25), max_size=4), QUERIES, st.integers(1, 30))
def test_results_equal_the_oracle(tmp_path_factory, documents, cuts, queries, depth):
    # S6, S13, S21, over several segments, with duplicates, empty documents and ties
    cuts = [cut for cut in cuts if cut <= len(documents)]
    index = build(tmp_path_factory.mktemp("index"), documents, cuts)
    hits, report = index.search(queries, depth)
    Bm25Oracle(documents).check(hits, queries, depth)
    assert hits.rows.dtype == np.int64
    assert hits.scores.dtype == np.float64
    assert sum(report.plans.values()) == len(queries)
    assert report.counters["hits"] == len(hits)


@pytest.mark.data
def test_cranfield_equals_the_oracle(collections, tmp_path):
    # S21: all queries, top 100
    analyzer = Analyzer()
    corpus = pq.read_table(collections / "cranfield" / "corpus.parquet")
    titles, texts = corpus["title"].to_pylist(), corpus["text"].to_pylist()
    documents = [
        analyzer.tokens("\n".join(filter(None, pair))) for pair in zip(titles, texts, strict=True)
    ]
    asked = pq.read_table(collections / "cranfield" / "queries.parquet")["text"].to_pylist()
    queries = [analyzer.tokens(text) for text in asked]
    hits, _ = build(tmp_path / "one", documents).search(queries, 100)
    assert len(hits) > 20_000
    Bm25Oracle(documents).check(hits, queries, 100)
    several, _ = build(tmp_path / "several", documents, [1, 300, 800]).search(queries, 100)
    assert np.array_equal(several.rows, hits.rows)
    assert np.array_equal(several.scores, hits.scores)


def test_long_documents_are_quantised(tmp_path):
    documents = [
        ["a"] * repeats + ["x"] * length
        for repeats, length in [(1, 38), (1, 39), (1, 40), (3, 700), (1, 701), (2, 90_000), (1, 0)]
    ]
    hits, _ = build(tmp_path, documents).search([["a"]], 10)
    oracle = Bm25Oracle(documents)
    oracle.check(hits, [["a"]], 10)
    scores = dict(hits_of(hits))
    assert scores[1] == scores[2]
    assert scores[0] > scores[1]


def test_each_repetition_counts(tmp_path):
    # S21
    documents = [["a", "b"], ["b"], ["a", "c"]]
    index = build(tmp_path, documents)
    hits, report = index.search([["a"], ["a", "a"], ["a"] * 7 + ["b"], ["c", "a"]], 5)
    Bm25Oracle(documents).check(hits, [["a"], ["a", "a"], ["a"] * 7 + ["b"], ["c", "a"]], 5)
    assert [2 * score for _, score in hits_of(hits, 0)] == [score for _, score in hits_of(hits, 1)]
    assert report.counters["terms"] == 6


@SETTINGS
@given(DOCUMENTS, QUERIES, st.integers(1, 10), st.integers(1, 20))
def test_a_larger_depth_only_adds_hits(tmp_path_factory, documents, queries, depth, more):
    # S12
    index = build(tmp_path_factory.mktemp("index"), documents, [len(documents) // 2])
    shallow, _ = index.search(queries, depth)
    deep, _ = index.search(queries, depth + more)
    assert np.array_equal(deep.head(depth).rows, shallow.rows)
    assert np.array_equal(deep.head(depth).scores, shallow.scores)


@pytest.fixture(scope="module")
def parted(tmp_path_factory):
    """400 documents, half of which hold the query word, with some metadata."""
    random = np.random.default_rng(11)
    documents = [
        ["word"] * int(repeats) + [f"x{n}" for n in random.integers(0, 30, size)]
        for repeats, size in zip(
            random.integers(0, 4, 400), random.integers(0, 12, 400), strict=True
        )
    ]
    metadata = {
        "color": [["red", "green", None, "blue=x"][row % 4] for row in range(400)],
        "part": [str(row // 100) for row in range(400)],
    }
    return documents, metadata, build(tmp_path_factory.mktemp("parted"), documents, [150], metadata)


QUERY = ["word", "x1", "x2", "x2"]


@pytest.mark.parametrize("filters", [{}, {"color": "red"}, {"color": "red", "part": "1"}])
@pytest.mark.parametrize("dead", [0.0, 0.5, 0.97])
@pytest.mark.parametrize("depth", [1, 7, 100, 1000])
def test_filters_never_cost_a_matching_document(parted, filters, dead, depth):
    # S8: filters, rows that are not live, and both
    documents, metadata, index = parted
    admitted = np.random.default_rng(1).random(400) >= dead
    for key, value in filters.items():
        admitted &= np.array([found == value for found in metadata[key]])
    hits, report = index.search([QUERY], depth, Selection.of(admitted, filters))
    Bm25Oracle(documents).check(hits, [QUERY], depth, admitted.tolist().__getitem__)
    everything, _ = index.search([QUERY], 400)
    assert hits_of(hits) == [hit for hit in hits_of(everything) if admitted[hit[0]]][:depth]
    assert report.counters["passes"] >= 1


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("costs", [(1, 1, 1), (10**6, 1, 10**6), (0, 10**6, 10**6), (0, 0, 0)])
@pytest.mark.parametrize("count", [0, 1, 6, 7, 8, 400])
def test_every_plan_finds_k_at_every_selectivity(parted, monkeypatch, count, costs, indexed):
    # S8: whatever the costs say, the answer is the same (S5)
    documents, _, _ = parted
    for name, cost in zip(("_FILTERED_POSTING", "_DEEPER_HIT", "_SCORED_TERM"), costs, strict=True):
        monkeypatch.setattr(ranking, name, cost)
    oracle = Bm25Oracle(documents)
    matching = [row for row, _ in oracle.ranked(QUERY, 400)]
    admitted = np.zeros(400, np.bool_)
    admitted[matching[::-1][:count]] = True  # the worst ones: deepening has far to go
    _, _, index = parted
    filters = {"color": "red"} if indexed else {"not indexed": "x"}
    if indexed:
        admitted &= np.arange(400) % 4 == 0
    hits, report = index.search([QUERY], 7, Selection.of(admitted, filters))
    oracle.check(hits, [QUERY], 7, lambda row: bool(admitted[row]))
    if not admitted.any():
        assert report.plans == {"keyword: nothing admitted": 1}


def test_the_plan_that_ran_is_reported(parted):
    _, _, index = parted
    red = np.arange(400) % 4 == 0
    one = np.arange(400) == 4
    cases = [
        (["word"], None, "keyword: full union"),
        (["word"], Selection.everything(400), "keyword: full union"),
        (["nowhere", "\ud800", ""], None, "keyword: no known term"),
        ([], None, "keyword: no known term"),
        (["word"], Selection.of(np.zeros(400, np.bool_)), "keyword: nothing admitted"),
        (["x1"], Selection.of(red & one, {"color": "red"}), "keyword: filtered union"),
        (["word"], Selection.of(np.arange(400) != 9), "keyword: deepened union"),
    ]
    for query, selection, plan in cases:
        _, report = index.search([query], 3, selection)
        assert report.plans == {plan: 1}
    _, report = index.search([["word", "x1", "word", "nowhere"], ["nowhere"]], 3)
    expected = {"terms": 2, "unknown terms": 2, "passes": 1, "hits": 3}
    assert report.counters == {**expected, "essential terms": 2, "optional terms": 0}


def test_an_id_filter_on_a_large_corpus_scores_only_that_row(tmp_path):
    documents = [["word", f"n{row % 5}"] for row in range(3_000)]
    index = build(tmp_path, documents)
    admitted = np.arange(3_000) == 2_100
    selection = Selection.of(admitted, {"entryId": "2100"})
    hits, report = index.search([["word", "n0"], ["n1"]], 10, selection)
    assert report.plans == {"keyword: scored rows": 2}
    Bm25Oracle(documents).check(hits, [["word", "n0"], ["n1"]], 10, lambda row: row == 2_100)


@SETTINGS
@given(st.lists(st.lists(st.text(st.characters(), max_size=6), max_size=5), min_size=1, max_size=5))
def test_any_tokens_are_legal(parted, queries):
    # S21: operators, quotes, white space, NUL and lone surrogates find nothing and break nothing
    _, _, index = parted
    hits, report = index.search(queries, 5)
    assert hits.queries == len(queries)
    assert len(hits) == 0
    assert report.counters["terms"] == 0


@pytest.mark.parametrize(
    "text", ["a AND b", "body:a", '"a', "(", "-a", "*", "a^2", "https://a/?b#c"]
)
def test_no_token_reaches_a_query_parser(tmp_path, text):
    index = build(tmp_path, [["a"], [text.replace(" ", "")], ["b"]])
    hits, _ = index.search([[text.replace(" ", "")]], 5)
    assert hits.rows.tolist() == [1]


@pytest.mark.slow
def test_a_query_of_twenty_thousand_terms_is_legal(tmp_path):
    documents = [[f"t{n}" for n in range(start, start + 40)] for start in range(0, 20_000, 20)]
    index = build(tmp_path, documents, [400])
    query = [f"t{n}" for n in range(20_000)]
    hits, report = index.search([query], 10)
    assert report.counters["terms"] == 20_000
    Bm25Oracle(documents).check(hits, [query], 10)
    admitted = np.arange(1_000) == 7
    found, _ = index.search([query], 10, Selection.of(admitted))
    assert found.rows.tolist() == [7]


def test_an_empty_corpus_finds_nothing():
    index = KeywordIndex.open([], 0)
    assert (index.rows, index.segments) == (0, 0)
    for selection in (None, Selection.of(np.zeros(0, np.bool_), {"k": "v"})):
        hits, _ = index.search([["a"], []], 10, selection)
        assert hits.offsets.tolist() == [0, 0, 0]


def test_documents_without_text_are_counted_and_not_found(tmp_path):
    # S16
    documents = [[], ["a"], []]
    index = build(tmp_path, documents, [1])
    hits, _ = index.search([["a"], [""]], 10)
    Bm25Oracle(documents).check(hits, [["a"], [""]], 10)
    assert build(tmp_path / "all", [[], []]).search([["a"]], 5)[0].rows.tolist() == []


def test_no_queries_give_no_hits(parted):
    _, _, index = parted
    hits, report = index.search([], 10)
    assert hits.offsets.tolist() == [0]
    assert report.plans == {}


def test_arguments_are_checked(parted):
    _, _, index = parted
    for depth in (0, -1, True, 2.0, None):
        with pytest.raises(InvalidArgumentError, match="depth"):
            index.search([["a"]], depth)
    for queries in ("text", ["text"]):
        with pytest.raises(InvalidArgumentError, match="queries"):
            index.search(queries, 1)
    with pytest.raises(InvalidArgumentError, match="400 rows, found 3"):
        index.search([["a"]], 1, Selection.of(np.ones(3, np.bool_)))
    with pytest.raises(InvalidArgumentError, match="beside the filters"):
        index.search([["a"]], 1, Selection(None, 400, {"color": "red"}))


def test_threads_share_an_index(parted):
    # S6: the same hits from one thread and from four at once
    _, _, index = parted
    queries = [[f"x{n % 30}", "word", f"x{n % 7}"] for n in range(200)]
    selection = Selection.of(np.arange(400) % 4 == 0, {"color": "red"})

    def search(number):
        return index.search(queries, 20, selection if number % 2 else None)[0]

    expected = [search(0), search(1)]
    with ThreadPoolExecutor(4) as pool:
        for number, hits in enumerate(pool.map(search, range(8))):
            assert np.array_equal(hits.rows, expected[number % 2].rows)
            assert np.array_equal(hits.scores, expected[number % 2].scores)


def test_processes_with_other_hash_seeds_agree(tmp_path):
    # S6
    program = """
        import hashlib, sys
        from pathlib import Path
        from tests.engines.keyword.corpora import build, write_segments

        documents = [[f"w{row * n % 23}" for n in range(row % 13)] for row in range(200)]
        index = build(Path(sys.argv[1]), documents, [90])
        queries = [sorted({f"w{n * q % 23}" for n in range(5)}) for q in range(20)]
        hits, _ = index.search(queries, 50)
        print(hashlib.sha256(hits.rows.tobytes() + hits.scores.tobytes()).hexdigest())
    """
    outputs = {
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / seed)],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_rows_can_be_numbered_anew_when_it_is_opened(tmp_path):
    # S6: files written from row 0 each, put together in another order than they were made
    parts = [[["a", "b"]] * 3, [["a"]], [["b"], ["a"]]]
    written = [write_segments(tmp_path / str(place), part) for place, part in enumerate(parts)]
    segments = [path for place in (2, 0, 1) for path in written[place]]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    index = KeywordIndex.open(segments, 6, first_rows=[0, 2, 5], scratch=scratch)
    hits, _ = index.search([["a"], ["b"]], 10)
    Bm25Oracle([*parts[2], *parts[0], *parts[1]]).check(hits, [["a"], ["b"]], 10)
    assert list(scratch.iterdir()) == []
    for first_rows in ([0, 0, 0], [0, 2, 4], [0, 3, 5], [1, 2, 5]):
        with pytest.raises(CorpusCorruptError, match="segments"):
            KeywordIndex.open(segments, 6, first_rows=first_rows)
    with pytest.raises(InvalidArgumentError, match="first_rows: expected one for each of 3"):
        KeywordIndex.open(segments, 6, first_rows=[0, 2])


WORD = st.sampled_from("abcdefg")


@given(
    st.lists(st.lists(WORD, max_size=12), min_size=1, max_size=40),
    st.lists(st.integers(0, 40), max_size=12),
    st.lists(st.lists(WORD, max_size=5), min_size=1, max_size=3),
    st.sampled_from([1.0, 0.9, 0.5, 0.03]),
    st.integers(1, 12),
    st.integers(0, 99),
)
@settings(max_examples=25, deadline=None)
def test_any_number_of_segments_and_dead_rows_gives_the_best_live_rows(
    tmp_path_factory, documents, cuts, queries, live_share, depth, seed
):
    # S6, S8, S13, S21: both engines, one segment and many, with and without a filter
    random = np.random.default_rng(seed)
    rows = len(documents)
    cuts = [cut for cut in cuts if cut <= rows]
    metadata = {"part": [str(row % 2) for row in range(rows)]}
    directory = tmp_path_factory.mktemp("index")
    many = write_segments(directory / "many", documents, cuts, metadata)
    one = write_segments(directory / "one", documents, (), metadata)
    postings = write_block_max(directory / "many", documents, cuts)
    indexes = [
        KeywordIndex.open(one, rows),
        KeywordIndex.open(many, rows),
        KeywordIndex.open(many, rows, block_max=postings),
    ]
    live = random.random(rows) < live_share
    for filters in ({}, {"part": "1"}):
        admitted = live & (np.arange(rows) % 2 == 1) if filters else live
        found = [
            index.search(queries, depth, Selection.of(admitted, filters))[0] for index in indexes
        ]
        for hits in found:
            assert hits.offsets.tolist() == found[0].offsets.tolist()
            assert hits.rows.tolist() == found[0].rows.tolist()
            assert hits.scores.tobytes() == found[0].scores.tobytes()
        Bm25Oracle(documents).check(found[0], queries, depth, admitted.tolist().__getitem__)


@pytest.mark.parametrize("dead", [1, 30, 299, 300])
def test_dead_rows_use_up_no_place_where_all_the_best_are_dead(tmp_path, dead):  # S8
    documents = [["x"] * (1 + row % 3) + ["y"] * (row % 7) for row in range(400)]
    oracle = Bm25Oracle(documents)
    best = [row for row, _ in oracle.ranked(["x", "y"], 400)]
    live = np.ones(400, np.bool_)
    live[best[:dead]] = False
    segments = write_segments(tmp_path, documents, [100, 101, 350])
    postings = write_block_max(tmp_path, documents, [100, 101, 350])
    for index in (
        KeywordIndex.open(segments, 400),
        KeywordIndex.open(segments, 400, block_max=postings),
    ):
        for depth in (1, 10, 150):
            hits, _ = index.search([["x", "y"]], depth, Selection.of(live))
            assert hits.rows.tolist() == best[dead : dead + depth]


def test_block_max_postings_alone_answer_and_nothing_else_is_opened(tmp_path):
    documents = [["a"], ["b"], ["a", "b"]]
    postings = write_block_max(tmp_path, documents, [1])
    index = KeywordIndex.open([tmp_path / "gone"], 3, block_max=postings)
    assert index.search([["a"]], 5)[0].rows.tolist() == [0, 2]
    with pytest.raises(CorpusCorruptError):
        _ = index.segments

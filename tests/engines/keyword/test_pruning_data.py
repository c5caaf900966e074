"""Pruned searches against full ones on 886,323 real texts."""

import random

import pyarrow.parquet as pq
import pytest

from octavo.analysis import Analyzer
from octavo.engines.keyword.champion_file import read_champions, write_champions
from octavo.engines.keyword.champions import Champions
from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.frequency import document_frequencies
from octavo.engines.keyword.pruning import PrunedSearcher
from octavo.engines.keyword.queries import QueryTerm, known_terms, union
from octavo.engines.keyword.rows import RowSearcher
from octavo.engines.keyword.writer import write_segment

QUERIES = 2_000


@pytest.fixture(scope="module")
def opened(collections, tmp_path_factory):
    texts = pq.read_table(collections / "software_descriptions.parquet")["text"].combine_chunks()
    analyzed = Analyzer().analyze_batch(texts)
    directory = tmp_path_factory.mktemp("descriptions")
    half = len(analyzed) // 2
    segments = [directory / "0", directory / "1"]
    write_segment(segments[0], [analyzed.slice(0, half)])
    write_segment(segments[1], [analyzed.slice(half)], half)
    write_champions(directory / "champions.arrow", segments, len(analyzed), [analyzed])
    stored = read_champions(directory / "champions.arrow", segments, len(analyzed))
    searcher = open_composed(segments)
    rows = RowSearcher(searcher, len(analyzed), "here")
    frequency = document_frequencies(searcher)
    chosen = random.Random(3)
    queries = []
    while len(queries) < QUERIES:
        words = analyzed[chosen.randrange(len(analyzed))].as_py().split()
        if len(words) > 1:
            tokens = chosen.choices(words, k=min(len(words), chosen.randint(2, 6)))
            queries.append(known_terms(tokens, frequency))
    return rows, PrunedSearcher(rows, Champions(rows, stored)), queries


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 10, 100, 1000])
def test_all_queries_find_what_the_full_union_finds(opened, limit):
    # S5, S6: with repeated terms, since words are drawn with replacement
    rows, pruned, queries = opened
    fewer = 0
    for terms in queries:
        found = pruned.top(terms, limit)
        assert (found.rows, found.scores) == rows.top(union(terms), limit), terms
        fewer += found.pruned
    assert fewer > QUERIES // 10


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("length", [8, 9, 10, 40, 300])
def test_long_queries_too(opened, length):
    rows, pruned, queries = opened
    terms = sorted({QueryTerm(term.frequency, term.text, 1) for query in queries for term in query})
    chosen = random.Random(length)
    for _ in range(10):
        some = sorted(chosen.sample(terms, length))
        for limit in (10, 100):
            found = pruned.top(some, limit)
            assert (found.rows, found.scores) == rows.top(union(some), limit), some

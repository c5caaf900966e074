"""The keyword planner against tantivy-py's own search, on one corpus, in one process.

Run with ``python benchmarks/keyword_planner.py CORPUS.parquet [queries]``. The corpus is a parquet
file with a column ``text``; queries are 2 to 6 words of one document each. Every query is answered
by each way in turn, so that all of them see the same state of the machine: compare ratios, not
times. Hits and scores of the planner are compared with those of the full search.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import tantivy

from octavo.analysis import Analyzer
from octavo.engines.keyword import write_champions, write_segment
from octavo.engines.keyword.champion_file import read_champions
from octavo.engines.keyword.champions import Champions
from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.frequency import document_frequencies
from octavo.engines.keyword.pruning import Found, PrunedSearcher
from octavo.engines.keyword.queries import QueryTerm, known_terms, union
from octavo.engines.keyword.rows import RowSearcher

Query = Sequence[QueryTerm]
LIMITS = (10, 100, 256, 1000)


def built(
    directory: Path, analyzed: pa.LargeStringArray, segments: int
) -> tuple[list[Path], tantivy.Searcher]:
    """Index the texts in so many segments of about the same number of rows."""
    step = -(-len(analyzed) // segments)
    paths = []
    for start in range(0, len(analyzed), step):
        path = directory / f"{segments}-{start}"
        write_segment(path, [analyzed.slice(start, step)], start)
        paths.append(path)
    return paths, open_composed(paths)


def sampled(analyzed: pa.LargeStringArray, count: int) -> list[list[str]]:
    """Return queries of 2 to 6 words that occur together, from random documents."""
    chosen = random.Random(7)
    queries: list[list[str]] = []
    while len(queries) < count:
        words = (analyzed[chosen.randrange(len(analyzed))].as_py() or "").split()
        if len(words) >= 2:
            queries.append(chosen.sample(words, min(len(words), chosen.randint(2, 6))))
    return queries


def classes(queries: Sequence[Query]) -> Iterator[tuple[str, list[Query]]]:
    """Yield kinds of queries that a planner might lose on."""
    chosen = random.Random(8)
    terms = sorted({QueryTerm(term.frequency, term.text, 1) for query in queries for term in query})
    rare = [term for term in terms if term.frequency < 1_000]
    frequent = terms[-40:]
    middle = [term for term in terms if 5_000 < term.frequency < 40_000]
    yield "one frequent term", [[term] for term in frequent * 3]
    yield "two rare terms", [sorted(chosen.sample(rare, 2)) for _ in range(300)]
    yield "four middling terms", [sorted(chosen.sample(middle, 4)) for _ in range(150)]
    yield "four frequent terms", [sorted(chosen.sample(frequent, 4)) for _ in range(100)]
    for length, count in ((12, 60), (50, 30), (200, 10), (1000, 4)):
        if length <= len(terms):
            queries = [sorted(chosen.sample(terms, length)) for _ in range(count)]
            yield f"{length} terms", queries


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call took."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(
    name: str,
    queries: Sequence[Query],
    limit: int,
    ways: dict[str, Callable[[Query, int], object]],
) -> None:
    """Answer every query in each way, twice, and print the shorter times beside each other."""
    times = dict.fromkeys(ways, 0.0)
    for query in queries:
        for way, answer in ways.items():
            times[way] += min(
                seconds(lambda answer=answer, query=query: answer(query, limit)) for _ in range(2)
            )
    per_query = {way: 1e3 * total / len(queries) for way, total in times.items()}
    full, planner = per_query["full"], per_query["planner"]
    figures = "  ".join(f"{way} {value:7.3f}" for way, value in per_query.items())
    print(f"{name:24} k = {limit:4}  {figures} ms   ratio {planner / full:.2f}", flush=True)


def main(path: str, count: int = 2_000) -> None:
    """Build, compare and print."""
    analyzed = Analyzer().analyze_batch(pq.read_table(path)["text"].combine_chunks())
    with tempfile.TemporaryDirectory() as name:
        _, one = built(Path(name), analyzed, 1)
        segments, two = built(Path(name), analyzed, 2)
        rows = RowSearcher(two, len(analyzed), name)
        stored = Path(name) / "champions.arrow"
        took = seconds(lambda: write_champions(stored, segments, len(analyzed), [analyzed]))
        lists = read_champions(stored, segments, len(analyzed))
        print(f"{len(lists)} champion lists, {stored.stat().st_size} bytes, made in {took:.2f} s")
        frequency = document_frequencies(two)
        queries = [known_terms(tokens, frequency) for tokens in sampled(analyzed, count)]
        for label, known in (("without", {}), ("with", lists)):
            fresh = PrunedSearcher(rows, Champions(rows, known))
            first = seconds(lambda fresh=fresh: [fresh.top(query, 10) for query in queries[:200]])
            again = seconds(lambda fresh=fresh: [fresh.top(query, 10) for query in queries[:200]])
            print(
                f"200 first queries {label} them {first * 1e3:.0f} ms, again {again * 1e3:.0f} ms"
            )

        planner = PrunedSearcher(rows, Champions(rows, lists))

        def pruned(query: Query, limit: int) -> Found:
            return planner.top(query, limit)

        ways: dict[str, Callable[[Query, int], object]] = {
            "full, 1 segment": lambda query, limit: one.search(union(query), limit, count=False),
            "full": lambda query, limit: two.search(union(query), limit, count=False),
            "full as rows": lambda query, limit: rows.top(union(query), limit),
            "planner": pruned,
        }
        for query in queries:
            found = pruned(query, 10)
            if (found.rows, found.scores) != rows.top(union(query), 10):
                raise SystemExit(f"the planner differs from the full search: {query}")
        for limit in LIMITS:
            some = queries[: count if limit <= 100 else count // 4]
            compare(f"{len(some)} queries", some, limit, ways)
        for kind, some in classes(queries):
            for limit in (10, 100):
                compare(kind, some, limit, ways)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))

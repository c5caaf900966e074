"""Freshness against relevance: temporal over keyword on dated news, by half-life and floor.

Prints, for the 120 topics of the Reuters-21578 collection, nDCG at 10, the mean and median age of
the ten best and how many of them changed; the figures of ``docs/strategies/temporal.md`` come from
here::

    python benchmarks/temporal_quality.py COLLECTIONS [--child keyword] [--floor 0.8 0.5 0]

``COLLECTIONS`` holds ``reuters21578`` (``corpus.parquet``, ``queries.parquet``, ``qrels.tsv``). The
clock stands at the newest document, 20 October 1987, so nothing depends on when this runs.
"""

import argparse
import math
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from octavo import Corpus, RAGContext
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.temporal import TemporalRAGStrategy
from octavo.strategies.temporal_index import TemporalIndex

DEPTH = 10


def judgements(path: Path) -> dict[str, set[str]]:
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text("utf-8").splitlines():
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            relevant[query].add(document)
    return relevant


def ndcg(ranked: Sequence[str], relevant: set[str]) -> float:
    gained = sum(
        1 / math.log2(rank + 2) for rank, name in enumerate(ranked[:DEPTH]) if name in relevant
    )
    return gained / sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, len(relevant))))


def best(strategy: ColumnarStrategy, queries: pa.Table) -> list[list[str]]:
    table = strategy.retrieve_batch(queries["text"].to_pylist(), RAGContext(DEPTH))
    ranked: list[list[str]] = [[] for _ in range(len(queries))]
    for query, name in zip(table["query_id"].to_pylist(), table["id"].to_pylist(), strict=True):
        ranked[int(query)].append(name)
    return ranked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", type=Path)
    parser.add_argument("--child", default="keyword")
    parser.add_argument("--floor", type=float, nargs="+", default=[0.8, 0.5, 0.0])
    parser.add_argument("--days", type=float, nargs="+", default=[1, 7, 30, 90, 365])
    options = parser.parse_args()
    folder = options.collections / "reuters21578"
    documents = pq.read_table(folder / "corpus.parquet")
    queries = pq.read_table(folder / "queries.parquet")
    relevant = judgements(folder / "qrels.tsv")
    instants = pc.assume_timezone(documents["timestamp"], "UTC").to_pylist()
    when: dict[str, datetime | None] = dict(zip(documents["id"].to_pylist(), instants, strict=True))
    now = max(moment for moment in instants if moment is not None).astimezone(UTC)
    dated = [(now - moment) / timedelta(days=1) for moment in instants if moment is not None]
    print(
        f"{len(when)} documents, {len(when) - len(dated)} undated; ages {min(dated):.0f} to {max(dated):.0f} days,"
    )
    print(f"median {np.median(dated):.0f}; {len(queries)} queries; now = {now.isoformat()}\n")

    with tempfile.TemporaryDirectory() as directory:
        corpus = Corpus.build(
            documents, Path(directory) / "index", timestamp="timestamp", timestamp_zone="UTC",
            embedding="hash", language="en", stem=True,
        )  # fmt: skip
        child = corpus.strategy(options.child)
        index = TemporalIndex.of_corpus(corpus.keyword_index)
        plain = best(child, queries)
        names = queries["id"].to_pylist()

        def line(label: str, floor: str, ranked: list[list[str]]) -> None:
            ages = [
                (now - moment) / timedelta(days=1)
                for names_of in ranked for name in names_of if (moment := when[name]) is not None
            ]  # fmt: skip
            quality = np.mean([ndcg(r, relevant[q]) for q, r in zip(names, ranked, strict=True)])
            kept = np.mean([
                len(set(new) & set(old)) / max(1, len(old))
                for new, old in zip(ranked, plain, strict=True)
            ])  # fmt: skip
            print(
                f"| {label} | {floor} | {quality:.3f} | {np.mean(ages):.0f} | {np.median(ages):.0f} "
                f"| {100 * (1 - kept):.0f} % |"
            )

        print("| half-life | floor | nDCG@10 | mean age, days | median age, days | changed |")
        print("|---|---|---|---|---|---|")
        line(f"({options.child} alone)", "", plain)
        for floor in options.floor:
            for days in options.days:
                temporal = TemporalRAGStrategy(
                    child, index, clock=lambda: now, half_life=timedelta(days=days),
                    relevance_floor=floor,
                )  # fmt: skip
                line(f"{days:g} days", f"{floor:g}", best(temporal, queries))


if __name__ == "__main__":
    main()

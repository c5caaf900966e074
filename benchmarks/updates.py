"""What changes of an index cost, each beside the build of the whole, and what searches cost after.

All figures are ratios of things done in turn in one process: seconds of one machine mean nothing on
another. Indexes are cloned by hard links before they are changed, since their files never are.

    python benchmarks/updates.py --documents 100000
    python benchmarks/updates.py --corpus documents.parquet --documents 400000
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from octavo import Corpus
from octavo.benchmark.bench import COLUMNS
from octavo.benchmark.synthetic import SyntheticCorpus

Row = tuple[str, str, str]
STRATEGIES = ("keyword", "vector", "hybrid")
COMMITS = (0, 10, 40)
DELETED = (0, 1, 10, 30)
DEPTH = 10
BATCH = 256
SMALL = 50
"""Documents of a small commit."""


class Collection:
    """Documents to index, more of the same to add, and queries.

    Parameters
    ----------
    told
        The arguments: ``documents``, ``corpus`` (a parquet file with ``id`` and ``text``).
    """

    def __init__(self, told: argparse.Namespace) -> None:
        wanted = told.documents + told.documents // 100 + SMALL * max(COMMITS) + 2_000
        if told.corpus is None:
            made = SyntheticCorpus(wanted)
            table = pa.Table.from_batches(made.batches(), schema=made.schema)
            drawn = made.queries(2 * BATCH)
            self.texts, self.vectors = list(drawn.texts), drawn.vectors
            self.columns: dict[str, Any] = COLUMNS
        else:
            table = _head(told.corpus, wanted)
            rng = np.random.default_rng(0)
            picked = table["text"].take(pa.array(rng.choice(len(table), 2 * BATCH)))
            self.texts = [" ".join((text or "").split()[:4]) for text in picked.to_pylist()]
            self.vectors = None
            self.columns = {"embedding": "hash"}
        if table.num_rows < wanted:
            sys.exit(
                f"expected {wanted:,} documents, to build of and to add, found {table.num_rows:,}"
            )
        self.base = table.slice(0, told.documents)
        self.more = table.slice(told.documents)

    def build(self, path: Path) -> Corpus:
        return Corpus.build(self.base, path, overwrite=True, **self.columns)


def _head(path: Path, rows: int) -> pa.Table:
    batches, count = [], 0
    for batch in pq.ParquetFile(path).iter_batches(columns=["id", "text"]):
        batches.append(batch)
        count += len(batch)
        if count >= rows:
            break
    return pa.Table.from_batches(batches).slice(0, rows)


class Place:
    """A directory of indexes."""

    def __init__(self, directory: Path, collection: Collection) -> None:
        self.directory = directory
        self.collection = collection
        self.number = 0

    def clone(self, index: Path) -> Path:
        """Return a copy of an index that shares the files' content."""
        self.number += 1
        copy = self.directory / f"clone-{self.number}"
        shutil.copytree(index, copy, copy_function=os.link)
        return copy


def timed(action: Callable[..., Any], *arguments: Any) -> float:
    started = time.perf_counter()
    action(*arguments)
    return time.perf_counter() - started


def add(corpus: Corpus, table: pa.Table) -> None:
    with corpus.writer() as writer:
        writer.add(table)


def delete(corpus: Corpus, ids: list[str]) -> None:
    with corpus.writer() as writer:
        writer.delete(ids)


def costs(place: Place, repeats: int) -> Iterator[Row]:
    """Compare changes with building everything."""
    collection = place.collection
    base = place.directory / "base"
    builds, adds, deletes, ones, compactions, opens, refreshes = ([] for _ in range(7))
    one_call, many_calls = [], []
    rows = len(collection.base)
    percent = rows // 100
    gone = [str(one) for one in collection.base["id"].take(np.arange(0, rows, 100)).to_pylist()]
    for _ in range(repeats):
        builds.append(timed(collection.build, base))
        mine = Corpus.open(place.clone(base))
        adds.append(timed(add, mine, collection.more.slice(0, percent)))
        deletes.append(timed(delete, mine, gone))
        reader = Corpus.open(mine.path)
        for number in range(20):
            document = collection.more.slice(percent + number, 1)
            ones.append(timed(add, mine, document))
            refreshes.append(timed(reader.refresh))
            opens.append(timed(Corpus.open, mine.path))
        thousand = collection.more.slice(percent + 100, 1_000)
        together, apart = Corpus.open(place.clone(base)), Corpus.open(place.clone(base))
        one_call.append(timed(add, together, thousand))
        many_calls.append(timed(_one_by_one, apart, thousand))
        compactions.append(timed(mine.compact))
    build = median(builds)
    yield ("adding 1 %", "building everything", _ratio(median(adds), build))
    yield ("deleting 1 %", "building everything", _ratio(median(deletes), build))
    yield ("compaction after both", "building everything", _ratio(median(compactions), build))
    yield ("a commit of one document", "building everything", _ratio(median(ones), build))
    yield (
        "1,000 adds in one transaction",
        "one add of 1,000",
        _ratio(median(many_calls), median(one_call)),
    )
    yield (
        "one add of 1,000",
        "1,000 commits of one",
        _ratio(median(one_call), 1_000 * median(ones)),
    )
    yield ("refresh after a commit of one", "opening", _ratio(median(refreshes), median(opens)))
    yield ("opening", "a commit of one document", _ratio(median(opens), median(ones)))


def _one_by_one(corpus: Corpus, table: pa.Table) -> None:
    with corpus.writer() as writer:
        for number in range(len(table)):
            writer.add(table.slice(number, 1))


def after_commits(place: Place) -> Iterator[Row]:
    """Compare searches after small commits with those of a fresh index of the same documents."""
    collection = place.collection
    base = place.directory / "base"
    mine = Corpus.open(place.clone(base))
    done = 0
    for commits in COMMITS:
        while done < commits:
            add(mine, collection.more.slice(SMALL * done, SMALL))
            done += 1
        fresh = Corpus.build(
            pa.concat_tables([collection.base, collection.more.slice(0, SMALL * done)]),
            place.directory / "fresh",
            overwrite=True,
            **collection.columns,
        )
        segments = mine.info().segments
        name = f"after {commits} commits of {SMALL} ({segments} segments)"
        yield from searches(name, collection, mine, fresh)
        opened = [
            (timed(Corpus.open, mine.path), timed(Corpus.open, fresh.path)) for _ in range(20)
        ]
        opening, baseline = (median(seconds) for seconds in zip(*opened, strict=True))
        yield (f"{name}: opening", "a fresh index", _ratio(opening, baseline))
    space = _ratio(_bytes(mine.path), _bytes(fresh.path))
    yield ("space after the commits", "a fresh index", space)


def after_deletions(place: Place) -> Iterator[Row]:
    """Compare searches where rows are deleted with those of an index without the documents."""
    collection = place.collection
    base = place.directory / "base"
    ids = np.array(collection.base["id"].to_pylist(), object)
    order = np.random.default_rng(1).permutation(len(ids))
    mine = Corpus.open(place.clone(base))
    done = 0
    for percent in DELETED:
        count = len(ids) * percent // 100
        if count > done:
            delete(mine, [str(one) for one in ids[order[done:count]]])
            done = count
        kept = np.sort(order[count:])
        fresh = Corpus.build(
            collection.base.take(kept),
            place.directory / "fresh",
            overwrite=True,
            **collection.columns,
        )
        name = f"{percent} % deleted"
        yield from searches(name, collection, mine, fresh)
        yield (f"{name}: space", "a fresh index", _ratio(_bytes(mine.path), _bytes(fresh.path)))
    mine = mine.compact()
    yield ("space after compaction", "a fresh index", _ratio(_bytes(mine.path), _bytes(fresh.path)))


def searches(name: str, collection: Collection, subject: Corpus, baseline: Corpus) -> Iterator[Row]:
    """Let two corpora take turns with the same queries, alone and in batches."""
    for strategy in STRATEGIES:
        ways = {
            "alone": [(_single, number) for number in range(BATCH)],
            "in a batch": [(_batch, 0)] * 7,
        }
        for what, calls in ways.items():
            for corpus in (subject, baseline):  # the first call loads what is needed
                calls[0][0](collection, corpus, 0, strategy)
            seconds: dict[str, list[float]] = {"subject": [], "baseline": []}
            for turn, (call, number) in enumerate(calls):
                pairs = [("subject", subject), ("baseline", baseline)]
                for which, corpus in pairs if turn % 2 else reversed(pairs):
                    seconds[which].append(timed(call, collection, corpus, number, strategy))
            ratio = _ratio(median(seconds["subject"]), median(seconds["baseline"]))
            yield (f"{name}: {strategy}, {what}", "a fresh index", ratio)


def _single(collection: Collection, corpus: Corpus, number: int, strategy: str) -> None:
    vector = None if collection.vectors is None else collection.vectors[number]
    query = collection.texts[number]
    corpus.search(query, strategy=strategy, max_results=DEPTH, query_vector=vector)


def _batch(collection: Collection, corpus: Corpus, number: int, strategy: str) -> None:
    vectors = None if collection.vectors is None else collection.vectors[BATCH + number :]
    texts = collection.texts[BATCH + number :]
    corpus.search_batch(
        texts, strategy=strategy, max_results=DEPTH, query_vectors=vectors, threads=1
    )


def _bytes(index: Path) -> int:
    return sum(path.stat().st_size for path in index.rglob("*") if path.is_file())


def _ratio(subject: float, baseline: float) -> str:
    return f"{subject / baseline:.4g}"


PARTS = {"costs": costs, "commits": after_commits, "deletions": after_deletions}


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--corpus", type=Path, help="parquet with id and text; unset, generated")
    parser.add_argument("--repeats", type=int, default=3, help="of the builds")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=[*PARTS])
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    collection = Collection(told)
    directory = Path(tempfile.mkdtemp(prefix="octavo-updates-"))
    try:
        place = Place(directory, collection)
        collection.build(directory / "base")
        rows: list[Row] = []
        for name in told.parts:
            part = costs(place, told.repeats) if name == "costs" else PARTS[name](place)
            for row in part:
                rows.append(row)
                print("  ".join(row), file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if told.json:
        print(
            json.dumps([dict(zip(("what", "beside", "ratio"), row, strict=True)) for row in rows])
        )
        return
    print(f"{len(collection.base):,} documents\n\n| what | beside | ratio |\n|---|---|--:|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()

"""What declarative retrieval costs beyond the strategy: first, warm, cached, and after a change.

Writes Markdown files, one a row of a parquet file with a column ``text``, and asks them through a
role's action; the strategy alone is asked in turn with it. The figures of
``docs/declarative/retrieval.md`` come from here::

    python benchmarks/declarative_dispatch.py TEXTS.parquet [--files 50000] [--queries 40]

Fewer than 2,000 files are kept nowhere, and so cannot be asked beside it.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from octavo import Corpus
from octavo.declarative import (
    ActionType,
    BoundDeclarations,
    Knowledge,
    RetrievalRuntime,
    Retrieved,
    Search,
    action_spec,
    bind,
    role_spec,
)

QUERIES = (
    "parse json fast", "http client library", "compress files", "image resize tool",
    "graph database driver", "machine learning framework", "terminal colours", "read csv files",
    "unit testing helper", "web server",
)  # fmt: skip
STRATEGIES = {"SEMANTIC": "vector", "KEYWORD": "keyword"}


def write_files(texts: Path, count: int, folder: Path) -> None:
    column = pq.read_table(texts, columns=["text"])["text"].slice(0, count).to_pylist()
    for number, text in enumerate(column):
        place = folder / f"{number // 500:03d}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"f{number}.md").write_text(f"# Package {number}\n{text}\n", "utf-8")


def declared(folder: Path, **search: object) -> BoundDeclarations:
    """Bind a new role, as a new process would."""
    settings = Search(min_score=0.0, on_failure="FAIL", **search)

    @role_spec(knowledge=Knowledge("notes", path=str(folder)))
    class Reader:
        @action_spec(type=ActionType.LLM, knowledge=Knowledge("notes", search=settings))
        def answer(self, question: str) -> str: ...

    return bind(Reader)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, cache = Path(scratch) / "files", Path(scratch) / "cache"
        os.environ["OCTAVO_CACHE"] = str(cache)
        write_files(given.texts, given.files, folder)
        report(folder, cache, given.queries)


def report(folder: Path, cache: Path, number: int) -> None:
    runtime = RetrievalRuntime()

    def ask(bindings: BoundDeclarations, question: str) -> Retrieved:
        return runtime.retrieve(bindings, bindings.actions["answer"], {"question": question})

    questions = [QUERIES[each % len(QUERIES)] for each in range(number)]
    print("| | first dispatch, s | warm, ms | the strategy alone, ms | beyond it, ms |")
    print("|---|--:|--:|--:|--:|")
    for name, strategy in STRATEGIES.items():
        bindings = declared(folder, strategy=name, cache=False)
        first = seconds(lambda bindings=bindings: ask(bindings, "anything"))
        corpus = Corpus.open(next(cache.rglob("manifest.json")).parent)
        search = partial(corpus.search, strategy=strategy, max_results=5)
        times = [
            (
                seconds(lambda q=q, bindings=bindings: ask(bindings, q)),
                seconds(lambda q=q, search=search: search(q)),
            )
            for q in questions
        ]
        warm, alone = (statistics.median(each) for each in zip(*times, strict=True))
        beyond = statistics.median(whole - part for whole, part in times)
        figures = " | ".join(f"{1000 * each:.2f}" for each in (warm, alone, beyond))
        print(f"| {name} | {first:.2f} | {figures} |", flush=True)
    cached = declared(folder, strategy="KEYWORD")
    ask(cached, questions[0])
    again = statistics.median(seconds(lambda: ask(cached, questions[0])) for _ in questions)
    print(f"\na cached result: {1000 * again:.2f} ms")
    (folder / "000" / "f0.md").write_text("# Package 0\nchanged: zebra\n", "utf-8")
    changed = declared(folder, strategy="KEYWORD", cache=False)
    found: list[Retrieved] = []
    took = seconds(lambda: found.append(ask(changed, "zebra changed")))
    assert "zebra" in found[0].documents[0].content
    print(f"one file changed, a new binding: {took:.2f} s")


if __name__ == "__main__":
    main()

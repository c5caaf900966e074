"""Index a parquet corpus, open it, and answer 10,000 queries by each strategy; print a table.

    python benchmarks/end_to_end.py CORPUS.parquet [--queries 10000] [--text COL] [--write docs/benchmarks.md]

Every figure is taken from a process of its own, as a user would run it. Queries are 2 to 6 words
sampled from the corpus, the same for the same corpus.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

STRATEGIES = ("keyword", "vector", "hybrid")
BEGIN, END = "<!-- end_to_end: begin -->", "<!-- end_to_end: end -->"


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        lines = run(options, Path(scratch))
    print("\n".join(lines))
    if options.write:
        page = options.write.read_text()
        head, rest = page.split(BEGIN)
        options.write.write_text("\n".join([head + BEGIN, *lines, END + rest.split(END)[1]]))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--text", default="text")
    parser.add_argument("--embedding", default="hash")
    parser.add_argument("--memory-budget", default=None)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--write", type=Path, default=None)
    return parser.parse_args()


def run(options: argparse.Namespace, scratch: Path) -> list[str]:
    index, queries = scratch / "index", scratch / "queries.parquet"
    write_queries(options.corpus, options.text, options.queries, queries)
    budget = ["--memory-budget", options.memory_budget] if options.memory_budget else []
    build = ["index", options.corpus, "--out", index, "--text", options.text]
    seconds, peak = octavo(*build, "--embedding", options.embedding, *budget)
    documents = json.loads(output("info", index, "--json"))["documents"]
    size = sum(path.stat().st_size for path in index.rglob("*") if path.is_file())
    lines = [
        environment(documents, options.queries),
        "",
        "| what | seconds | rate | peak memory |",
        "|---|--:|--:|--:|",
        row(f"octavo index ({size / 1e6:,.0f} MB on disk)", seconds, documents, "documents", peak),
        f"| `Corpus.open`, in a running process | {open_seconds(index):.4f} | | |",
    ]
    for strategy in STRATEGIES:
        for threads in options.threads:
            result = scratch / "result.parquet"
            seconds, peak = octavo(
                "batch", index, queries, "--out", result, "--strategy", strategy,
                "--threads", threads,
            )  # fmt: skip
            what = f"octavo batch --strategy {strategy} --threads {threads}"
            lines.append(row(what, seconds, options.queries, "queries", peak))
    return lines


def environment(documents: int, queries: int) -> str:
    machine = (
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors"
    )
    return f"{machine}; {documents:,} documents, {queries:,} queries, k = 10."


def row(what: str, seconds: float, number: int, things: str, peak: float) -> str:
    return f"| `{what}` | {seconds:.1f} | {number / seconds:,.0f} {things}/s | {peak:,.0f} MB |"


def write_queries(corpus: Path, text: str, number: int, path: Path) -> None:
    """Sample words of random documents, so that every query has an answer."""
    texts = pq.read_table(corpus, columns=[text])[text]
    choose = random.Random(7)
    queries = []
    while len(queries) < number:
        words = (texts[choose.randrange(len(texts))].as_py() or "").split()
        if len(words) >= 2:
            queries.append(" ".join(choose.sample(words, min(len(words), choose.randint(2, 6)))))
    ids = [f"q{position}" for position in range(number)]
    pq.write_table(pa.table({"id": ids, "text": queries}), path)


def octavo(*words: object) -> tuple[float, float]:
    """Run a command; return its wall seconds and peak memory in MB."""
    command = [sys.executable, "-m", "octavo", *map(str, words)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    complaints = process.stderr.read() if process.stderr else b""
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        sys.exit(f"{' '.join(command)} failed:\n{complaints.decode()}")
    scale = 1 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss * scale / 1e6


def output(*words: object) -> str:
    command = [sys.executable, "-m", "octavo", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def open_seconds(index: Path) -> float:
    """Median time to open, imports done."""
    script = (
        "import sys, time, statistics, octavo\n"
        "octavo.Corpus.open(sys.argv[1])\n"
        "def once():\n"
        "    started = time.perf_counter()\n"
        "    octavo.Corpus.open(sys.argv[1])\n"
        "    return time.perf_counter() - started\n"
        "print(statistics.median(once() for _ in range(11)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(index)], capture_output=True, text=True, check=True
    )
    return float(run.stdout)


if __name__ == "__main__":
    main()

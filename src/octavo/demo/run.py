"""The demonstration: index the running Python's documentation, answer questions, count successes."""

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.batch import BatchJob, run_batch
from octavo.corpus import Corpus
from octavo.demo.corpus_file import write_corpus
from octavo.demo.questions import load_questions
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.storage.format.durable import replace_file
from octavo.version import __version__

STRATEGIES = ("keyword", "vector", "hybrid")
DEPTH = 10

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """How one strategy answered the questions.

    Parameters
    ----------
    strategy
        Its name.
    success
        Share of the questions with a judged answer among the first ten hits.
    rate
        Questions answered a second.
    first
        Id of the first hit of each question, ``None`` where there is none.
    """

    strategy: str
    success: float
    rate: float
    first: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What a run of the demonstration did.

    Parameters
    ----------
    documents
        Number of documents in the index.
    seconds
        Wall time of the whole run.
    reused
        Whether corpus and index of an earlier run were used again.
    questions
        The questions, as :func:`octavo.demo.questions.load_questions` gives them.
    results
        One for each strategy.
    """

    documents: int
    seconds: float
    reused: bool
    questions: pa.Table
    results: tuple[StrategyResult, ...]


def run_demo(directory: Path, say: Say = lambda _: None) -> DemoResult:
    """Run the demonstration in ``directory`` and leave its files there to play with.

    Writes ``documents.parquet``, ``questions.parquet``, the index ``index`` and one
    ``results-STRATEGY.parquet`` for each strategy. Corpus and index are made again only when the
    Python or octavo version is another than that of the earlier run.

    Parameters
    ----------
    directory
        Made where it is missing.
    say
        Called with one line about each step.

    Raises
    ------
    OSError
        The directory cannot be written.
    """
    started = time.perf_counter()
    directory.mkdir(parents=True, exist_ok=True)
    corpus = _open_fresh(directory)
    reused = corpus is not None
    if corpus is None:
        corpus = _build(directory, say)
    say(f"index: {len(corpus):,} documents in {corpus.path}")
    questions = load_questions()
    written = BytesIO()
    pq.write_table(questions, written)
    replace_file(directory / "questions.parquet", written.getvalue())
    corpus.search("warm up", strategy="hybrid")  # loads the kernels, so that rates are of searching
    results = tuple(_answer(corpus, directory, questions, strategy) for strategy in STRATEGIES)
    seconds = time.perf_counter() - started
    return DemoResult(len(corpus), seconds, reused, questions, results)


def _versions() -> dict[str, str]:
    return {"python": sys.version, "stdlib": os.__file__, "octavo": __version__}


def _open_fresh(directory: Path) -> Corpus | None:
    try:
        made_with = json.loads((directory / "versions.json").read_text(encoding="utf-8"))
        if made_with == _versions():
            return Corpus.open(directory / "index")
    except (FileNotFoundError, ValueError, CorpusFormatError, CorpusCorruptError):
        pass  # No earlier run, or one that was stopped or damaged: build again.
    return None


def _build(directory: Path, say: Say) -> Corpus:
    versions = directory / "versions.json"
    versions.unlink(missing_ok=True)
    say("reading the documentation strings of this Python")
    written = write_corpus(directory / "documents.parquet")
    kinds = ", ".join(f"{count:,} of kind {kind}" for kind, count in written.documents.items())
    say(f"corpus: {len(written):,} documents ({kinds}) in {written.path}")
    corpus = Corpus.build(
        written.path,
        directory / "index",
        id="id",
        text="text",
        title="title",
        parent="parent",
        metadata=["kind", "module"],
        embedding="hash",
        overwrite=True,
    )
    replace_file(versions, (json.dumps(_versions(), indent=2) + "\n").encode())
    return corpus


def _answer(corpus: Corpus, directory: Path, questions: pa.Table, strategy: str) -> StrategyResult:
    out = directory / f"results-{strategy}.parquet"
    job = BatchJob(
        index=corpus,
        queries=directory / "questions.parquet",
        out=out,
        strategy=strategy,
        max_results=DEPTH,
    )
    summary = run_batch(job)
    found: dict[str, list[str]] = {}
    for hit in pq.read_table(out, columns=["query_id", "id"]).to_pylist():
        found.setdefault(hit["query_id"], []).append(hit["id"])
    asked = questions.to_pylist()
    hits = [found.get(question["id"], []) for question in asked]
    successes = sum(
        not set(question["relevant"]).isdisjoint(ids)
        for question, ids in zip(asked, hits, strict=True)
    )
    first = tuple(ids[0] if ids else None for ids in hits)
    return StrategyResult(strategy, successes / len(hits), summary.rate, first)

"""Retrieval quality of every strategy that applies, on seven collections: the page ``docs/quality.md``.

::

    python benchmarks/quality.py COLLECTIONS --docs docs [--only cacm peps]

``COLLECTIONS`` holds a folder for each (``corpus.parquet``, ``queries.parquet``, ``qrels.tsv``, perhaps
``links.tsv``, ``vectors.parquet``). Everything is measured with :mod:`octavo.evaluation`, as
``octavo eval`` does, and keyword retrieval beside bm25s with the same analysis. Without ``--docs`` the
page is printed. Nothing depends on the machine or the time.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bm25s
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graph_quality import LINKED, Collection, Indexes, Setting, read
from octavo import Corpus, RAGContext
from octavo.evaluation import (
    EvaluationReport,
    Qrels,
    Run,
    StrategyRun,
    compare_runs,
    read_qrels,
    read_run,
    retrieve_runs,
)
from octavo.evaluation.tables import means_table
from octavo.reporting.table import Table, markdown
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.queries import Queries
from octavo.version import __version__

DEPTH = 100
METRICS = ("nDCG@10", "AP", "R@100")
NEWS_CLOCK = "1987-10-21T00:00:00Z"
ALLOWED = 0.01

DESCRIPTIONS = {
    "cranfield": "1,400 abstracts on aerodynamics, 225 queries with grades; real vectors",
    "cisi": "1,460 abstracts on library science, 76 long queries; real vectors; papers that are cited together as edges",
    "cacm": "3,204 titles and abstracts, 52 queries; real vectors; citations as edges",
    "dc_code": "21,691 sections of a legal code, 2,617 entries of its index as queries; hash vectors; citations as edges",
    "dc_code with its containers": "the same with 3,183 chapters and titles as documents and parents; a query is answered "
    "by its sections and by what directly contains them",
    "peps": "736 Python proposals, 1,000 sentences that refer to one; hash vectors; the other references as edges. "
    "The proposal that a sentence is from is neither a result nor walked through",
    "reuters21578": "21,578 news items of 1987, 120 topics, judged by topic codes; hash vectors; temporal with a half-life of "
    "30 days and the clock at the end of the newest day",
    "xquad": "960 paragraphs in English, German, Arabic and Chinese, 4,760 questions in these; hash vectors; words as they are",
}


@dataclass(frozen=True)
class Measured:
    """What was found on one collection."""

    name: str
    report: EvaluationReport
    beside: EvaluationReport  # keyword, and bm25s


def run_of(name: str, ids: Sequence[str], ranked: Sequence[tuple[list[str], list[float]]]) -> Run:
    """Make a run of ranked documents."""
    rows = [
        {"query_id": query, "rank": rank, "id": document, "score": score}
        for query, (documents, scores) in zip(ids, ranked, strict=True)
        for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
    ]
    return read_run(pa.Table.from_pylist(rows), name=name)


def without(run: Run, asked: Collection) -> Run:
    """Leave out of each query's results what is no answer, and what is beyond the depth."""
    left_out = dict(zip(asked.names, asked.left_out, strict=True))
    ranked = []
    for query in asked.names:
        at = run.query_ids.index(query).as_py()
        rows = range(0) if at < 0 else range(run.offsets[at], run.offsets[at + 1])
        pairs = [(run.ids[row].as_py(), float(run.scores[row])) for row in rows]
        kept = [pair for pair in pairs if pair[0] not in left_out[query]][:DEPTH]
        ranked.append(([each for each, _ in kept], [score for _, score in kept]))
    return run_of(run.name, asked.names, ranked)


def queries_of(asked: Collection) -> pa.Table:
    table = pa.table({"id": asked.names, "text": asked.texts})
    if asked.vectors is None:
        return table
    return table.append_column("vector", pa.array(list(asked.vectors), pa.list_(pa.float32())))


def fenced_run(label: str, name: str, indexes: Indexes, setting: Setting) -> Run:
    """Walk a graph in which each query has its own document that no walk may visit."""
    asked = indexes.collection
    assert asked.fenced is not None
    ranked = []
    for text, source in zip(asked.texts, asked.fenced, strict=True):
        table = searched(indexes.strategy(name, setting, source), [text])
        ranked.append((table["id"].to_pylist(), table["score"].to_pylist()))
    return run_of(label, asked.names, ranked)


def searched(strategy: ColumnarStrategy, texts: list[str]) -> pa.Table:
    return strategy.retrieve_batch(Queries.of(texts), RAGContext(DEPTH + 1))


def strategies(asked: Collection) -> list[StrategyRun]:
    kind = "" if asked.vectors is not None else " (hash)"
    found = [
        StrategyRun("keyword"),
        StrategyRun("vector", label=f"vector{kind}"),
        StrategyRun("hybrid", label=f"hybrid{kind}"),
    ]
    if asked.edges and asked.fenced is None:
        seeds = {"seeds": asked.seeds}
        found += [
            StrategyRun("graph", seeds, label=f"graph from {asked.seeds}"),
            StrategyRun("hybrid", {"graph": True, **seeds}, label=f"hybrid with graph{kind}"),
        ]
    if asked.name == "reuters21578":
        options = {"now": NEWS_CLOCK, "child": "keyword"}
        found.append(StrategyRun("temporal", options, label="temporal over keyword"))
    return found


def bm25s_run(corpus: Corpus, asked: Collection) -> Run:
    """Rank with bm25s over the tokens that octavo's analyser gives."""
    columns = asked.documents.to_pydict()
    titles = columns.get("title", [""] * len(asked.documents))
    texts = [
        "\n".join(part for part in pair if part)
        for pair in zip(titles, columns["text"], strict=True)
    ]
    tokens = [list(corpus.analyzer.tokens(text)) for text in texts]
    retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    retriever.index(tokens, show_progress=False)
    asked_tokens = [list(corpus.analyzer.tokens(text)) for text in asked.texts]
    ids = columns["id"]
    ranked = []
    for query in asked_tokens:
        known = [token for token in query if token in retriever.vocab_dict]
        if not known:
            ranked.append(([], []))
            continue
        depth = min(DEPTH + 1, len(ids))
        rows, scores = retriever.retrieve([known], k=depth, show_progress=False)
        found = scores[0] > 0  # it fills up with documents that match nothing
        ranked.append(([ids[row] for row in rows[0][found]], scores[0][found].tolist()))
    return run_of("bm25s", asked.names, ranked)


def measure(asked: Collection, qrels: Qrels, directory: Path) -> Measured:
    indexes = Indexes(asked, directory)
    edges = list(asked.edges)[-1] if asked.edges else None
    corpus = indexes.of(edges) if edges else plain_corpus(asked, directory)
    queries = queries_of(asked)
    runs = retrieve_runs(corpus, queries, strategies(asked), max_results=DEPTH + 1)
    if asked.fenced is not None and edges is not None:
        setting = Setting(edges, asked.seeds)
        runs.append(fenced_run(f"graph from {asked.seeds}", "graph", indexes, setting))
        runs.append(fenced_run("hybrid with graph (hash)", "hybrid", indexes, setting))
    runs = [without(run, asked) for run in runs]
    beside = [runs[0], without(bm25s_run(corpus, asked), asked)]
    return Measured(
        asked.name, compare_runs(runs, qrels, METRICS), compare_runs(beside, qrels, METRICS)
    )


def plain_corpus(asked: Collection, directory: Path) -> Corpus:
    news = asked.name == "reuters21578"
    return Corpus.build(
        asked.documents,
        directory / "index",
        embedding="hash" if asked.vectors is None else "column:vector",
        language="en",
        stem=asked.stem,
        stop_words=asked.stem,
        timestamp="timestamp" if news else None,
        timestamp_zone="UTC" if news else None,
    )


def measure_containers(folder: Path, directory: Path) -> Measured:
    """Measure hierarchical retrieval: sections and containers are documents, and answers."""
    name = "dc_code with its containers"
    asked = read(folder)
    containers = pq.read_table(folder / "containers.parquet")
    headings = pc.binary_join_element_wise(
        containers["prefix"], containers["num"], containers["heading"], " ", null_handling="skip"
    )
    empty = pa.array([""] * len(containers), pa.string())
    columns = ["id", "title", "text", "parent_id"]
    added = pa.table([containers["id"], headings, empty, containers["parent_id"]], names=columns)
    documents = pa.concat_tables([asked.documents.select(columns), added])
    asked = replace(asked, name=name, documents=documents)
    corpus = Corpus.build(
        documents, directory / "index", parent="parent_id", embedding="none", language="en",
        stem=True, stop_words=True,
    )  # fmt: skip
    wanted = [StrategyRun("keyword")]
    wanted += [
        StrategyRun(
            "hierarchical", {"child": "keyword", "max_depth": 1, "decay": decay},
            label=f"hierarchical over keyword, 1 level, decay {decay}",
        )
        for decay in (0.5, 0.85)
    ]  # fmt: skip
    judged = (folder / "qrels.tsv").read_text() + (folder / "qrels_parent.tsv").read_text()
    file = directory / "both.qrels"
    file.write_text(judged)
    qrels = read_qrels(file)
    runs = retrieve_runs(corpus, queries_of(asked), wanted, max_results=DEPTH)
    beside = [runs[0], without(bm25s_run(corpus, asked), asked)]
    return Measured(name, compare_runs(runs, qrels, METRICS), compare_runs(beside, qrels, METRICS))


def measured(folders: Path, only: Sequence[str]) -> Iterator[Measured]:
    for name in DESCRIPTIONS:
        if only and name.split()[0] not in only:
            continue
        folder = folders / name.split()[0]
        with tempfile.TemporaryDirectory() as directory:
            if name != folder.name:
                yield measure_containers(folder, Path(directory))
                continue
            asked = read(folder)
            if name in LINKED:
                asked = LINKED[name](folder, asked)
            asked = replace(asked, stem=name != "xquad")
            yield measure(asked, read_qrels(folder / "qrels.tsv"), Path(directory))


def parity_table(results: Sequence[Measured]) -> Table:
    rows = []
    for each in results:
        keyword, other = each.beside.systems
        cells = [each.name]
        gaps = []
        for own, theirs in zip(keyword.means, other.means, strict=True):
            cells.append(f"{own.mean:.4f} / {theirs.mean:.4f}")
            gaps.append(abs(own.mean - theirs.mean))
        changed = np.count_nonzero((keyword.values != other.values).any(axis=0))
        verdict = "yes" if max(gaps) <= ALLOWED else "NO"
        rows.append((*cells, f"{max(gaps):.4f}", f"{changed:,}", verdict))
    columns = ("collection", *METRICS, "largest gap", "queries that differ", f"within {ALLOWED}")
    return Table("", columns, tuple(rows), (*METRICS, "largest gap", "queries that differ"))


def page(results: Sequence[Measured]) -> str:
    lines = [
        "# Quality",
        "",
        "<!-- Made by benchmarks/quality.py. Do not edit. -->",
        "",
        "How well each strategy finds what it should, on seven collections with judged queries, measured as `octavo eval`",
        "measures ([how](evaluation.md)). This page is made by one command, from a folder of the collections:",
        "",
        "    python benchmarks/quality.py COLLECTIONS --docs docs",
        "",
        "What to take from it:",
        "",
        "- **With real vectors, take hybrid.** It is above keyword on all three collections that have them.",
        "- **With hash vectors, take keyword.** Fusing them in costs quality, or gains nothing.",
        "- **Edges that mean something raise recall** (citations in cacm and dc_code); those that mean little cost it (papers cited",
        "  together, in cisi). [What a graph adds](graph-quality.md) has more.",
        "- **Hierarchical pays where parents are answers too**; temporal costs a little where dates decide nothing, as in news",
        "  judged by topic.",
        "",
        f"octavo {__version__}. Words are stemmed (English) and stop words left out. 100 results a query, so AP is that of the",
        "100 best. *Real vectors* are 384 values of a sentence model (MiniLM-L6-v2); *hash vectors* are the built-in ones, which",
        "need no model and measure token overlap only. In brackets the 95 % confidence interval; below it the difference to",
        "keyword and its p value: paired randomisation test, corrected by Holm's method over the table; * where p < 0.05.",
        "Temporal and hierarchical retrieval stand where dates or parents decide anything; multi-query and reasoning need a",
        "model or a navigator and are not here.",
        "",
    ]
    for each in results:
        lines += [f"## {each.name}", "", f"{DESCRIPTIONS[each.name]}.", ""]
        lines += [*markdown(means_table(each.report), None)]
        missing = [
            f"{system.name} {system.missing:,}" for system in each.report.systems if system.missing
        ]
        if missing:
            lines += [f"Queries without a result, counted as zero: {', '.join(missing)}.", ""]
    lines += [
        "## Keyword beside an independent implementation",
        "",
        f"octavo's keyword retrieval / bm25s {bm25s.__version__} (Lucene's formula, k1 = 1.2, b = 0.75) over the tokens of the same",
        "analyser. bm25s keeps the length of a document exactly, octavo as one byte, as Lucene and tantivy do; and they order",
        "equal scores differently. So single queries differ, and means hardly.",
        "",
        *markdown(parity_table(results), None),
    ]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", type=Path)
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    written = page(list(measured(options.collections, options.only)))
    if options.docs is None:
        print(written)
    else:
        (options.docs / "quality.md").write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Hierarchical over keyword beside plain keyword, on a legal code with its containers as parents.

The table of ``docs/strategies/hierarchical.md`` comes from here::

    python benchmarks/hierarchical_quality.py COLLECTIONS

A query counts as answered by the sections that the code's index names for it (``qrels.tsv``) and by
their enclosing containers (``qrels_parent.tsv``). Containers are first documents like any other,
which plain keyword retrieval can find by their headings too, then parents only.
"""

import argparse
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from octavo import Corpus, RAGContext
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.hierarchical import HierarchicalRAGStrategy
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.keyword import KeywordRAGStrategy

DEPTH = 10
SETTINGS = [(levels, decay) for levels in (1, 2, 3, 5) for decay in (0.5, 0.7, 0.85, 1.0)]
FLIPS = 10_000


@dataclass(frozen=True)
class Code:
    """The sections and the containers of the code, with the same columns."""

    sections: pa.Table
    containers: pa.Table

    @staticmethod
    def read(folder: Path) -> "Code":
        columns = ["id", "title", "text", "parent_id"]
        found = pq.read_table(folder / "containers.parquet")
        headings = pc.binary_join_element_wise(
            found["prefix"], found["num"], found["heading"], " ", null_handling="skip"
        )
        empty = pa.array([""] * len(found), pa.string())
        return Code(
            pq.read_table(folder / "corpus.parquet", columns=columns),
            pa.table([found["id"], headings, empty, found["parent_id"]], names=columns),
        )

    def as_documents(self, out: Path) -> Corpus:
        both = pa.concat_tables([self.sections, self.containers])
        return Corpus.build(both, out, parent="parent_id", embedding="none")

    def as_parents(self, out: Path) -> Corpus:
        return Corpus.build(
            self.sections, out, parents=self.containers, parent="parent_id", embedding="none"
        )


def judgements(path: Path) -> dict[str, set[str]]:
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text("utf-8").splitlines():
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            relevant[query].add(document)
    return relevant


def recall(
    strategy: ColumnarStrategy, queries: pa.Table, relevant: list[dict[str, set[str]]]
) -> list[np.ndarray]:
    """Recall at 10 of every query, for each set of judgements."""
    table = strategy.retrieve_batch(queries["text"].to_pylist(), RAGContext(DEPTH))
    found: dict[int, set[str]] = defaultdict(set)
    for query, document in zip(table["query_id"].to_pylist(), table["id"].to_pylist(), strict=True):
        found[int(query)].add(document)
    names = queries["id"].to_pylist()
    return [
        np.array([len(found[i] & each[q]) / max(1, len(each[q])) for i, q in enumerate(names)])
        for each in relevant
    ]


def paired_p(first: np.ndarray, second: np.ndarray) -> float:
    """Two-sided p of the mean difference when the sign of each pair is flipped at random."""
    differences = second - first
    differences = differences[differences != 0]
    random = np.random.default_rng(0)
    observed = abs(differences.sum())
    signs = random.integers(0, 2, (FLIPS, len(differences)), np.int8) * 2 - 1
    extreme = np.count_nonzero(np.abs(signs @ differences) >= observed - 1e-9)
    return float((extreme + 1) / (FLIPS + 1))


def compare(corpus: Corpus, queries: pa.Table, relevant: list[dict[str, set[str]]]) -> None:
    index = HierarchyIndex.of_corpus(corpus.keyword_index)
    keyword = KeywordRAGStrategy(corpus.keyword_index)
    plain = recall(keyword, queries, relevant)
    print("| strategy | either | section | container | better | worse | p |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    cells = " | ".join(f"{values.mean():.4f}" for values in plain)
    print(f"| keyword | {cells} | | | |")
    for levels, decay in SETTINGS:
        strategy = HierarchicalRAGStrategy(keyword, index, max_depth=levels, decay=decay)
        found = recall(strategy, queries, relevant)
        cells = " | ".join(f"{values.mean():.4f}" for values in found)
        better, worse = (found[0] > plain[0]).sum(), (found[0] < plain[0]).sum()
        p = paired_p(plain[0], found[0])
        name = f"hierarchical, depth {levels}, decay {decay}"
        print(f"| {name} | {cells} | {better} | {worse} | {p:.4f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", type=Path)
    folder = parser.parse_args().collections / "dc_code"
    queries = pq.read_table(folder / "queries.parquet")
    sections = judgements(folder / "qrels.tsv")
    containers = judgements(folder / "qrels_parent.tsv")
    either = {query: sections[query] | containers[query] for query in queries["id"].to_pylist()}
    code = Code.read(folder)
    with tempfile.TemporaryDirectory() as directory:
        for title, build in (("documents", code.as_documents), ("parents only", code.as_parents)):
            corpus = build(Path(directory) / title)
            print(f"\nContainers as {title}: {len(queries)} queries, {len(corpus)} rows\n")
            compare(corpus, queries, [either, sections, containers])


if __name__ == "__main__":
    main()

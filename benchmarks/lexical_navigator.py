"""How often the lexical navigator descends into the right document, on the section trees of PEPs.

The figures of ``docs/strategies/reasoning.md`` come from here::

    python benchmarks/lexical_navigator.py COLLECTIONS [--queries 1000]

A query is a sentence that cites a PEP, with the citation removed; the document that it comes from
is not offered to the navigator. The 736 trees hang below one root: with 736 roots a retrieval of
15 visited nodes would open the first 15 documents, whatever the query.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq

from octavo.analysis import Analyzer
from octavo.spi import HierarchyMetadata, NodeView, RetrievedDocument
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.lexical_navigator import LexicalNavigator
from octavo.strategies.reasoning import ReasoningRAGStrategy

ROOT = "peps"


def node(row: dict[str, str], source: str, parent: str, summary_length: int) -> RetrievedDocument:
    metadata = {
        HierarchyMetadata.ID: row["id"],
        HierarchyMetadata.PARENT_ID: parent,
        HierarchyMetadata.NODE_TITLE: row["title"],
        HierarchyMetadata.NODE_SUMMARY: row["text"][:summary_length],
    }
    return RetrievedDocument(row["text"], source, 0.0, metadata)


def trees(folder: Path, summary_length: int) -> HierarchyIndex:
    titled = {HierarchyMetadata.ID: ROOT, HierarchyMetadata.NODE_TITLE: "Enhancement proposals"}
    peps = pq.read_table(folder / "corpus.parquet", columns=["id", "title", "text"]).to_pylist()
    sections = pq.read_table(folder / "sections.parquet").to_pylist()
    return HierarchyIndex(
        [
            RetrievedDocument("", ROOT, 0.0, titled),
            *(node(row, row["id"], ROOT, summary_length) for row in peps),
            *(node(row, row["root_id"], row["parent_id"], summary_length) for row in sections),
        ]
    )


class Without:
    """A navigator that is not offered one document."""

    def __init__(self, navigator) -> None:
        self.navigator = navigator
        self.hidden = ""

    def __call__(
        self, query: str, parent: NodeView, children: Sequence[NodeView], model: str
    ) -> str | None:
        offered = [child for child in children if child.id != self.hidden]
        return self.navigator(query, parent, offered, model)


def choose_at_random(query: str, parent: NodeView, children: Sequence[NodeView], _: str) -> str:
    return random.Random(f"{query}{parent.id}").choice(children).id


def measure(index: HierarchyIndex, navigator, queries, relevant) -> tuple[int, Counter[str]]:
    without = Without(navigator)
    strategy = ReasoningRAGStrategy(index, without, "any")
    right, reasons = 0, Counter()
    for query in queries:
        without.hidden = query["source_id"]
        (landed,) = strategy.retrieve(query["text"])
        right += (query["id"], landed.source) in relevant
        reasons[landed.metadata[HierarchyMetadata.STOP_REASON]] += 1
    return right, reasons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    options = parser.parse_args()
    folder = options.collections / "peps"
    queries = pq.read_table(folder / "queries.parquet").to_pylist()[: options.queries]
    lines = (folder / "qrels.tsv").read_text("utf-8").splitlines()
    relevant = {tuple(line.split("\t")[:2]) for line in lines}
    stemmed = LexicalNavigator(Analyzer("en", stem=True, stop_words=True))
    print("| navigator | shown | right document | ended |\n|---|---|---:|---|")
    for summary_length in (0, 300):
        index = trees(folder, summary_length)
        shown = f"title, {summary_length} characters" if summary_length else "title"
        for name, navigator in (
            ("lexical", LexicalNavigator().choose),
            ("lexical, English", stemmed.choose),
            ("random", choose_at_random),
        ):
            right, reasons = measure(index, navigator, queries, relevant)
            ended = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
            share = f"{right / len(queries):.1%}"
            print(f"| {name} | {shown} | {share} | {ended} |", flush=True)


if __name__ == "__main__":
    main()

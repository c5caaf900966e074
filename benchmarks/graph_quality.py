"""What a graph adds to keyword, vector and hybrid retrieval on collections whose documents are linked.

Prints, for each collection, nDCG at 10 and recall at 100 of the streams alone, of graph retrieval
and of hybrid retrieval with the graph as a third stream; then the same with one thing varied at a
time: which edges, which seeds, how far and how steeply. ``docs/graph-quality.md`` tells them::

    python benchmarks/graph_quality.py COLLECTIONS [--only cacm dc_code]

``COLLECTIONS`` holds a folder for each (``corpus.parquet``, ``queries.parquet``, ``qrels.tsv``,
``links.tsv``). English stems without stop words, or with ``--plain`` the words as they are. Vectors
are real where ``vectors.parquet`` is there, hashes elsewhere. Differences are tested by flipping the
sign of each query's at random.
"""

import argparse
import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from octavo import Corpus, RAGContext
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.inner import LOWEST_SCORE
from octavo.strategies.queries import Queries

FIRST, MANY = 10, 100
FLIPS = 10_000
KNOWN_ITEMS = 1_000
Pairs = set[tuple[str, str]]
Grades = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Collection:
    """Documents, judged queries, and their edges in some readings, of which the last is the base."""

    name: str
    documents: pa.Table
    names: list[str]
    texts: list[str]
    grades: Grades
    edges: dict[str, Pairs]
    left_out: list[set[str]]  # of each query: documents that are no answers
    fenced: list[str] | None = None  # of each query: the document that no walk may visit
    vectors: np.ndarray | None = None  # of the queries
    stem: bool = True

    @property
    def seeds(self) -> str:
        """What ``corpus.search`` does unless told otherwise."""
        return "keyword" if self.vectors is None else "hybrid"

    def queries(self) -> Queries:
        return Queries.of(self.texts, self.vectors)


@dataclass(frozen=True)
class Setting:
    """A walk."""

    edges: str
    seeds: str
    depth: int = 2
    decay: float = 0.85


@dataclass(frozen=True)
class Quality:
    """Of each query."""

    ndcg: np.ndarray
    recall: np.ndarray


def reversed_pairs(pairs: Pairs) -> Pairs:
    return {(tail, head) for head, tail in pairs}


def directions(cites: Pairs) -> dict[str, Pairs]:
    back = reversed_pairs(cites)
    return {"both ways": cites | back, "cited to citing": back, "citing to cited": cites}


def links(folder: Path) -> list[list[str]]:
    lines = (folder / "links.tsv").read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines]


def cacm(folder: Path, read: Collection) -> Collection:
    """Links are listed with both of their ends; dates tell which cites which.

    ``links.tsv`` has the document, then a line of its ``.X`` field: one end, 4 for bibliographic
    coupling, 5 for a citation or 6 for co-citation, the other end. A document's links to itself
    count its references.
    """
    dates = dict(zip(*(read.documents[name].to_pylist() for name in ("id", "date")), strict=True))
    kinds: dict[str, Pairs] = defaultdict(set)
    for _, one, kind, other in links(folder):
        if one != other:
            kinds[kind].add((one, other))
    cites = {(one, other) for one, other in kinds["5"] if dates[one] > dates[other]}
    edges = {
        "coupled": kinds["4"],
        "co-cited": kinds["6"],
        "all three": set().union(*kinds.values()),
        "cited to citing": reversed_pairs(cites),
        "citing to cited": cites,
        "both ways": kinds["5"],
    }
    return replace(read, edges=edges)


def cisi(folder: Path, read: Collection) -> Collection:
    """Two documents and how often they are cited together."""
    counts = {(one, other): int(times) for one, other, times, _ in links(folder) if one != other}
    return replace(
        read,
        edges={
            name: {pair for pair, times in counts.items() if times >= least}
            for name, least in (("5 times", 5), ("3 times", 3), ("twice", 2), ("once", 1))
        },
    )


def dc_code(folder: Path, read: Collection) -> Collection:
    return replace(read, edges=directions({(line[0], line[1]) for line in links(folder)}))


def peps(folder: Path, read: Collection) -> Collection:
    """A query is a sentence of one document that cites another, the answer.

    That citation is left out of the graph, and so, for this query, is the document: what else it
    cites is no answer.
    """
    sources = pq.read_table(folder / "queries.parquet")["source_id"].to_pylist()
    asked = {
        (source, answer)
        for name, source in zip(read.names, sources, strict=True)
        for answer in read.grades[name]
    }
    cites = {(line[0], line[1]) for line in links(folder)} - asked - reversed_pairs(asked)
    return replace(
        read, edges=directions(cites), left_out=[{each} for each in sources], fenced=sources
    )


def kg_wn18rr(folder: Path) -> Collection:
    """Words and their definitions: find what a word is related to, from its own text.

    A query is the text of the head of a test triple, the answers the tails of all its test triples.
    Edges are those of training. A triple whose ends training links in either direction is left out:
    following one edge back would answer it. So are, of the results, the head and what training links
    to it, which are known (the "filtered" ranking of link prediction).
    """
    documents = pq.read_table(folder / "corpus.parquet")
    triples = pq.read_table(folder / "triples.parquet").to_pylist()
    train = {(each["head"], each["tail"]) for each in triples if each["split"] == "train"}
    linked = train | reversed_pairs(train)
    known: dict[str, set[str]] = defaultdict(set)
    for head, tail in linked:
        known[head].add(tail)
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for each in triples:
        pair = each["head"], each["tail"]
        if each["split"] == "test" and pair[0] != pair[1] and pair not in linked:
            grades[pair[0]][pair[1]] = 1
    heads = random.Random(0).sample(sorted(grades), KNOWN_ITEMS)
    columns = (documents[name].to_pylist() for name in ("id", "title", "text"))
    texts = {name: f"{title} {text or ''}" for name, title, text in zip(*columns, strict=True)}
    named = {"both ways": linked, "tail to head": reversed_pairs(train), "head to tail": train}
    return Collection(
        folder.name,
        documents,
        heads,
        [texts[head] for head in heads],
        grades,
        named,
        [{head} | known[head] for head in heads],
    )


def read(folder: Path) -> Collection:
    documents = pq.read_table(folder / "corpus.parquet")
    known = set(documents["id"].to_pylist())
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        query, document, grade = line.split("\t")
        if int(grade) > 0 and document in known:
            grades[query][document] = int(grade)
    queries = pq.read_table(folder / "queries.parquet")
    queries = queries.filter(pa.array([name in grades for name in queries["id"].to_pylist()]))
    names = queries["id"].to_pylist()
    nothing: list[set[str]] = [set() for _ in names]
    texts = queries["text"].to_pylist()
    found = Collection(folder.name, documents, names, texts, grades, {}, nothing)
    return with_vectors(found, folder) if (folder / "vectors.parquet").exists() else found


def with_vectors(found: Collection, folder: Path) -> Collection:
    def vectors(file: str, names: Iterable[str]) -> np.ndarray:
        table = pq.read_table(folder / file)
        place = {name: at for at, name in enumerate(table["id"].to_pylist())}
        values = np.array(table["vector"].to_pylist(), np.float32)
        return values[[place[name] for name in names]]

    of_documents = vectors("vectors.parquet", found.documents["id"].to_pylist())
    column = pa.array(list(of_documents), pa.list_(pa.float32()))
    return replace(
        found,
        documents=found.documents.append_column("vector", column),
        vectors=vectors("query_vectors.parquet", found.names),
    )


LINKED: Mapping[str, Callable[[Path, Collection], Collection]] = {
    "cacm": cacm,
    "cisi": cisi,
    "dc_code": dc_code,
    "peps": peps,
}


class Indexes:
    """An index of the collection for each reading of its edges."""

    def __init__(self, collection: Collection, directory: Path) -> None:
        self.collection = collection
        self.directory = directory
        self.names = collection.documents["id"].to_pylist()
        self.built: dict[str, Corpus] = {}

    def of(self, edges: str) -> Corpus:
        if edges not in self.built:
            pairs = sorted(self.collection.edges[edges])
            table = pa.table(
                {
                    "head": [head for head, _ in pairs],
                    "relation": ["links to"] * len(pairs),
                    "tail": [tail for _, tail in pairs],
                }
            )
            self.built[edges] = Corpus.build(
                self.collection.documents,
                self.directory / str(len(self.built)),
                edges=table,
                source="id",
                embedding="hash" if self.collection.vectors is None else "column:vector",
                language="en",
                stem=self.collection.stem,
                stop_words=self.collection.stem,
            )
        return self.built[edges]

    def strategy(self, name: str, setting: Setting, without: str | None = None) -> ColumnarStrategy:
        corpus = self.of(setting.edges)
        allowed = () if without is None else [each for each in self.names if each != without]
        graph = corpus.strategy(
            "graph",
            seeds=setting.seeds,
            max_depth=setting.depth,
            decay=setting.decay,
            allowed_sources=allowed,
        )
        return graph if name == "graph" else corpus.strategy("hybrid", graph=graph)

    def quality(self, name: str, setting: Setting) -> Quality:
        asked = self.collection
        if asked.fenced is None:
            return quality(best(self.strategy(name, setting), asked.queries()), asked)
        ranked = [
            best(self.strategy(name, setting, without), asked.queries()[place : place + 1])[0]
            for place, without in enumerate(asked.fenced)
        ]
        return quality(ranked, asked)


def best(strategy: ColumnarStrategy, queries: Queries) -> list[list[str]]:
    """Return the ids found for each query, one more than counts."""
    table = strategy.retrieve_batch(queries, RAGContext(MANY + 1, LOWEST_SCORE))
    ranked: list[list[str]] = [[] for _ in range(len(queries))]
    for query, document in zip(table["query_id"].to_pylist(), table["id"].to_pylist(), strict=True):
        ranked[int(query)].append(document)
    return ranked


def quality(ranked: Sequence[Sequence[str]], asked: Collection) -> Quality:
    pairs = [
        ([document for document in found if document not in left_out], asked.grades[name])
        for found, left_out, name in zip(ranked, asked.left_out, asked.names, strict=True)
    ]
    return Quality(
        np.array([ndcg(found, grades) for found, grades in pairs]),
        np.array([len(set(found[:MANY]) & set(grades)) / len(grades) for found, grades in pairs]),
    )


def ndcg(ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    """nDCG with the grade as gain and log2(rank + 1) as discount, as trec_eval's ndcg_cut."""
    gained = sum(grades.get(each, 0) / math.log2(at + 2) for at, each in enumerate(ranked[:FIRST]))
    best = sorted(grades.values(), reverse=True)[:FIRST]
    return gained / sum(grade / math.log2(at + 2) for at, grade in enumerate(best))


def paired_p(first: np.ndarray, second: np.ndarray) -> float:
    """Two-sided p of the mean difference when the sign of each pair is flipped at random."""
    differences = second - first
    differences = differences[differences != 0]
    signs = np.random.default_rng(0).integers(0, 2, (FLIPS, len(differences)), np.int8) * 2 - 1
    extreme = np.abs(signs @ differences) >= abs(differences.sum()) - 1e-9
    return float((np.count_nonzero(extreme) + 1) / (FLIPS + 1))


def changed(before: np.ndarray, after: np.ndarray) -> str:
    return f"{after.mean():.3f} | {after.mean() - before.mean():+.3f}"


def settings(asked: Collection) -> list[Setting]:
    """The base, and what differs from it in one thing."""
    base = Setting(list(asked.edges)[-1], asked.seeds)
    varied = [
        *(replace(base, edges=edges) for edges in asked.edges),
        *(replace(base, seeds=seeds) for seeds in ("keyword", "vector", "hybrid")),
        *(
            replace(base, depth=depth, decay=decay)
            for depth, decay in ((0, 0.85), (1, 0.5), (1, 0.85), (2, 0.5), (2, 1.0))
        ),
    ]
    return list(dict.fromkeys([base, *varied]))


def show(asked: Collection, directory: Path) -> None:
    indexes = Indexes(asked, directory)
    base = settings(asked)[0]
    streams = ("keyword", "vector", "hybrid")
    corpus = indexes.of(base.edges)
    alone = {name: quality(best(corpus.strategy(name), asked.queries()), asked) for name in streams}
    kind = "hash" if asked.vectors is None else "real"
    counts = ", ".join(f"{len(pairs):,} {name}" for name, pairs in asked.edges.items())
    print(f"\n## {asked.name}: {len(asked.documents):,} documents, {len(asked.texts):,} queries")
    print(f"\n{kind} vectors; edges: {counts}\n")
    print("| | nDCG@10 | R@100 |\n|---|--:|--:|")
    for name, each in alone.items():
        print(f"| {name} | {each.ndcg.mean():.3f} | {each.recall.mean():.3f} |")
    print("\nGraph beside the search that found its seeds; hybrid with the graph beside hybrid:\n")
    print(
        "| edges | seeds | depth | decay | graph nDCG@10 | change | p | R@100 | change "
        "| hybrid nDCG@10 | change | better, worse | p | R@100 | change |"
    )
    print("|---|---|--:|--:|" + "--:|" * 11)
    for each in settings(asked):
        graph, hybrid = indexes.quality("graph", each), indexes.quality("hybrid", each)
        before, seeded = alone["hybrid"], alone[each.seeds]
        better = int((hybrid.ndcg > before.ndcg + 1e-12).sum())
        worse = int((hybrid.ndcg < before.ndcg - 1e-12).sum())
        cells = [
            each.edges, each.seeds, str(each.depth), f"{each.decay:g}",
            changed(seeded.ndcg, graph.ndcg), f"{paired_p(seeded.ndcg, graph.ndcg):.3f}", changed(seeded.recall, graph.recall),
            changed(before.ndcg, hybrid.ndcg), f"{better}, {worse}",
            f"{paired_p(before.ndcg, hybrid.ndcg):.3f}", changed(before.recall, hybrid.recall),
        ]  # fmt: skip
        print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", type=Path)
    parser.add_argument("--only", nargs="+", default=[*LINKED, "kg_wn18rr"])
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    for name in options.only:
        folder = options.collections / name
        asked = LINKED[name](folder, read(folder)) if name in LINKED else kg_wn18rr(folder)
        with tempfile.TemporaryDirectory() as directory:
            show(replace(asked, stem=not options.plain), Path(directory))


if __name__ == "__main__":
    main()

"""Retrieval quality of ways to hash tokens into a vector, and of BM25 with the same analyser.

Prints nDCG at 10 for every scheme, collection and number of dimensions as Markdown tables; the
figures of ``docs/hash-embedding.md`` come from here::

    python benchmarks/hash_embedding_quality.py COLLECTIONS [--dimensions 128 512 4096] [--bm25]

``COLLECTIONS`` holds one folder a collection (``corpus.parquet``, ``queries.parquet``,
``qrels.tsv``). Schemes are built here from plain NumPy, so that they can be compared before one is
chosen; the last line, ``octavo``, is the shipped kernel and must equal its scheme.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import tantivy

from octavo.analysis import Analyzer
from octavo.embeddings.hash_embedding import HashEmbedding

COLLECTIONS = ("cranfield", "cisi", "cacm", "dc_code", "peps", "cosqa", "xquad")
MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Collection:
    """Analysed documents and queries with their judgements."""

    name: str
    documents: pa.LargeStringArray
    queries: pa.LargeStringArray
    grades: list[dict[int, int]]  # per query: grade by row
    excluded: list[int]  # per query: a row left out of the ranking, or -1


@dataclass(frozen=True)
class Scheme:
    """One way to turn token counts into slots."""

    name: str
    signed: bool
    token_weight: Callable[[np.ndarray, np.ndarray], np.ndarray]  # (counts, bytes) -> weight
    slot_weight: Callable[[np.ndarray], np.ndarray]
    hashes: int = 1


def load(folder: Path, analyzer: Analyzer) -> Collection:
    corpus = pq.read_table(folder / "corpus.parquet")
    queries = pq.read_table(folder / "queries.parquet")
    if folder.name == "xquad":
        corpus = corpus.filter(pc.equal(corpus["lang"], "en"))
        queries = queries.filter(pc.equal(queries["lang"], "en"))
    rows = {identifier: row for row, identifier in enumerate(corpus["id"].to_pylist())}
    judged: dict[str, dict[int, int]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        query, document, grade = line.split("\t")
        if document in rows and int(grade) > 0:
            judged[query][rows[document]] = int(grade)
    keep = [q in judged for q in queries["id"].to_pylist()]
    queries = queries.filter(pa.array(keep))
    names = queries["id"].to_pylist()
    sources = queries["source_id"].to_pylist() if "source_id" in queries.schema.names else names
    titles, texts = corpus["title"].to_pylist(), corpus["text"].to_pylist()
    searchable = [
        "\n".join(part for part in pair if part) for pair in zip(titles, texts, strict=True)
    ]
    return Collection(
        folder.name,
        analyzer.analyze_batch(pa.array(searchable, pa.large_string())),
        analyzer.analyze_batch(queries["text"]),
        [judged[name] for name in names],
        [rows.get(source, -1) if source not in judged else -1 for source in sources],
    )


def ndcg(ranked: np.ndarray, grades: dict[int, int], depth: int = 10) -> float:
    """nDCG with the grade as gain and log2(rank + 1) as discount, as trec_eval's ndcg_cut."""
    gained = sum(grades.get(int(row), 0) / math.log2(r + 2) for r, row in enumerate(ranked[:depth]))
    best = sorted(grades.values(), reverse=True)[:depth]
    return gained / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))


def vector_quality(collection: Collection, documents: np.ndarray, queries: np.ndarray) -> float:
    total = 0.0
    for begin in range(0, len(queries), 256):
        scores = queries[begin : begin + 256] @ documents.T
        for offset, row_scores in enumerate(scores):
            query = begin + offset
            if collection.excluded[query] >= 0:
                row_scores[collection.excluded[query]] = -np.inf
            best = np.argpartition(-row_scores, 30)[:30]
            ranked = best[np.lexsort((best, -row_scores[best]))]
            total += ndcg(ranked, collection.grades[query])
    return total / len(queries)


@dataclass(frozen=True)
class Counts:
    """Token counts of many texts: row, token and count of each pair that occurs."""

    rows: np.ndarray
    tokens: np.ndarray
    counts: np.ndarray
    length: int


def count(texts: pa.LargeStringArray, vocabulary: dict[str, int]) -> Counts:
    rows, tokens, counts = [], [], []
    for row, text in enumerate(texts.to_pylist()):
        found: dict[int, int] = defaultdict(int)
        for token in text.split():
            found[vocabulary.setdefault(token, len(vocabulary))] += 1
        rows += [row] * len(found)
        tokens += found.keys()
        counts += found.values()
    return Counts(np.array(rows), np.array(tokens), np.array(counts, float), len(texts))


def token_hash(token: str) -> int:
    """FNV-1a with the finaliser of MurmurHash3, 64 bits; independent of the kernel."""
    state = 0xCBF29CE484222325
    for byte in token.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return mix(state)


def mix(value: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value ^= value >> 33
        value = (value * factor) & MASK
    return value ^ (value >> 33)


def embed(
    scheme: Scheme, counts: Counts, hashes: list[int], lengths: np.ndarray, dimensions: int
) -> np.ndarray:
    vectors = np.zeros((counts.length, dimensions), np.float32)
    weights = scheme.token_weight(counts.counts, lengths[counts.tokens])
    for step in range(scheme.hashes):
        hashes = [mix(h + 1) for h in hashes] if step == 2 else hashes
        values = [h & 0xFFFFFFFF if step % 2 else h >> 32 for h in hashes]
        slots = np.array([((h >> 1) * dimensions) >> 31 for h in values])[counts.tokens]
        signs = np.array([1 - 2 * (h & 1) for h in values])[counts.tokens] if scheme.signed else 1
        np.add.at(vectors, (counts.rows, slots), weights * signs)
    vectors = (np.sign(vectors) * scheme.slot_weight(np.abs(vectors))).astype(np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1)


def _same(x: np.ndarray) -> np.ndarray:
    return x


def by_length(table: list[int]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    weights = np.array(table, float)
    return lambda counts, lengths: counts * weights[np.minimum(lengths, len(table) - 1)]


LENGTH_TO_6 = by_length([0, 1, 1, 2, 3, 4, 5, 6])

SCHEMES = (
    Scheme("unsigned, count", False, lambda c, _: c, _same),
    Scheme("signed, count", True, lambda c, _: c, _same),
    Scheme("signed, token sqrt", True, lambda c, _: np.sqrt(c), _same),
    Scheme("signed, token 1+log", True, lambda c, _: 1 + np.log(c), _same),
    Scheme("unsigned, slot sqrt", False, lambda c, _: c, np.sqrt),
    Scheme("signed, slot sqrt", True, lambda c, _: c, np.sqrt),
    Scheme("signed, slot 1+log", True, lambda c, _: c, lambda x: np.where(x > 0, 1 + np.log(np.maximum(x, 1)), 0)),
    Scheme("signed, slot binary", True, lambda c, _: c, np.sign),
    Scheme("signed, slot sqrt, four slots", True, lambda c, _: c, np.sqrt, 4),
    Scheme("signed, length to 6, slot count", True, LENGTH_TO_6, _same),
    Scheme("signed, length to 6, slot sqrt", True, LENGTH_TO_6, np.sqrt),
    Scheme("unsigned, length to 6, slot sqrt", False, LENGTH_TO_6, np.sqrt),
    Scheme("signed, length to 6, slot sqrt, two slots", True, LENGTH_TO_6, np.sqrt, 2),
    Scheme("signed, length to 4, slot sqrt, four slots", True, by_length([0, 1, 1, 2, 3, 4]), np.sqrt, 4),
    Scheme("signed, doubling to 12, slot sqrt, four slots", True, by_length([0, 1, 2, 4, 8, 12]), np.sqrt, 4),
    Scheme("signed, length to 6, slot sqrt, four slots", True, LENGTH_TO_6, np.sqrt, 4),
)  # fmt: skip


def bm25_quality(collection: Collection) -> float:
    """BM25 by tantivy (k1 1.2, b 0.75), terms joined by OR, repeated terms counted."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("row", fast=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(100_000_000, 1)
    for row, text in enumerate(collection.documents.to_pylist()):
        document = tantivy.Document()
        document.add_text("text", text)
        document.add_unsigned("row", row)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    total = 0.0
    for query, text in enumerate(collection.queries.to_pylist()):
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", token, "freq"))
            for token in text.split()
        ]
        hits = searcher.search(tantivy.Query.boolean_query(terms), 30).hits if terms else []
        addresses = [address for _, address in hits]
        rows = searcher.fast_field_values("row", addresses) if addresses else []
        order = sorted((-score, row) for (score, _), row in zip(hits, rows, strict=True))
        ranked = [row for _, row in order if row != collection.excluded[query]]
        total += ndcg(np.array(ranked), collection.grades[query])
    return total / len(collection.grades)


def table(title: str, names: list[str], lines: list[tuple[str, list[float]]]) -> None:
    print(f"\n### {title}\n\n| scheme | {' | '.join(names)} | mean |")
    print("|---|" + "---:|" * (len(names) + 1))
    for name, values in lines:
        cells = " | ".join(f"{value:.3f}" for value in [*values, float(np.mean(values))])
        print(f"| {name} | {cells} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", type=Path)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[128, 512, 4096])
    parser.add_argument("--only", nargs="+", default=list(COLLECTIONS))
    parser.add_argument("--bm25", action="store_true", help="print BM25 instead")
    options = parser.parse_args()
    if options.bm25:
        lines = []
        for name, analyzer in (
            ("plain", Analyzer()),
            ("stemmed", Analyzer("en", stem=True)),
            ("stemmed, no stop words", Analyzer("en", stem=True, stop_words=True)),
        ):
            loaded = [load(options.collections / folder, analyzer) for folder in options.only]
            lines.append((name, [bm25_quality(collection) for collection in loaded]))
        table("BM25", options.only, lines)
        return
    loaded = [load(options.collections / folder, Analyzer()) for folder in options.only]
    vocabulary: dict[str, int] = {}
    counted = [(count(c.documents, vocabulary), count(c.queries, vocabulary)) for c in loaded]
    hashes = [token_hash(token) for token in vocabulary]
    lengths = np.array([len(token.encode()) for token in vocabulary])
    for dimensions in options.dimensions:
        lines = []
        for scheme in SCHEMES:
            values = []
            for collection, pair in zip(loaded, counted, strict=True):
                vectors = [embed(scheme, c, hashes, lengths, dimensions) for c in pair]
                values.append(vector_quality(collection, *vectors))
            lines.append((scheme.name, values))
        shipped = HashEmbedding(dimensions)
        values = [
            vector_quality(
                c, shipped.embed_analyzed(c.documents), shipped.embed_analyzed(c.queries)
            )
            for c in loaded
        ]
        lines.append(("octavo", values))
        table(f"{dimensions} dimensions", options.only, lines)


if __name__ == "__main__":
    main()

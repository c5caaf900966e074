"""Retrieval quality on real collections: the figures that the engines must reach."""

import math
from collections import defaultdict

import numpy as np
import pyarrow.parquet as pq
import pytest

from octavo import Corpus

pytestmark = pytest.mark.data


def judgements(path):
    grades = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, document, grade = line.split("\t")
        grades[query][document] = int(grade)
    return {query: found for query, found in grades.items() if any(g > 0 for g in found.values())}


def ndcg_at_10(ranked, grades):
    """As trec_eval's ndcg_cut: gain is the grade, discount log2(rank + 1)."""

    def dcg(gains):
        return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains[:10]))

    means = []
    for query, judged in grades.items():
        ideal = dcg(sorted((g for g in judged.values() if g > 0), reverse=True))
        means.append(dcg([max(0, judged.get(doc, 0)) for doc in ranked.get(query, [])]) / ideal)
    return math.fsum(means) / len(means)


def ranked_ids(table, query_ids):
    ranked = defaultdict(list)
    for query, document in zip(table["query_id"].to_pylist(), table["id"].to_pylist(), strict=True):
        ranked[query_ids[int(query)]].append(document)
    return ranked


def as_matrix(column):
    return np.array(column.to_pylist(), np.float32)


@pytest.fixture(scope="module", params=["cranfield", "cisi", "cacm"])
def collection(request, collections, tmp_path_factory):
    directory = collections / request.param
    documents = pq.read_table(directory / "corpus.parquet")
    vectors = pq.read_table(directory / "vectors.parquet")
    assert vectors["id"].to_pylist() == documents["id"].to_pylist()
    documents = documents.append_column("embedding", vectors["vector"])
    corpus = Corpus.build(
        documents,
        tmp_path_factory.mktemp(request.param) / "index",
        text="text",
        stem=True,
        embedding="column:embedding",
    )
    queries = pq.read_table(directory / "queries.parquet")
    query_vectors = pq.read_table(directory / "query_vectors.parquet")
    by_id = dict(
        zip(query_vectors["id"].to_pylist(), as_matrix(query_vectors["vector"]), strict=True)
    )
    ids = queries["id"].to_pylist()
    return {
        "name": request.param,
        "corpus": corpus,
        "grades": judgements(directory / "qrels.tsv"),
        "ids": ids,
        "texts": queries["text"].to_pylist(),
        "vectors": np.stack([by_id[each] for each in ids]),
        "stored": as_matrix(vectors["vector"]),
        "document_ids": documents["id"].to_pylist(),
    }


def search(collection, strategy, limit=10):
    return collection["corpus"].search_batch(
        collection["texts"],
        strategy=strategy,
        max_results=limit,
        min_score=-1,
        query_vectors=None if strategy == "keyword" else collection["vectors"],
    )


def test_hybrid_beats_both_of_its_streams(collection):  # S22
    measured = {
        strategy: ndcg_at_10(
            ranked_ids(search(collection, strategy), collection["ids"]), collection["grades"]
        )
        for strategy in ("keyword", "vector", "hybrid")
    }
    least = {"cranfield": 0.40, "cisi": 0.44, "cacm": 0.55}[collection["name"]]
    assert measured["hybrid"] >= least, measured
    assert measured["hybrid"] > max(measured["keyword"], measured["vector"]), measured


def test_vector_results_are_those_of_brute_force(collection):  # S20
    stored = collection["stored"].astype(np.float64)
    queries = collection["vectors"].astype(np.float64)
    cosines = (queries / np.linalg.norm(queries, axis=1, keepdims=True)) @ (
        stored / np.linalg.norm(stored, axis=1, keepdims=True)
    ).T
    table = search(collection, "vector", limit=100)
    rows = {document: row for row, document in enumerate(collection["document_ids"])}
    found = np.array([rows[each] for each in table["id"].to_pylist()]).reshape(-1, 100)
    scores = table["score"].to_numpy().reshape(-1, 100)
    np.testing.assert_allclose(scores, np.take_along_axis(cosines, found, axis=1), atol=1e-6)
    np.testing.assert_allclose(scores, -np.sort(-cosines, axis=1)[:, :100], atol=1e-6)


@pytest.mark.parametrize(("stem", "least"), [(False, 0.33), (True, 0.35)])
def test_keyword_quality_on_cranfield(collections, tmp_path, stem, least):  # S21
    directory = collections / "cranfield"
    corpus = Corpus.build(
        directory / "corpus.parquet", tmp_path / "index", text="text", stem=stem, embedding="none"
    )
    queries = pq.read_table(directory / "queries.parquet")
    table = corpus.search_batch(queries["text"].to_pylist(), strategy="keyword")
    measured = ndcg_at_10(
        ranked_ids(table, queries["id"].to_pylist()), judgements(directory / "qrels.tsv")
    )
    assert measured >= least

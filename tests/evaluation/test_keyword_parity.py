"""Keyword retrieval beside an independent implementation of the formula, over the same tokens."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import Corpus
from octavo.evaluation import StrategyRun, compare_runs, read_queries, read_run, retrieve_runs

pytestmark = pytest.mark.data


@pytest.mark.parametrize("name", ["adi", "cranfield", "cisi", "cacm"])
def test_quality_is_within_a_hundredth_of_bm25s(collections, tmp_path, name):  # S21
    bm25s = pytest.importorskip("bm25s")
    folder = collections / name
    corpus = Corpus.build(
        folder / "corpus.parquet", tmp_path / "index", stem=True, embedding="none"
    )
    queries = read_queries(folder / "queries.parquet")
    (keyword,) = retrieve_runs(corpus, queries, [StrategyRun("keyword")])

    documents = pq.read_table(
        folder / "corpus.parquet", columns=["id", "title", "text"]
    ).to_pylist()
    texts = ["\n".join(filter(None, (each["title"], each["text"]))) for each in documents]
    retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    retriever.index([list(corpus.analyzer.tokens(text)) for text in texts], show_progress=False)
    rows = []
    for query in queries.to_pylist():
        known = [
            each for each in corpus.analyzer.tokens(query["text"]) if each in retriever.vocab_dict
        ]
        found, scores = retriever.retrieve([known], k=min(100, len(texts)), show_progress=False)
        rows += [
            {"query_id": query["id"], "id": documents[row]["id"], "score": float(score)}
            for row, score in zip(found[0], scores[0], strict=True)
            if score > 0
        ]
    other = read_run(pa.Table.from_pylist(rows), name="bm25s")
    report = compare_runs([other, keyword], folder / "qrels.tsv")
    for metric in report.metrics:
        difference = report.comparison("keyword", metric).difference.mean
        # Most of it is the length of a document, which octavo keeps as one byte, as Lucene does.
        assert abs(difference) <= 0.01, metric

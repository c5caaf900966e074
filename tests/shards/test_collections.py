"""Over real collections, shards give what a single index gives."""

import pyarrow.parquet as pq
import pytest

from octavo import Corpus, ShardedCorpus, sweep
from octavo.evaluation import (
    StrategyRun,
    compare_runs,
    read_qrels,
    read_queries,
    retrieve_runs,
)

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.mark.parametrize("name", ["cranfield", "cisi", "cacm", "reuters21578"])
def test_shards_give_the_hits_and_scores_of_a_single_index(collections, tmp_path, name):
    # S5, S6, S21
    documents = collections / name / "corpus.parquet"
    table = pq.read_table(collections / name / "queries.parquet")
    texts = table["text"].to_pylist()[:200]
    single = Corpus.build(documents, tmp_path / "single", embedding="hash")
    sharded = ShardedCorpus.build(documents, tmp_path / "sharded", 7, embedding="hash")
    for strategy in ("keyword", "vector", "hybrid"):
        expected = single.search_batch(texts, strategy=strategy, max_results=100)
        assert expected.num_rows > len(texts)
        assert sharded.search_batch(texts, strategy=strategy, max_results=100) == expected


@pytest.mark.parametrize("name", ["cranfield", "cisi"])
def test_shards_are_evaluated_and_swept_as_a_single_index(collections, tmp_path, name):
    # S5, S12, S22
    folder = collections / name
    queries = read_queries(folder / "queries.parquet")
    qrels = read_qrels(folder / "qrels.tsv")
    options = {"embedding": "hash"}
    single = Corpus.build(folder / "corpus.parquet", tmp_path / "single", **options)
    sharded = ShardedCorpus.build(folder / "corpus.parquet", tmp_path / "sharded", 7, **options)
    strategies = [StrategyRun("keyword"), StrategyRun("vector"), StrategyRun("hybrid")]
    over = {"rrf_k": [1, 20, 60], "candidate_depth": [10, 100, 300]}
    one, several = (
        (
            compare_runs(retrieve_runs(corpus, queries, strategies), qrels).per_query(),
            sweep(corpus, queries, qrels, strategy="hybrid", over=over, metric="AP@100").values,
        )
        for corpus in (single, sharded)
    )
    assert several[0] == one[0]
    assert several[1].tobytes() == one[1].tobytes()
    assert one[1].mean() > 0.05

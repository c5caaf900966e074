"""Over real collections, shards give what a single index gives."""

import pyarrow.parquet as pq
import pytest

from octavo import Corpus, ShardedCorpus

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

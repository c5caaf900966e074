"""Query vectors of another model than the index's are refused by everything that takes a column."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import Corpus, sweep
from octavo.batch import BatchJob, run_batch
from octavo.errors import InvalidArgumentError
from octavo.evaluation import StrategyRun, read_queries, retrieve_runs

KEY = "octavo.embedding"


def table(model, **columns):
    """Two rows whose vectors say of which model they are."""
    note = None if model is None else {KEY: json.dumps({"model": model})}
    field = pa.field("vector", pa.list_(pa.float32(), 2), metadata=note)
    schema = pa.schema({name: pa.string() for name in columns}).append(field)
    return pa.Table.from_pydict(columns | {"vector": [[1.0, 0.0], [0.0, 1.0]]}, schema)


def questions(model):
    return table(model, id=["q", "r"], text=["fox", "owl"])


@pytest.fixture
def index(tmp_path):
    documents = table("openai:small", id=["a", "b"], text=["fox", "owl"])
    Corpus.build(documents, tmp_path / "index", embedding="column:vector")
    return tmp_path / "index"


def batch(index, queries, column="vector"):
    out = index.parent / "hits.parquet"
    run_batch(
        BatchJob(
            index=index,
            queries=queries,
            out=out,
            strategy="keyword" if column is None else "vector",
            query_vector=column,
            max_results=1,
        )
    )
    return pq.read_table(out)["id"].to_pylist()


@pytest.mark.parametrize("model", ["openai:small", "sentence-transformers:org/small", None])
def test_the_same_model_or_none(index, model):
    assert batch(index, questions(model)) == ["a", "b"]


def test_another_model(index, tmp_path):
    pq.write_table(questions("openai:large"), tmp_path / "q.parquet")
    with pytest.raises(InvalidArgumentError) as caught:
        batch(index, tmp_path / "q.parquet")
    for told in ("q.parquet", "'vector'", "'openai:small'", str(index), "'openai:large'"):
        assert told in str(caught.value)
    assert not (tmp_path / "hits.parquet").exists()
    assert batch(index, tmp_path / "q.parquet", None) == ["a", "b"]  # vectors are not used


def test_query_files_of_two_models(tmp_path, index):
    Corpus.build(
        table(None, id=["a", "b"], text=["fox", "owl"]),
        tmp_path / "bare",
        embedding="column:vector",
    )
    both = [table("openai:small", id=["q", "r"]), table("openai:large", id=["s", "t"])]
    with pytest.raises(InvalidArgumentError, match="table 2.*'openai:small' as in table 1"):
        batch(tmp_path / "bare", both)
    assert batch(tmp_path / "bare", both[1]) == ["a", "b"]  # nothing says it is another


def test_an_evaluation(index):
    corpus, strategies = Corpus.open(index), [StrategyRun("vector")]
    asked = read_queries(questions("openai:small"), vector="vector")
    assert asked.schema.field("vector").metadata is not None
    retrieve_runs(corpus, asked, strategies, max_results=1)
    asked = read_queries(questions("openai:large"), vector="vector")
    with pytest.raises(
        InvalidArgumentError, match=r"'openai:small' as in the index .*'openai:large'"
    ):
        retrieve_runs(corpus, asked, strategies, max_results=1)


def test_a_sweep(index):
    judged = pa.table({"query_id": ["q", "r"], "doc_id": ["a", "b"], "relevance": [1, 1]})
    over = {"candidate_depth": [10, 20]}
    corpus = Corpus.open(index)

    def swept(model):
        return sweep(corpus, questions(model), judged, over=over, strategy="hybrid", folds=2)

    assert swept("openai:small").best.value == 1.0
    with pytest.raises(
        InvalidArgumentError, match=r"'openai:small' as in the index .*'openai:large'"
    ):
        swept("openai:large")

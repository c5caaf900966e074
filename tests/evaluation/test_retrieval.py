import pyarrow as pa
import pytest

from octavo.corpus.corpus import Corpus
from octavo.errors import InvalidArgumentError
from octavo.evaluation import StrategyRun, applicable_strategies, read_queries, retrieve_runs

QUERIES = pa.table({"id": ["1", "2"], "text": ["red fox", "whale"]})


def test_runs_are_what_the_corpus_finds(corpus):
    told = []
    asked = [
        StrategyRun("keyword"),
        StrategyRun("hybrid", {"candidate_depth": 3}, label="shallow"),
        StrategyRun("Vector"),
    ]
    runs = retrieve_runs(
        corpus,
        QUERIES,
        asked,
        max_results=4,
        listener=lambda name, event: told.append((name, event.queries)),
    )
    assert [run.name for run in runs] == ["keyword", "shallow", "vector"]
    assert ("shallow", 2) in told
    options = ({}, {"candidate_depth": 3}, {})
    for run, strategy, given in zip(runs, ("keyword", "hybrid", "vector"), options, strict=True):
        for query, text in zip(("1", "2"), QUERIES["text"].to_pylist(), strict=True):
            hits = corpus.search(text, strategy=strategy, max_results=4, **given)
            rows = [row for row in run.table().to_pylist() if row["query_id"] == query]
            assert [row["id"] for row in rows] == [hit.metadata["entryId"] for hit in hits]
            assert [row["score"] for row in rows] == [hit.score for hit in hits]


def test_vectors_of_queries_are_used(tmp_path):
    vectors = pa.array([[1.0, 0.0], [0.0, 1.0]], pa.list_(pa.float32()))
    documents = pa.table({"id": ["a", "b"], "text": ["red", "blue"], "v": vectors})
    corpus = Corpus.build(documents, tmp_path / "index", embedding="column:v")
    queries = read_queries(
        pa.table({"id": ["1"], "text": ["red"], "v": vectors.slice(1, 1)}), vector="v"
    )
    keyword, vector = retrieve_runs(
        corpus, queries, [StrategyRun("keyword"), StrategyRun("vector")]
    )
    assert (keyword.ids.to_pylist(), vector.ids[0].as_py()) == (["a"], "b")
    assert applicable_strategies(corpus, query_vectors=False) == ("keyword",)
    assert applicable_strategies(corpus, query_vectors=True) == ("keyword", "vector", "hybrid")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (StrategyRun("keyword", {"half_life": "30d"}), "no option half_life"),
        (StrategyRun("hybrid", {"candidate_depth": 3}), "found 'hybrid' again"),
        (StrategyRun("keyword", label="HYBRID"), "expected a label of its own .* found 'HYBRID'"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_asked(corpus, tmp_path, second, message):
    with pytest.raises(InvalidArgumentError, match=message):
        retrieve_runs(corpus, QUERIES, [StrategyRun("hybrid"), second], keep=tmp_path)
    assert not list(tmp_path.iterdir())


def test_all_runs_are_of_one_state(tmp_path):
    table = pa.table({"id": ["a"], "text": ["red fox"]})
    corpus = Corpus.build(table, tmp_path / "index", embedding="none", threads=1)

    def change(_name, _event):
        if len(corpus) == 1:
            with corpus.writer() as writer:
                writer.add(pa.table({"id": ["b"], "text": ["red fox"]}))

    asked = [StrategyRun("keyword"), StrategyRun("keyword", label="again")]
    runs = retrieve_runs(corpus, QUERIES, asked, listener=change)
    assert [run.ids.to_pylist() for run in runs] == [["a"], ["a"]]
    assert len(corpus) == 2

"""A sweep finds at each point what a search with these settings finds, to the last bit."""

from datetime import timedelta

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, InvalidArgumentError, RAGContext, SynonymExpander
from octavo.engines.keyword.index import KeywordIndex
from octavo.engines.vector.flat import FlatVectorIndex
from octavo.evaluation import metrics as evaluation_metrics
from octavo.strategies.queries import Queries
from octavo.sweeps import sweep
from octavo.sweeps.bench import SweepBench, deepest_point
from octavo.sweeps.grid import grid_points
from tests.conformance.world import NOW, documents, options, text_of
from tests.sweeps.judged import Judgements

TEXTS = [text_of(number) for number in range(12)]
QUERIES = pa.table({"id": [f"q{number}" for number in range(12)], "text": TEXTS})
EXPANDER = SynonymExpander({"fox": ["heron", "owl"], "whale": ["otter", "fox", "common"]})
AT = {"now": NOW.isoformat()}
WEIGHTS = [{"keyword": 1.0, "vector": 1.0}, {"keyword": 0.2, "vector": 3.0}, "keyword=1,vector=0"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Sixty documents with dates, parents and a graph."""
    table = documents(60, ())
    ids = table["id"].to_pylist()
    edges = pa.table({"head": ids, "tail": ids[30:] + ids[:30]})
    out = tmp_path_factory.mktemp("sweep") / "index"
    return Corpus.build(table, out, edges=edges, **options(()))


def judgements():
    return Judgements(
        {f"q{n}": {f"d{(n * 7 + k) % 60:03}": k % 3 for k in range(9)} | {"gone": 1} for n in range(12)}
    )  # fmt: skip


SWEEPS = [
    ("hybrid", {"rrf_k": [0, 7, 60], "weights": WEIGHTS, "candidate_depth": [1, 3, 30]}, {}),
    ("hybrid", {"decay": [0.0, 0.5], "max_depth": [0, 2], "candidate_depth": [3, 9]}, {"graph": True}),
    ("temporal", {"half_life": ["1d", "30d"], "floor": [0.0, 0.7], "candidate_depth": [3, 30]}, AT),
    ("temporal", {"child.rrf_k": [1, 60], "half_life": ["9d"]}, {"child": "hybrid", **AT}),
    ("hierarchical", {"decay": [0.0, 0.5, 1.0], "max_depth": [0, 1, 3], "candidate_depth": [4, 20]}, {}),
    ("graph", {"decay": [0.3, 0.9], "max_depth": [0, 1, 2], "seeds": ["keyword", "vector", "hybrid"]}, {}),
    ("multi-query", {"max_expansions": [1, 2, 3], "child": ["keyword", "hybrid"]}, {"expander": EXPANDER, "model": "m"}),
    ("reasoning", {"max_depth": [0, 2], "max_nodes_visited": [3, 15]}, {"navigator": "lexical", "model": "m"}),
]  # fmt: skip


@pytest.mark.parametrize(("strategy", "over", "fixed"), SWEEPS, ids=[f"{n}-{each[0]}" for n, each in enumerate(SWEEPS)])  # fmt: skip
@pytest.mark.parametrize("filters", [{}, {"tier": "SEMANTIC"}])
def test_points_are_searches(
    corpus, strategy, over, fixed, filters
):  # S5 S12 S22 S24 S25 S26 S27 S28
    context = RAGContext(7, 0.0, filters)
    bench = SweepBench(corpus, strategy, Queries.of(TEXTS), context, fixed)
    ids = pa.array([str(number) for number in range(len(TEXTS))])
    points = grid_points(over)
    for point in [deepest_point(points), *points]:
        plain = {name: value for name, value in {**fixed, **point}.items() if "." not in name}
        inner = {name[6:]: value for name, value in point.items() if name.startswith("child.")}
        if inner:
            plain["child"] = corpus.strategy(fixed["child"], **inner)
        expected = corpus.search_batch(TEXTS, strategy=strategy, max_results=7, filters=filters, **plain)  # fmt: skip
        (ranking,) = bench.rankings(point)
        assert ranking.table(ids).equals(expected)
        assert expected.num_rows > 0


def test_values_are_those_of_another_evaluator(corpus):
    ir_measures = pytest.importorskip("ir_measures")
    over = {"rrf_k": [1, 60], "candidate_depth": [2, 20]}
    found = sweep(corpus, QUERIES, judgements(), over=over, strategy="hybrid", metric="nDCG@5", threads=2)  # fmt: skip
    assert [point.options for point in found.points] == grid_points(over)
    measure = evaluation_metrics.parse_metric("nDCG@5").measure
    for point, row in zip(found.points, found.values, strict=True):
        table = corpus.search_batch(TEXTS, strategy="hybrid", max_results=5, **point.options)
        run = {}
        for hit in table.to_pylist():
            run.setdefault(f"q{hit['query_id']}", {})[hit["id"]] = 1.0 / hit["rank"]
        expected = {each.query_id: each.value for each in ir_measures.iter_calc([measure], judgements().grades_of, run)}  # fmt: skip
        assert dict(zip(found.query_ids, row.tolist(), strict=True)) == pytest.approx(expected)
        assert point.value == pytest.approx(np.mean(list(expected.values())))
    assert found.best.value == max(point.value for point in found.points)
    whole = sweep(corpus, QUERIES, judgements(), over={"rrf_k": [60]}, strategy="hybrid", metric="nDCG@5")  # fmt: skip
    assert found.baseline.tobytes() == whole.values[0].tobytes()
    assert found.default == whole.points[0].value
    assert found.gain == pytest.approx(found.held_out.value - found.default)


def test_threads_and_calls_change_nothing(corpus):
    over = {"rrf_k": list(range(20)), "candidate_depth": [2, 20]}
    one, two = (
        sweep(corpus, QUERIES, judgements(), over=over, strategy="hybrid", threads=threads)
        for threads in (1, 2)
    )
    assert one.values.tobytes() == two.values.tobytes()
    assert one.held_out.values.tobytes() == two.held_out.values.tobytes()


def test_engines_are_asked_once(corpus, monkeypatch):  # S12
    asked = []
    for engine in (KeywordIndex, FlatVectorIndex):

        def counted(self, queries, depth, *rest, engine=engine, search=engine.search):
            asked.append((engine.__name__, depth))
            return search(self, queries, depth, *rest)

        monkeypatch.setattr(engine, "search", counted)
    over = {"rrf_k": [1, 2, 3], "candidate_depth": [5, 40, 10], "weights": WEIGHTS}
    told = []
    sweep(
        corpus, QUERIES, judgements(), over=over, strategy="hybrid", threads=2, max_results=3,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    # Once at the greatest depth, and once at the default's, with which all is compared.
    assert sorted(asked) == [("FlatVectorIndex", 40), ("FlatVectorIndex", 100), ("KeywordIndex", 40), ("KeywordIndex", 100)]  # fmt: skip
    assert told == [(done, 27) for done in range(1, 28)]


def test_an_expander_is_asked_once_for_each_query(corpus):
    asked = []

    def expander(query, mode, model, limit):
        asked.append((query, limit))
        return [f"{query} owl"]

    over = {"candidate_depth": [3, 9, 27], "max_expansions": [2]}
    sweep(corpus, QUERIES, judgements(), over=over, strategy="multi-query", threads=1,
          expander=expander, model="m", child="keyword")  # fmt: skip
    wanted = {(text, 2) for text in TEXTS} | {(text, 3) for text in TEXTS}  # the default is 3
    assert sorted(asked) == sorted(wanted)


def test_the_moment_is_read_once(corpus):
    fixed = {"child": "keyword"}
    bench = SweepBench(corpus, "temporal", Queries.of(TEXTS), RAGContext(5), fixed)
    first, again = (bench.rankings({"half_life": "1d"})[0].hits.scores for _ in range(2))
    assert first.tobytes() == again.tobytes()


def test_the_moment_of_a_child_is_read_once(corpus, monkeypatch):
    moments = [NOW, NOW + timedelta(days=900)]
    for module in ("octavo.sweeps.bench", "octavo.corpus.options"):
        monkeypatch.setattr(f"{module}.system_clock", lambda: moments.pop(0))
    bench = SweepBench(
        corpus, "hierarchical", Queries.of(TEXTS), RAGContext(7), {"child": "temporal"}
    )
    one, two = (bench.rankings({"child.half_life": "1d"})[0].hits.scores for _ in range(2))
    assert one.tobytes() == two.tobytes()


def test_query_vectors_stand_in_for_texts(corpus):
    vectors = corpus.keyword_index.embed(TEXTS[::-1])
    queries = QUERIES.append_column("vector", pa.array(vectors.tolist()))
    found = sweep(corpus, queries, judgements(), over={"rrf_k": [60]}, strategy="hybrid", metric="R@3")  # fmt: skip
    other = sweep(corpus, QUERIES, judgements(), over={"rrf_k": [60]}, strategy="hybrid", metric="R@3")  # fmt: skip
    assert found.values.tobytes() != other.values.tobytes()


def test_only_judged_queries_count(corpus):
    few = Judgements({query: of for query, of in judgements().grades_of.items() if query != "q3"})
    found = sweep(corpus, QUERIES, few, over={"rrf_k": [1]}, strategy="hybrid")
    assert found.query_ids == tuple(query for query in QUERIES["id"].to_pylist() if query != "q3")
    with pytest.raises(InvalidArgumentError, match="expected some that are judged, found none among 12"):  # fmt: skip
        sweep(corpus, QUERIES, Judgements({"x": {"d": 1}}), over={"rrf_k": [1]})


def test_a_table_of_the_points(corpus):
    over = {"weights": WEIGHTS[:2], "rrf_k": [1, 60]}
    table = sweep(
        corpus, QUERIES, judgements(), over=over, strategy="hybrid", metric="AP@9"
    ).table()
    assert table.column_names == ["weights", "rrf_k", "AP@9"]
    assert table["weights"].to_pylist()[::2] == ["keyword=1,vector=1", "keyword=0.2,vector=3"]
    assert table["rrf_k"].to_pylist() == [1, 60, 1, 60]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"over": {}}, "over: expected values for at least one option"),
        ({"over": {"rrf_k": []}}, "over: rrf_k: expected at least one value"),
        ({"over": {"rrf_k": "10,60"}}, "over: rrf_k: expected a sequence of values"),
        ({"over": {"rrf_k": range(100_001)}}, "over: expected at most 100,000 points"),
        ({"over": {"rrf_k": [1, -1]}}, "rrf_k: expected an integer"),
        ({"rrf_k": 60}, r"over: rrf_k: .* found both \(it stays 60\)"),
        ({"rrf_k": None}, "over: rrf_k: .* found both"),
        ({"strategy": "temporal", "over": {"child.rrf_k": [1]}, "child.rrf_k": 1}, "over: child.rrf_k: .* found both"),
        ({"over": {"half_life": ["1d"]}}, "strategy 'hybrid': no option half_life"),
        ({"over": {"child.rrf_k": [1]}, "strategy": "keyword"}, "strategy 'keyword': no option child"),
        ({"metric": "BLEU"}, "metric: expected"),
        ({"folds": 13}, "folds: expected at most the 12 queries"),
        ({"threads": 0}, "threads: expected"),
        ({"strategy": "temporal", "over": {"floor": [0.5]}, "child": object()}, "child: expected the name"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_before_anything_is_ranked(corpus, monkeypatch, changes, message):
    monkeypatch.setattr(KeywordIndex, "search", None)
    asked = {"over": {"rrf_k": [1]}, "strategy": "hybrid", **changes}
    with pytest.raises(InvalidArgumentError, match=message):
        sweep(corpus, QUERIES, judgements(), **asked)


def test_approximate_search_is_asked_at_each_depth(tmp_path):
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(3_000, 8)).astype(np.float32)
    table = pa.table({"id": [str(n) for n in range(3_000)], "text": ["word"] * 3_000,
                      "vector": pa.array(vectors.tolist(), pa.list_(pa.float32(), 8))})  # fmt: skip
    corpus = Corpus.build(table, tmp_path / "index", embedding="column:vector", vector_index="lists", recall=0.7)  # fmt: skip
    asked = vectors[:5] + 0.1
    bench = SweepBench(corpus, "hybrid", Queries.of(["word"] * 5, asked), RAGContext(5), {})
    for depth in (60, 5, 20):
        expected = corpus.search_batch(["word"] * 5, strategy="hybrid", query_vectors=asked, max_results=5, candidate_depth=depth)  # fmt: skip
        (ranking,) = bench.rankings({"candidate_depth": depth})
        assert ranking.table(pa.array([str(n) for n in range(5)])).equals(expected)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": ["q0", "q0"], "text": ["fox", "owl"]}, "expected distinct query ids, found 'q0'"),
        ({"id": ["q0", None], "text": ["fox", "owl"]}, "column 'id' of table"),
        ({"id": ["q0", "q1"], "text": ["fox", "owl"], "vector": [[1.0] * 128, None]}, "'vector'"),
    ],
)
def test_tables_of_queries_are_checked(corpus, columns, message):
    with pytest.raises(InvalidArgumentError, match=message):
        sweep(corpus, pa.table(columns), judgements(), over={"rrf_k": [60]}, folds=2)


def test_a_query_without_text_asks_nothing(corpus):
    asked = [pa.table({"id": ["q0", "q1"], "text": ["fox", text]}) for text in (None, "")]
    one, two = (
        sweep(corpus, each, judgements(), over={"rrf_k": [60]}, strategy="hybrid", folds=2)
        for each in asked
    )
    assert one.values.tobytes() == two.values.tobytes()

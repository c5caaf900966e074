"""Values beside two oracles: trec_eval itself (through pytrec_eval), and the formulas in plain Python."""

import math
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import ExecutionError, InvalidArgumentError
from octavo.evaluation import evaluate, parse_metrics, read_run, write_run
from octavo.evaluation.measuring import measure

METRICS = {
    "nDCG@10": "ndcg_cut_10", "AP": "map", "AP@3": "map_cut_3", "R@100": "recall_100",
    "R@5": "recall_5", "P@5": "P_5", "RR": "recip_rank", "Rprec": "Rprec", "Bpref": "bpref",
    "Success@1": "success_1", "nDCG": "ndcg",
}  # fmt: skip
ASKED = {
    "ndcg_cut.10", "map", "map_cut.3", "recall.5,100", "P.5", "recip_rank", "Rprec", "bpref",
    "success.1", "ndcg",
}  # fmt: skip


def ranked(scores):
    return sorted(scores, key=lambda each: (np.float32(scores[each]), each.encode()), reverse=True)


def ndcg(order, grades, cutoff):
    def dcg(gains):
        return math.fsum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains[:cutoff]))

    ideal = dcg(sorted((max(0, grade) for grade in grades.values()), reverse=True))
    return dcg([max(0, grades.get(each, 0)) for each in order]) / ideal if ideal else 0.0


def average_precision(order, grades):
    relevant = {each for each, grade in grades.items() if grade > 0}
    hits = [rank for rank, each in enumerate(order, 1) if each in relevant]
    precisions = [(at + 1) / rank for at, rank in enumerate(hits)]
    return math.fsum(precisions) / len(relevant) if relevant else 0.0


def recall(order, grades, cutoff):
    relevant = {each for each, grade in grades.items() if grade > 0}
    return len(relevant & set(order[:cutoff])) / len(relevant) if relevant else 0.0


def by_query(values, qrels, names):
    return {
        (metric, query): values[row, column]
        for row, metric in enumerate(names)
        for column, query in enumerate(qrels.query_ids.to_pylist())
    }


documents = st.sampled_from([f"d{number}" for number in range(12)] + ["é", "z", "東"])
queries = st.sampled_from(["1", "2", "3", "q"])
grades = st.dictionaries(
    queries, st.dictionaries(documents, st.integers(0, 3), min_size=1), min_size=1
)
# Few values, so that many tie; some tie as float32 only.
scores = st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 2.5, -1.0, 1e-12])
runs = st.dictionaries(queries, st.dictionaries(documents, scores, min_size=1))


@given(grades, runs)
def test_values_are_those_of_trec_eval_with_every_kind_of_tie(judged, found, grades, scores):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = judged(grades), found(scores)
    expected = pytrec_eval.RelevanceEvaluator(grades, ASKED).evaluate(scores)
    values = by_query(measure(run, qrels, parse_metrics(METRICS)), qrels, METRICS)
    for (metric, query), value in values.items():
        # A query without a result is zero, as with trec_eval -c.
        value_of_oracle = expected[query][METRICS[metric]] if query in scores else 0.0
        assert value == pytest.approx(value_of_oracle, abs=1e-12)


@given(grades, runs)
def test_values_are_those_of_the_formulas(judged, found, grades, scores):
    qrels = judged(grades)
    names = ["nDCG@10", "nDCG@3", "AP", "R@100", "R@2"]
    values = by_query(measure(found(scores), qrels, parse_metrics(names)), qrels, names)
    for query, of_query in grades.items():
        order = ranked(scores.get(query, {}))
        expected = {
            "nDCG@10": ndcg(order, of_query, 10),
            "nDCG@3": ndcg(order, of_query, 3),
            "AP": average_precision(order, of_query),
            "R@100": recall(order, of_query, 100),
            "R@2": recall(order, of_query, 2),
        }
        for metric, value in expected.items():
            assert values[metric, query] == pytest.approx(value, abs=1e-12)


@given(grades, runs)
def test_a_run_written_as_trec_measures_the_same(judged, found, tmp_path_factory, grades, scores):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = judged(grades), found(scores)
    metrics = parse_metrics(METRICS)
    path = tmp_path_factory.mktemp("run") / "a.run"
    write_run(run, path)
    first, again = measure(run, qrels, metrics), measure(read_run(path), qrels, metrics)
    assert first.tobytes() == again.tobytes()
    # And trec_eval, which reads the file with ties of its own, finds that order too.
    with path.open() as file:
        foreign = pytrec_eval.parse_run(file)
    oracle = pytrec_eval.RelevanceEvaluator(grades, {"map", "ndcg_cut"}).evaluate(foreign)
    values = by_query(first, qrels, METRICS)
    for query, expected in oracle.items():
        assert values["AP", query] == pytest.approx(expected["map"], abs=1e-12)
        assert values["nDCG@10", query] == pytest.approx(expected["ndcg_cut_10"], abs=1e-12)


def test_queries_with_negative_grades_only_are_zero(judged, found):
    # Of junk pages TREC says -2. Without a grade from 0 up trec_eval's code writes where it must not.
    qrels = judged(
        {str(query): {"a": -2, "b": -1} for query in range(50)} | {"q": {"a": -2, "b": 1}}
    )
    run = found({query: {"a": 2.0, "b": 1.0, "c": 0.5} for query in qrels.query_ids.to_pylist()})
    values = measure(run, qrels, parse_metrics(METRICS))
    assert not values[:, :-1].any()
    assert values[list(METRICS).index("AP"), -1] == 0.5


def test_evaluators_with_ties_of_their_own_get_none(judged, found):
    # RR@2 comes from another evaluator than RR; alone it would put the smaller id first.
    qrels, run = judged({"q": {"a": 1}}), found({"q": {"a": 1.0, "b": 1.0}})
    assert measure(run, qrels, parse_metrics(["RR", "RR@2"])).tolist() == [[0.5], [0.5]]


def test_more_queries_than_a_chunk(judged, found, monkeypatch):
    grades = {f"q{number}": {"a": 1, "b": 0} for number in range(50)}
    scores = {f"q{number}": {"a": 1.0, "b": number % 2 * 2.0} for number in range(0, 50, 3)}
    qrels, run, metrics = judged(grades), found(scores), parse_metrics(["AP", "RR@5"])
    whole = measure(run, qrels, metrics)
    monkeypatch.setattr("octavo.evaluation.measuring.CHUNK_QUERIES", 7)
    assert measure(run, qrels, metrics).tobytes() == whole.tobytes()
    expected = [0.0 if q not in scores else 0.5 if scores[q]["b"] else 1.0 for q in grades]
    assert whole[0].tolist() == expected


def test_missing_queries_count_as_zero_and_unjudged_ones_are_left_out(fixtures):
    from octavo.evaluation import read_qrels

    qrels, run = read_qrels(fixtures / "small.qrels"), read_run(fixtures / "small.run")
    report = evaluate(run, qrels, ["RR", "P@1"])
    (system,) = report.systems
    # Query 1: d3 first, relevant; query 2: d2 second; 3 is missing, 4 has nothing relevant.
    assert system.values.tolist() == [[1.0, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    assert [each.mean for each in system.means] == [0.375, 0.25]
    assert (system.missing, system.unjudged) == (2, 1)


def test_a_metric_without_a_value_for_a_query_is_told(judged, found, monkeypatch):
    qrels = judged({"q": {"a": 1}, "r": {"a": 1}})
    run = found({"q": {"a": 1.0}, "r": {"a": 1.0}})
    # This measure of ir-measures divides by the number of irrelevant documents found.
    with pytest.raises(ExecutionError, match=r"measuring Accuracy failed with ZeroDivisionError"):
        measure(run, qrels, parse_metrics(["Accuracy"]))
    monkeypatch.setattr(
        "pytrec_eval.RelevanceEvaluator.evaluate", lambda *_: {"1": {"map": math.nan}}
    )
    with pytest.raises(InvalidArgumentError, match=r"metric AP: .* found nan for query 'r'"):
        measure(run, qrels, parse_metrics(["AP"]))


def expected_reciprocal_rank(gains):
    """Chapelle, Metzler, Zhang and Grinspan, CIKM 2009, with grades up to 4."""
    stops = [(2**gain - 1) / 2**4 for gain in gains]
    return math.fsum(
        stop * math.prod(1 - before for before in stops[:rank]) / (rank + 1)
        for rank, stop in enumerate(stops)
    )


needs_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is written in Perl")


@needs_perl
@given(
    st.lists(st.integers(-2, 4), min_size=1, max_size=6),
    st.text(st.sampled_from("a-1 é"), min_size=1, max_size=4),
)
def test_gdeval_takes_any_id_and_grades_below_zero(judged, found, grades, query):
    """It takes no query id but a number, cuts it at a hyphen, and splits documents' ids at blanks."""
    ids = [f"document {place}" for place in range(len(grades))]
    qrels = judged({query: dict(zip(ids, grades, strict=True)), f"x-{query}": {"a": 1}})
    run = found({query: {each: -float(place) for place, each in enumerate(ids)}})
    metrics = parse_metrics(["ERR@10", "nDCG(dcg='exp-log2')@10", "RR"])
    err, ndcg, _ = measure(run, qrels, metrics)
    gains = [max(0, grade) for grade in grades]
    assert err == pytest.approx([expected_reciprocal_rank(gains), 0.0], abs=1e-5)  # five digits

    def dcg(ordered):
        return sum((2**gain - 1) / math.log2(rank + 2) for rank, gain in enumerate(ordered))

    ideal = dcg(sorted(gains, reverse=True))
    assert ndcg == pytest.approx([dcg(gains) / ideal if ideal else 0.0, 0.0], abs=1e-5)


@needs_perl
@pytest.mark.parametrize("name", ["ERR@10", "nDCG(dcg='exp-log2')@10"])
def test_grades_that_an_evaluator_does_not_take_are_named(judged, found, monkeypatch, name):
    qrels, run = judged({"p": {"a": 4}, "q": {"b": 1, "c": 5}}), found({"q": {"b": 1.0}})
    monkeypatch.setattr("octavo.evaluation.measuring._measure_chunk", None)
    with pytest.raises(
        InvalidArgumentError,
        match=r"expected grades of at most 4, found 5 for document 'c' of query 'q'",
    ):
        measure(run, qrels, parse_metrics(["AP", name]))


def test_published_example():
    """The graded example of Järvelin and Kekäläinen's measure as widely printed: grades 3 2 3 0 1 2."""
    order = ["a", "b", "c", "d", "e", "f"]
    grades = dict(zip(order, [3, 2, 3, 0, 1, 2], strict=True))
    import pyarrow as pa

    from octavo.evaluation import read_qrels

    run = read_run(pa.table({"qid": ["q"] * 6, "docid": order, "score": [6.0, 5, 4, 3, 2, 1]}))
    qrels = read_qrels(pa.table({"qid": ["q"] * 6, "docid": order, "rel": list(grades.values())}))
    assert round(float(measure(run, qrels, parse_metrics(["nDCG@6"]))[0, 0]), 3) == 0.961

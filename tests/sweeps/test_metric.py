"""Measures, against ir-measures (pytrec_eval: the code of trec_eval)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import InvalidArgumentError
from octavo.evaluation import metrics as evaluation_metrics
from octavo.sweeps.metric import Judged, parse_metric

NAMES = ("nDCG", "nDCG@3", "nDCG@10", "AP", "AP@2", "RR", "R@1", "R@5", "P@1", "P@5", "Success@1", "Success@4")  # fmt: skip
DOCUMENTS = [f"d{n}" for n in range(8)]
RANKED = st.lists(st.sampled_from(DOCUMENTS), max_size=8, unique=True)
GRADES = st.dictionaries(
    st.sampled_from([*DOCUMENTS, "lost", "gone"]), st.integers(0, 3), min_size=1, max_size=8
)


def judged(ranked, grades):
    """Return the arrays of some queries' rankings and judgements."""
    flat = [of.get(name, 0) for names, of in zip(ranked, grades, strict=True) for name in names]
    ideal = [sorted(of.values(), reverse=True) for of in grades]
    return Judged(
        np.cumsum([0, *map(len, ranked)]), np.array(flat, np.int64),
        np.cumsum([0, *map(len, ideal)]), np.array([g for of in ideal for g in of], np.int64),
    )  # fmt: skip


@given(st.lists(st.tuples(RANKED, GRADES), min_size=1, max_size=5))
def test_values_are_those_of_trec_eval(queries):
    ir_measures = pytest.importorskip("ir_measures")
    ranked, grades = zip(*queries, strict=True)
    qrels = {f"q{n}": dict(of) for n, of in enumerate(grades)}
    run = {
        f"q{n}": {name: 1.0 / rank for rank, name in enumerate(names, 1)} or {"nothing": 0.5}
        for n, names in enumerate(ranked)
    }
    for name in NAMES:
        measure = evaluation_metrics.parse_metric(name).measure
        expected = {each.query_id: each.value for each in ir_measures.iter_calc([measure], qrels, run)}  # fmt: skip
        found = parse_metric(name).values(judged(ranked, grades))
        assert found.tolist() == pytest.approx([expected[f"q{n}"] for n in range(len(queries))], abs=1e-12)  # fmt: skip


def test_a_grade_below_zero_counts_as_zero():
    for name in NAMES:
        low, zero = (judged([["d1", "d2"]], [{"d1": grade, "d2": 1}]) for grade in (-2, 0))
        assert parse_metric(name).values(low).tolist() == parse_metric(name).values(zero).tolist()


def test_a_query_without_hits_or_relevant_documents_counts_zero():
    for name in NAMES:
        values = parse_metric(name).values(judged([[], ["d1"]], [{"d1": 2}, {"d1": 0}]))
        assert values.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("name", "canonical", "depth"),
    [("ndcg@10", "nDCG@10", 10), ("MAP", "AP", 100), (" mrr@5 ", "RR@5", 5), ("recall@20", "R@20", 20)],
)  # fmt: skip
def test_names(name, canonical, depth):
    assert (str(parse_metric(name)), parse_metric(name).depth) == (canonical, depth)


@pytest.mark.parametrize("name", ["", "P", "Success", "nDCG@0", "nDCG@-1", "nDCG@x", "BLEU@1", 3, None])  # fmt: skip
def test_what_is_no_measure(name):
    with pytest.raises(InvalidArgumentError, match="metric: expected nDCG, AP, RR or R"):
        parse_metric(name)

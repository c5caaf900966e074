import sys

import pytest

from octavo.errors import ConfigurationError, InvalidArgumentError
from octavo.evaluation.metrics import DEFAULT_METRICS, parse_metric, parse_metrics


@pytest.mark.parametrize(
    ("name", "canonical", "cutoff"),
    [
        ("nDCG@10", "nDCG@10", 10),
        (" ndcg @ 10 ", "nDCG@10", 10),
        ("MAP", "AP", None),
        ("MRR@10", "RR@10", 10),
        ("R@100", "R@100", 100),
        ("P(rel=2)@5", "P(rel=2)@5", 5),
        ("AP(rel=1)", "AP", None),
        ("nDCG(dcg='log2')@5", "nDCG@5", 5),
        ("IPrec@0.1", "IPrec@0.1", None),
    ],
)
def test_names(name, canonical, cutoff):
    metric = parse_metric(name)
    assert (metric.name, str(metric), metric.cutoff) == (canonical, canonical, cutoff)


def test_each_metric_comes_once_in_the_order_given():
    names = [metric.name for metric in parse_metrics(["R@5", "MAP", "R@5", parse_metric("AP")])]
    assert names == ["R@5", "AP"]
    assert [metric.name for metric in parse_metrics("P@1")] == ["P@1"]
    assert [metric.name for metric in parse_metrics(DEFAULT_METRICS)] == list(DEFAULT_METRICS)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDGC@10", "expected one of .*nDCG.*, found 'nDGC@10'"),
        ("nDCG@", "expected one such as nDCG@10 or AP, found 'nDCG@'"),
        ("nDCG@ten", "expected one such as"),
        (7, "expected one such as nDCG@10 or AP, found 7"),
        ("P", "metric 'P'"),
        ("P", "metric 'P': expected a value of cutoff, as in P@N, found none"),
        ("INST", "metric 'INST': expected a value of max_rel, found none"),
        # trec_eval's code would count to it, or write beyond its memory.
        ("nDCG(gains={1:2147483647})", "expected gains from 0 to 1,000,000, found 2147483647"),
        ("nDCG(gains={1:-3})", "expected gains from 0 to 1,000,000, found -3"),
        ("nDCG(gains={1:0.5})", r"expected gains from 0 to 1,000,000, found 0\.5"),
        ("P@0", "expected a cutoff of at least 1, found 0"),
        ("P@2.5", "metric 'P@2.5'"),
        ("P(rel='x')@5", "metric \"P.*invalid param rel='x'"),
        ("P(5)", "expected parameters such as rel=2, found '5'"),
        ("P(**{'a': 1})@5", "metric"),
        ("P(rel=open('x'))@5", "expected parameters such as rel=2"),
        ("P(nothing=2)@5", "unsupported params found"),
        ("NumRet", "expected a mean over queries, found a sum"),
        ("alpha_nDCG@10", "an installed evaluator measures; pip install .*pyndeval"),
    ],
)
def test_bad_names_are_refused(name, message):
    with pytest.raises(InvalidArgumentError, match=message):
        parse_metrics([name])


def test_no_metric_is_refused():
    with pytest.raises(InvalidArgumentError, match="expected at least one, found none"):
        parse_metrics([])


def test_a_missing_library_is_told_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'octavo\[eval\]'"):
        parse_metric("AP")

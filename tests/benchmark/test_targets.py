from dataclasses import replace

import pytest

from octavo.benchmark.measures.peer import measure_names
from octavo.benchmark.peers import PEERS
from octavo.benchmark.registry import measures
from octavo.benchmark.scale import LONGEST_GROWTH, SCALES, Suite
from octavo.benchmark.targets import TARGETS, Figure, Target, verdicts


def test_every_target_names_a_measure_that_exists():
    known = {measure.name for measure in measures((*SCALES[Suite.FULL].growth, LONGEST_GROWTH))}
    for peer in PEERS:
        known |= set(measure_names(peer.name))
    assert [target.measure for target in TARGETS if target.measure not in known] == []


def test_a_target_bounds_one_figure():
    figures = [(target.measure, target.figure) for target in TARGETS]
    assert len(set(figures)) == len(figures)


@pytest.mark.parametrize(
    ("figure", "found", "met"),
    [
        (Figure.RATIO, 0.4, True),
        (Figure.RATIO, 0.41, False),
        (Figure.VALUE, 0.3, True),
        (Figure.RECALL, 0.4, True),
        (Figure.RECALL, 0.39, False),
    ],
)
def test_bounds_are_from_above_but_for_recall(figure, found, met):
    assert Target("what", "micro.fusion", figure, 0.4).met(found) == met


def test_verdicts_take_the_figure_that_is_bounded(report):
    found = {
        (verdict.target.measure, verdict.target.figure): verdict for verdict in verdicts([report])
    }
    assert found["micro.fusion", Figure.RATIO].found == 0.04
    assert found["micro.fusion", Figure.RATIO].met is True
    assert found["micro.fusion", Figure.VALUE].found == report.results[0].value
    assert found["micro.fusion", Figure.VALUE].met is False
    assert found["engine.vector.tuned", Figure.RECALL].met is True
    assert found["storage.open", Figure.VALUE].met is None


def test_a_target_on_real_documents_is_decided_by_them(report):
    def with_ratio(ratio, command):
        result = replace(report.results[0], name="engine.keyword.k10", ratio=ratio)
        return replace(report, results=(result, report.results[0]), command=command)

    real = with_ratio(0.3, "octavo bench --corpus a.parquet")
    made = with_ratio(0.9, "octavo bench")
    for reports in ([real, made], [made, real]):
        found = {verdict.target.measure: verdict for verdict in verdicts(reports)}
        assert found["engine.keyword.k10"].report is real
        assert found["micro.fusion"].report is made


def test_fewer_documents_than_a_target_names_decide_nothing(report):
    opened = replace(report.results[0], name="storage.open", value=0.001)
    for documents, met in ((999_999, None), (1_000_000, True)):
        of_size = replace(report, documents=documents, results=(opened,))
        found = {verdict.target.measure: verdict.met for verdict in verdicts([of_size])}
        assert found["storage.open"] is met

"""Every measure runs on a small corpus, and notices wrong results."""

import math
from dataclasses import replace

import numpy as np
import pytest

from octavo.benchmark.measure import Group
from octavo.benchmark.measures import engine, micro, strategy
from octavo.benchmark.measures.micro import plain_hash_vector
from octavo.benchmark.registry import measures
from octavo.benchmark.run import run_measure
from octavo.columns.hits import Hits
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.kernels.compile import jit_disabled
from octavo.storage.snapshot.snapshot import Snapshot

pytestmark = pytest.mark.skipif(jit_disabled(), reason="measures compiled kernels")

PROCESSES = {Group.MEMORY, Group.START}
ALL = {measure.name: measure for measure in measures((1_000, 3_000))}
INSIDE = sorted(name for name, measure in ALL.items() if measure.group not in PROCESSES)
OUTSIDE = sorted(name for name, measure in ALL.items() if measure.group in PROCESSES)


def checked(result):
    assert result.error is None
    assert result.value > 0
    assert result.best <= result.value
    assert result.ratio > 0
    assert result.noise >= 0
    assert all(math.isfinite(fact) for fact in result.facts.values())
    return result


@pytest.mark.parametrize("name", INSIDE)
def test_it_runs_and_its_results_are_right(name, bench):
    result = checked(run_measure(bench, replace(ALL[name], rounds=3)))
    if name.startswith("engine") and "single" not in name:
        assert result.facts["recall"] >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTSIDE)
def test_processes_run(name, bench):
    checked(run_measure(bench, replace(ALL[name], rounds=1)))


def named(measures_, name):
    return next(measure for measure in measures_ if measure.name == name)


def without_the_best(hits: Hits) -> Hits:
    return hits.keep(hits.ranks() > 1)


@pytest.mark.parametrize("name", ["engine.keyword.k10", "engine.keyword.filtered.half"])
def test_wrong_keyword_hits_are_noticed(name, bench, monkeypatch):
    right = Snapshot.rank_keyword

    def wrong(self, *arguments):
        hits, report = right(self, *arguments)
        return without_the_best(hits), report

    monkeypatch.setattr(Snapshot, "rank_keyword", wrong)
    result = run_measure(bench, replace(named(engine.MEASURES, name), rounds=1))
    assert "rows: differs" in result.error


@pytest.mark.parametrize("name", ["engine.vector.tuned", "engine.vector.filtered.tenth"])
def test_wrong_vector_hits_are_noticed(name, bench, monkeypatch):
    right = Snapshot.rank_vector

    def wrong(self, *arguments):
        hits, report = right(self, *arguments)
        return without_the_best(hits), report

    monkeypatch.setattr(Snapshot, "rank_vector", wrong)
    result = run_measure(bench, replace(named(engine.MEASURES, name), rounds=1))
    assert "recall: expected at least 0.93, found 0.9" in result.error


def test_hits_outside_a_filter_are_noticed(bench, monkeypatch):
    right = Snapshot.rank_vector

    def unfiltered(self, vectors, depth, _):
        return right(self, vectors, depth, self.select({}))

    monkeypatch.setattr(Snapshot, "rank_vector", unfiltered)
    measure = named(engine.MEASURES, "engine.vector.filtered.tenth")
    assert "admitted hits" in run_measure(bench, replace(measure, rounds=1)).error


def test_wrong_fusion_is_noticed(bench, monkeypatch):
    monkeypatch.setattr("octavo.benchmark.measures.strategy.STREAM_DEPTH", 50)
    measure = named(strategy.MEASURES, "strategy.hybrid")
    assert "differs" in run_measure(bench, replace(measure, rounds=1)).error


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("micro.decay", "temporal_decay"),
        ("micro.walk", "traverse"),
        ("micro.top-k", "rank_positions"),
    ],
)
def test_wrong_kernels_are_noticed(name, function, bench, monkeypatch):
    right = getattr(micro, function)

    def wrong(*arguments, **options):
        found = right(*arguments, **options)
        return getattr(type(found), "_make", tuple)(np.roll(array, 1) for array in found)

    monkeypatch.setattr(micro, function, wrong)
    result = run_measure(bench, replace(named(micro.MEASURES, name), rounds=1))
    assert "differs" in result.error


def test_the_plain_hash_vector_is_the_documented_scheme():  # S40, S45
    texts = ["merge sorted lists", "a", "", "x " * 50 + "schön 東京"]
    for text in texts:
        expected = HashEmbedding(64)(text)
        tokens = " ".join(HashEmbedding(64).analyzer.tokens(text))
        assert np.allclose(plain_hash_vector(tokens, 64), expected, atol=1e-7)

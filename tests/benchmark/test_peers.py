"""Adapters answer as brute force does; the libraries that are not installed are skipped."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from octavo.benchmark.bench import DEPTH
from octavo.benchmark.measures.peer import BuiltPeer, measure_names, recall
from octavo.benchmark.peers import PEERS
from octavo.benchmark.peers.peer import Stream, tuned
from octavo.benchmark.run import BenchRequest, _with_peer, run_measure
from octavo.kernels.compile import jit_disabled

pytestmark = pytest.mark.skipif(jit_disabled(), reason="measures compiled kernels")

REQUIREMENTS = Path(__file__).parents[2] / "benchmarks" / "peers"
MODULES = {"faiss": "faiss", "tantivy": "tantivy", "langchain": "langchain_classic"}


def test_every_peer_has_its_requirements():
    assert {path.stem for path in REQUIREMENTS.glob("*.txt")} == {peer.name for peer in PEERS}


@pytest.mark.parametrize("kind", PEERS, ids=lambda kind: kind.name)
def test_answers_are_right(kind, bench):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own
        pytest.importorskip(MODULES.get(kind.name, kind.name))
        built = BuiltPeer(kind(), bench)
        queries = bench.plain(bench.checked)
        for stream, search in built.searches.items():
            found = search(queries, DEPTH)
            assert len(found) == len(queries)
            least = 0.6 if stream is Stream.HYBRID else 0.9  # fusion differs between libraries
            assert recall(bench, stream, queries, found) >= least
        assert kind.name.split("-")[0] in built.settings
        names = [measure.name for measure in built.measures()]
        assert set(names) <= set(measure_names(kind.name))
        for measure in built.measures()[:2]:
            assert run_measure(bench, measure).error is None


def test_a_library_that_is_missing_is_a_note(bench, monkeypatch):
    kind = PEERS[2]

    def missing(self, documents):
        raise ModuleNotFoundError("No module named 'bm25s'")

    monkeypatch.setattr(kind, "build", missing)
    said = []
    note, results, points = _with_peer(bench, kind, BenchRequest(), said.append)
    assert note.note == "not installed: pip install -r benchmarks/peers/bm25s.txt"
    assert results == points == []
    assert "No module named" in said[-1]


def test_tuning_takes_the_cheapest_choice_that_reaches_the_recall():
    asked = []

    def recall_of(search):
        asked.append(search)
        return {1: 0.5, 2: 0.95, 3: 1.0}[search]

    assert tuned([1, 2, 3], lambda choice: choice, recall_of) == 2
    assert asked == [1, 2]
    assert tuned([1], lambda choice: choice, recall_of) == 1


def test_recall_of_hybrid_is_against_the_fusion_of_exact_streams(bench):
    queries = bench.plain(bench.checked)
    nothing = [np.zeros(0, np.int64)] * len(queries)
    assert recall(bench, Stream.HYBRID, queries, nothing) == 0.0

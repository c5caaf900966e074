import pytest

from octavo.benchmark import run
from octavo.benchmark.run import BenchRequest, run_bench
from octavo.benchmark.scale import LONGEST_GROWTH, SCALES, Suite
from octavo.errors import InvalidArgumentError
from octavo.kernels.compile import jit_disabled

pytestmark = pytest.mark.skipif(jit_disabled(), reason="measures compiled kernels")


def test_only_what_fits_is_measured():
    said = []
    report = run_bench(
        BenchRequest(documents=1_000, dimensions=8, only=("micro.dec*",), command="typed"),
        said.append,
    )
    assert [result.name for result in report.results] == ["micro.decay"]
    assert (report.documents, report.dimensions, report.command) == (1_000, 8, "typed")
    assert (report.pareto, report.peers, report.errors) == ((), (), ())
    assert said == ["generating 1,000 documents", "micro: measuring"]


def test_points_of_recall_and_latency():
    report = run_bench(BenchRequest(documents=1_000, dimensions=8, only=("pareto",)))
    assert report.results == ()
    recalls = {(point.engine, point.setting): point.recall for point in report.pareto}
    assert recalls["octavo", "exact"] == 1.0
    probes = [recall for (engine, _), recall in recalls.items() if engine == "FAISS IVF"]
    assert probes == sorted(probes)
    assert all(point.seconds > 0 for point in report.pareto)


def test_patterns_that_fit_nothing_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"--only: no measure fits nothing\.\*"):
        run_bench(BenchRequest(only=("nothing.*",)))


def test_patterns_that_fit_nothing_are_told_what_there_is_peers_too():
    with pytest.raises(InvalidArgumentError, match=r"there are micro\.fusion, .*peer\.faiss\.\*"):
        run_bench(BenchRequest(only=("nothing.*",), peers=True))


def test_only_peers_that_are_asked_for_are_built():
    def wanted(*only):
        request = BenchRequest(peers=True, only=only)
        return [peer.name for peer in run.PEERS if run._wants_peer(request, peer.name)]

    assert wanted() == ["tantivy", "faiss", "bm25s", "lancedb", "langchain"]
    assert wanted("peer.lancedb.*") == ["lancedb"]
    assert wanted("*.build") == wanted()
    assert wanted("engine.*") == []


def test_growth_fits_the_documents():
    scale = run._scale(BenchRequest(suite=Suite.FULL, documents=50_000))
    assert (scale.documents, scale.growth) == (50_000, (10_000,))
    assert run._scale(BenchRequest(long=True)).growth[-1] == LONGEST_GROWTH
    assert run._scale(BenchRequest()) == SCALES[Suite.QUICK]
    assert run._scale(BenchRequest(corpus="a.parquet", long=True)).growth == ()  # type: ignore[arg-type]

"""A small run that the tests of the suite share."""

from pathlib import Path

import pytest

from octavo.benchmark.bench import Bench
from octavo.benchmark.collection import Collection, generated
from octavo.benchmark.environment import Environment
from octavo.benchmark.report import ParetoPoint, PeerNote, Report, Result
from octavo.benchmark.scale import Scale
from octavo.benchmark.synthetic import SyntheticCorpus

SCALE = Scale(documents=3_000, block=16, batch=32, growth=(1_000, 3_000), seconds=0.01, checked=8)


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """3,000 generated documents and 48 queries."""
    corpus = SyntheticCorpus(SCALE.documents, dimensions=16)
    return generated(corpus, tmp_path_factory.mktemp("collection"), 48)


@pytest.fixture(scope="session")
def bench(collection: Collection, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The documents with all that measures make of them."""
    return Bench(collection, tmp_path_factory.mktemp("bench"), SCALE)


@pytest.fixture
def report() -> Report:
    """A report as a run would make it, with figures that are easy to follow."""

    def result(name: str, ratio: float, unit: str = "s/query", **others) -> Result:
        given = {
            "what": f"what {name} is",
            "baseline": "something else",
            "value": ratio * 1e-3,
            "best": ratio * 0.9e-3,
            "baseline_value": 1e-3,
            "noise": 0.02,
            "rounds": 5,
        }
        return Result(name=name, unit=unit, ratio=ratio, **{**given, **others})

    return Report(
        command="octavo bench --suite quick",
        suite="quick",
        collection="3,000 generated documents (seed 0)",
        documents=3_000,
        dimensions=16,
        seconds=12.5,
        environment=Environment("A | processor", 2, 8 << 30, "Linux", "3.11.7", {"octavo": "0.1"}),
        results=(
            result("micro.fusion", 0.04),
            result("engine.vector.tuned", 0.5, facts={"recall": 0.97}),
            result("memory.search", 2.0, "bytes", value=2e6, best=2e6, rounds=1),
            result("growth.hybrid.10000", 3.0, baseline="1,000 documents"),
            result("growth.hybrid.100000", 4.0, baseline="10,000 documents"),
        ),
        pareto=(
            ParetoPoint("octavo", "exact", 1.0, 1e-3),
            ParetoPoint("FAISS IVF", "nprobe 1", 0.5, 1e-5),
            ParetoPoint("FAISS IVF", "nprobe 2", 0.7, 2e-5),
        ),
        peers=(PeerNote("lancedb", "not installed: pip install -r benchmarks/peers/lancedb.txt"),),
    )


@pytest.fixture
def saved(report: Report, tmp_path: Path) -> Path:
    """The report as a file."""
    from octavo.benchmark.report import write_report

    path = tmp_path / "report.json"
    write_report(report, path)
    return path

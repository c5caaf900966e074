"""The kernels under pytest-benchmark: the subjects of ``octavo bench``'s own measures.

    pip install 'octavo[bench]' && pytest benchmarks/test_kernels.py

For histories and histograms of single kernels; ratios and checks are ``octavo bench``'s.
"""

import pytest

from octavo.benchmark.bench import Bench
from octavo.benchmark.collection import generated
from octavo.benchmark.measures.micro import MEASURES
from octavo.benchmark.scale import SCALES, Suite
from octavo.benchmark.synthetic import SyntheticCorpus
from octavo.benchmark.timing import Timed

pytest.importorskip("pytest_benchmark")

DOCUMENTS = 20_000


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    directory = tmp_path_factory.mktemp("bench")
    scale = SCALES[Suite.QUICK]
    return Bench(generated(SyntheticCorpus(DOCUMENTS), directory, scale.block), directory, scale)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_kernel(measure, bench, benchmark):
    pair = measure.prepare(bench)
    pair.check()
    assert isinstance(pair.subject, Timed)
    benchmark.group = measure.unit
    benchmark.extra_info["items a round"] = pair.subject.items
    benchmark(pair.subject.work)

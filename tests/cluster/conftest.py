"""A Ray cluster of two nodes on this machine, and an index with questions."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from octavo.corpus.corpus import Corpus

WORDS = ("red", "blue", "green", "fox", "whale", "tree", "river", "stone", "cloud", "fire")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Two nodes with two processors each; this process is connected."""
    pytest.importorskip("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    memory = {"object_store_memory": 100 << 20}
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, **memory})
    nodes.add_node(num_cpus=2, **memory)
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    yield nodes
    ray.shutdown()
    nodes.shutdown()


@pytest.fixture(scope="session")
def documents() -> pa.Table:
    """300 short documents with an id, a tier, a time and a vector, some of it missing."""
    rng = np.random.default_rng(7)
    count = 300
    vectors = rng.normal(size=(count, 8)).round(1).tolist()
    vectors[5] = None
    return pa.table(
        {
            "id": [f"d{number}" for number in range(count)],
            "text": [" ".join(rng.choice(WORDS, rng.integers(0, 9))) for _ in range(count)],
            "tier": [None if number % 7 == 0 else "abc"[number % 3] for number in range(count)],
            "at": pa.array(
                [None if number % 5 == 0 else number * 10**12 for number in range(count)],
                pa.timestamp("us", "UTC"),
            ),
            "vector": pa.array(vectors, pa.list_(pa.float32())),
        }
    )


@pytest.fixture(scope="session")
def queries() -> pa.Table:
    """1,500 queries of one to three words; some blank, some without a match."""
    rng = np.random.default_rng(8)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 4))) for _ in range(1_500)]
    texts[3], texts[500], texts[999] = "", "zebra", "   "
    return pa.table({"id": [f"q{number}" for number in range(len(texts))], "text": texts})


@pytest.fixture(scope="session")
def index(documents: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plain index of the documents with hash vectors."""
    out = tmp_path_factory.mktemp("cluster") / "index"
    Corpus.build(documents, out, embedding="hash", metadata=["tier"], timestamp="at", threads=1)
    return out


class KillsItsWorker:
    """An embedding function whose process is killed at its first calls, but for that of the tests."""

    def __init__(self, marks: Path, times: int = 1) -> None:
        self.marks, self.times = marks, times
        self.owner = os.getpid()

    def __call__(self, text: str) -> list[float]:
        """Return a vector, or do not return."""
        killed = self.killed()
        if os.getpid() != self.owner and killed < self.times:
            (self.marks / f"killed-{killed}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return [float(len(text)), 1.0]

    def killed(self) -> int:
        """Return how many processes were killed."""
        return len(list(self.marks.iterdir()))


@pytest.fixture
def deadly_function(tmp_path: Path) -> KillsItsWorker:
    """A function that ends the first worker that calls it."""
    marks = tmp_path / "marks"
    marks.mkdir()
    return KillsItsWorker(marks)

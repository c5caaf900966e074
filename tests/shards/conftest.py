"""The same documents as one index and as four shards."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.shards import ShardedCorpus

WORDS = ("red", "blue", "green", "fox", "whale", "tree", "river", "stone", "cloud", "fire")
OPTIONS = {"embedding": "column:vector", "metadata": ["tier"], "timestamp": "at", "threads": 1}


@pytest.fixture(scope="session")
def documents() -> pa.Table:
    """400 short documents with ties of every kind, a tier, a time and a vector, some missing."""
    rng = np.random.default_rng(7)
    count = 400
    vectors = rng.integers(-2, 3, size=(count, 4)).astype(float).tolist()
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
def questions() -> list[str]:
    """Texts of one to four words, one blank, one without a match."""
    rng = np.random.default_rng(8)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 5))) for _ in range(120)]
    return [*texts, "", "zebra", "fox fox whale"]


@pytest.fixture(scope="session")
def vectors(questions: list[str]) -> np.ndarray:
    """A vector for each question; the first is zero."""
    found = np.random.default_rng(9).integers(-2, 3, size=(len(questions), 4)).astype(np.float32)
    found[0] = 0
    return found


@pytest.fixture(scope="session")
def queries(questions: list[str], vectors: np.ndarray) -> pa.Table:
    """The questions with ids and vectors, as a file of queries has them."""
    return pa.table(
        {
            "id": [f"q{number}" for number in range(len(questions))],
            "text": questions,
            "vector": pa.array(vectors.tolist(), pa.list_(pa.float32())),
        }
    )


@pytest.fixture(scope="session")
def single(documents: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """One index."""
    return Corpus.build(documents, tmp_path_factory.mktemp("single") / "index", **OPTIONS)


@pytest.fixture(scope="session")
def sharded(documents: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> ShardedCorpus:
    """Four shards."""
    out: Path = tmp_path_factory.mktemp("sharded") / "index"
    return ShardedCorpus.build(documents, out, 4, **OPTIONS)

"""A small index and its questions, shared by the tests of batch jobs."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.corpus.corpus import Corpus

WORDS = ("red", "blue", "green", "fox", "whale", "tree", "river", "stone", "cloud", "fire")


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 120 short documents with hash vectors and one metadata column."""
    rng = np.random.default_rng(7)
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(120)]
    documents = pa.table(
        {
            "id": [f"d{number}" for number in range(120)],
            "text": texts,
            "tier": ["top" if number % 3 == 0 else "rest" for number in range(120)],
        }
    )
    out = tmp_path_factory.mktemp("batch") / "index"
    Corpus.build(documents, out, embedding="hash", metadata=["tier"], threads=1)
    return out


@pytest.fixture(scope="session")
def query_table() -> pa.Table:
    """1,000 queries of one to three words; some blank, some without a match."""
    rng = np.random.default_rng(8)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 4))) for _ in range(1_000)]
    texts[3], texts[500], texts[999] = "", "zebra", "   "
    return pa.table({"id": [f"q{number}" for number in range(1_000)], "text": texts})


@pytest.fixture(scope="session")
def queries(query_table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The queries as a parquet file."""
    path = tmp_path_factory.mktemp("queries") / "queries.parquet"
    pq.write_table(query_table, path, row_group_size=300)
    return path

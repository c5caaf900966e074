"""Documents to embed, and a function that does it in a way that tests can repeat."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 3_000


def embed(text):
    """Four numbers that follow from the text alone."""
    return np.random.default_rng(list(text.encode())).normal(size=4).astype(np.float32)


@pytest.fixture(scope="session")
def table():
    """3,000 rows; some without text, some with the text of another."""
    texts = [f"text number {number}" for number in range(ROWS)]
    texts[0] = texts[2_500] = None
    texts[1], texts[2_999] = "", " \n"
    texts[11], texts[12], texts[2_000] = texts[10], texts[10], texts[10]
    return pa.table(
        {
            "id": [f"d{number}" for number in range(ROWS)],
            "text": texts,
            "title": [None if number % 3 else f"title {number % 7}" for number in range(ROWS)],
            "year": pa.array([None if number == 4 else number for number in range(ROWS)]),
            "tags": [["a", "b"]] * ROWS,
        }
    )


@pytest.fixture(scope="session")
def corpus_file(table, tmp_path_factory):
    """The rows as a parquet file with small row groups."""
    path = tmp_path_factory.mktemp("documents") / "documents.parquet"
    pq.write_table(table, path, row_group_size=700)
    return path

"""A corpus file, an index of it, and a way to run commands."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from octavo.cli.main import app
from octavo.corpus.corpus import Corpus

DOCUMENTS = pa.table(
    {
        "id": ["a", "b", "c", "d", "e"],
        "text": [
            "The red fox jumps over the river.",
            "A blue whale lives in the sea.",
            None,
            "A fox in a red box \x1b[31m is\ta red fox.",
            "東京タワーは赤い",
        ],
        "title": ["Foxes", None, "Nothing", None, None],
        "tier": ["top", "rest", "rest", "rest", None],
    }
)


@pytest.fixture(scope="session")
def corpus_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five documents as parquet."""
    path = tmp_path_factory.mktemp("corpus") / "docs.parquet"
    pq.write_table(DOCUMENTS, path)
    return path


@pytest.fixture(scope="session")
def index(corpus_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the five documents."""
    out = tmp_path_factory.mktemp("cli") / "index"
    Corpus.build(corpus_file, out, embedding="hash", metadata=["tier"], threads=1)
    return out


@pytest.fixture
def octavo() -> Callable:
    """Run a command; gives exit status, stdout and stderr."""
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [str(one) for one in arguments])

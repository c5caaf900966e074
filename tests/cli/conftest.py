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


if not hasattr(Corpus, "writer"):  # until the writer is merged
    import contextlib

    class Rebuilding:
        """A writer that builds the index again."""

        def __init__(self, corpus):
            snapshot = corpus.keyword_index
            documents = snapshot.documents(np.arange(snapshot.rows))
            self.rows = {
                one.id: {
                    "id": one.id,
                    "text": one.content,
                    "title": one.title,
                    "tier": one.metadata.get("tier"),
                }
                for one in documents
            }

        def _read(self, inputs):
            found = {}
            for batch in open_inputs(inputs):
                names = batch.batch.schema.names
                if "id" not in names:
                    raise InvalidArgumentError(f"no 'id' in {names}")
                for row in batch.batch.to_pylist():
                    found[str(row["id"])] = row
            return found

        def add(self, inputs):
            found = self._read(inputs)
            if both := found.keys() & self.rows.keys():
                raise InvalidArgumentError(f"{both} are there")
            self.rows |= found
            return len(found)

        def upsert(self, inputs):
            found = self._read(inputs)
            self.rows |= found
            return len(found)

        def delete(self, ids):
            return sum(self.rows.pop(one, None) is not None for one in ids)

        def delete_where(self, filters):
            (item,) = filters.items()
            return self.delete([i for i, row in self.rows.items() if row.get(item[0]) == item[1]])

    @contextlib.contextmanager
    def writer(self, memory_budget=None, threads=None, progress=None):
        from octavo.storage.lock import writer_lock

        with writer_lock(self.path):
            pass
        fake = Rebuilding(self)
        yield fake
        Corpus.build(
            pa.Table.from_pylist(
                [
                    {name: row.get(name) for name in ("id", "text", "title", "tier")}
                    for row in fake.rows.values()
                ]
            ),
            self.path,
            overwrite=True,
            embedding="hash",
            metadata=["tier"],
        )
        self._snapshot = Corpus.open(self.path)._snapshot

    import numpy as np

    from octavo.columns.sources import open_inputs
    from octavo.errors import InvalidArgumentError

    Corpus.writer = writer

"""Sources for the tests of ingestion."""

from dataclasses import dataclass

import pytest

from octavo.declarative.ingestion.loading import load_documents


@dataclass
class Declared:
    """The members of a Knowledge that ingestion reads."""

    path: str = ""
    name: str = "docs"
    type: str = "FILE"
    format: str = "AUTO"
    connection: str = ""
    query: str = ""
    include: tuple = ()
    exclude: tuple = ()
    select: tuple = ()
    unit: str = "AUTO"
    chunk_context: str = "NONE"
    chunk_context_model: str | None = None


@pytest.fixture
def declared(tmp_path):
    """Makes a declaration of the directory ``files`` below the test's own."""

    def make(path=None, **members):
        return Declared(str(tmp_path / "files" if path is None else path), **members)

    return make


@pytest.fixture
def write(tmp_path):
    """Writes files below ``files``, from names and contents."""

    def write_files(contents):
        root = tmp_path / "files"
        root.mkdir(exist_ok=True)
        for name, content in contents.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write_files


@pytest.fixture
def load(write, declared):
    """Writes files and loads them."""

    def load_files(contents, loaders=(), **members):
        write(contents)
        return list(load_documents(declared(**members), loaders))

    return load_files

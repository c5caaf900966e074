"""Who brings a source's documents, and what an application's loader may do (S43, S61)."""

import importlib
import subprocess
import sys

import pytest

from octavo import (
    CancellationToken,
    CancelledError,
    ConfigurationError,
    ExecutionError,
    SourceLoadingError,
)
from octavo.declarative.ingestion.database_loader import SqlLoader
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.loading import load_documents, loader_for, source_loaders
from octavo.spi.source_document import SourceDocument
from octavo.spi.source_loader import SourceLoader


class Loader:
    """An application's loader of one type."""

    def __init__(self, documents=(), kind="DATABASE"):
        self.documents = documents
        self.kind = kind

    def supports(self, knowledge):
        return knowledge.type == self.kind

    def load(self, knowledge):
        for document in self.documents:
            if isinstance(document, Exception):
                raise document
            yield document


def test_the_bundled_loaders_are_loaders():
    assert all(isinstance(each, SourceLoader) for each in (FileLoader(), SqlLoader()))


def test_an_applications_loader(declared):  # S61
    document = SourceDocument("a", "text", {"source": "x"})
    assert list(load_documents(declared(type="DATABASE"), [Loader([document])])) == [document]


@pytest.mark.parametrize("kind", ["DATABASE", "MEMORY", "GRAPH"])
def test_a_type_without_a_loader(declared, kind):  # S61
    with pytest.raises(
        ConfigurationError, match=f"source 'docs': no loader supports the type {kind}"
    ):
        list(load_documents(declared(type=kind)))


def test_two_loaders(declared):
    with pytest.raises(
        ConfigurationError, match="expected one loader that supports it, found Loader"
    ):
        list(load_documents(declared(type="DATABASE"), [Loader(), Loader()]))


def test_an_applications_loader_stands_before_the_bundled_one(declared):
    own = Loader(kind="FILE")
    assert loader_for(declared(), [own]) is own
    assert isinstance(loader_for(declared(), [Loader()]), FileLoader)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (SourceLoadingError("gone"), SourceLoadingError),
        (ConfigurationError("wrong"), ExecutionError),
        (ValueError("odd"), ExecutionError),
        (RecursionError(), ExecutionError),
    ],
)
def test_what_a_loader_raises(declared, raised, expected):  # S43
    documents = load_documents(declared(type="DATABASE"), [Loader([raised])])
    with pytest.raises(expected):
        list(documents)


@pytest.mark.parametrize(
    "document",
    [
        "text",
        SourceDocument("", "text"),
        SourceDocument(5, "text"),
        SourceDocument("a", None),
        SourceDocument("a", "text", {"n": 1}),
        SourceDocument("a", "text", {1: "n"}),
    ],
)
def test_what_a_loader_gives(declared, document):
    with pytest.raises(ExecutionError, match="source 'docs': expected"):
        list(load_documents(declared(type="DATABASE"), [Loader([document])]))


def test_what_is_no_loader(declared):
    with pytest.raises(ConfigurationError, match="loaders: expected supports and load"):
        list(load_documents(declared(), [object()]))


def test_cancelling(load, write, declared):  # S50
    write({"a.txt": "x", "b.txt": "y"})
    token = CancellationToken()
    documents = load_documents(declared(), cancellation=token)
    assert next(documents).content == "x"
    token.cancel()
    with pytest.raises(CancelledError):
        next(documents)


def test_documents_come_one_by_one(write, declared):
    write({"a.txt": "x", "b.json": "{"})
    documents = load_documents(declared())
    assert next(documents).content == "x"
    with pytest.raises(SourceLoadingError):
        next(documents)


def install(directory, name, target, code=""):
    """Install a small distribution into a directory, as an installer would leave it."""
    (directory / f"{name}.py").write_text(code)
    info = directory / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[octavo.source_loaders]\n{name} = {target}\n")


def test_installed_loaders(tmp_path, monkeypatch, declared):
    monkeypatch.syspath_prepend(tmp_path)
    assert source_loaders() == []
    install(tmp_path, "octavo_sql_loader", "octavo.declarative.ingestion.database_loader:SqlLoader")
    importlib.invalidate_caches()
    assert [type(each) for each in source_loaders()] == [SqlLoader]
    knowledge = declared(type="DATABASE", connection="sqlite:nowhere.db", query="SELECT 1")
    assert isinstance(loader_for(knowledge), SqlLoader)
    install(tmp_path, "other_loader", "other_loader:Other", "class Other: pass")
    importlib.invalidate_caches()
    with pytest.raises(ConfigurationError, match="source loader other_loader.*expected supports"):
        source_loaders()


def test_a_loader_that_cannot_be_imported(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "broken_loader", "broken_loader:Nothing")
    importlib.invalidate_caches()
    with pytest.raises(ConfigurationError, match="source loader broken_loader.*loading failed"):
        source_loaders()


def test_importing_ingestion_loads_no_optional_library():
    heavy = ["httpx", "pypdf", "yaml", "markdown_it", "selectolax", "duckdb"]
    code = (
        "import sys, octavo.declarative.ingestion as i; i.load_documents, i.SourceManifest;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_a_missing_extra_is_named(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'octavo\[declarative\]'"):
        load({"a.yaml": "a: 1"})

"""Fixtures shared by all tests."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import settings

from octavo import Corpus

# A busy machine is no failure; the laws are what is tested.
settings.register_profile("octavo", deadline=None)
settings.load_profile("octavo")


def _collections_directory() -> Path | None:
    configured = os.environ.get("OCTAVO_COLLECTIONS")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    for candidate in (Path(configured) if configured else None, beside):
        if candidate is not None and (candidate / "README.md").is_file():
            return candidate
    return None


@pytest.fixture(scope="session")
def collections() -> Path:
    """The folder of test collections; the test is skipped where there is none."""
    directory = _collections_directory()
    if directory is None:
        pytest.skip("the test collections are not here (set OCTAVO_COLLECTIONS)")
    return directory


@pytest.fixture(scope="session")
def documents() -> pa.Table:
    """Ten small documents with every optional column; one without text, one without title."""
    words = ["red fox", "blue whale", "red whale", "green fox", "", "fox fox fox", "grey owl"]
    texts = [*words, "the quick brown fox", "whale song", "owl and whale"]
    return pa.table(
        {
            "id": [f"d{number}" for number in range(10)],
            "text": texts,
            "title": [None if number == 3 else f"title {number}" for number in range(10)],
            "source": [f"file{number % 3}.md" if number else None for number in range(10)],
            "tier": ["SEMANTIC" if number % 2 else "WORKING" for number in range(10)],
            "year": pa.array([2000 + number if number != 4 else None for number in range(10)]),
        }
    )


@pytest.fixture(scope="session")
def corpus(documents: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus of the ten documents, with hash vectors."""
    return Corpus.build(
        documents,
        tmp_path_factory.mktemp("corpus") / "index",
        source="source",
        metadata=["tier", "year"],
        embedding="hash",
        threads=2,
    )


@pytest.fixture
def memory_files() -> Iterator[Any]:
    """The file system ``memory://`` of fsspec, which a process has once: empty, and emptied again."""
    system = pytest.importorskip("fsspec").filesystem("memory")

    def empty() -> None:
        system.store.clear()
        system.pseudo_dirs[:] = [""]

    empty()
    yield system
    empty()


def pytest_configure():
    """Take interrupts, also where the tests were started in the background of a shell, which ignores them."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let one process run all tests that share a server; the others go wherever there is time.

    By their path: marks of groups reach the scheduler in the names of tests, which pytest 9.2 does
    not let pytest-xdist 3.8 change.
    """
    from xdist.scheduler import LoadGroupScheduling

    class ByServer(LoadGroupScheduling):
        def _split_scope(self, nodeid):
            return "neo4j" if nodeid.startswith("tests/graph/neo4j/") else nodeid

    return ByServer(config, log) if config.getvalue("dist") == "load" else None

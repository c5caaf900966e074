"""Large sources: a corpus that stays, in which only what changed is read again."""

import contextlib
import errno
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import octavo
from octavo import Corpus
from octavo.declarative import Knowledge
from octavo.declarative.ingestion import FileLoader
from octavo.declarative.runtime import cached as module
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider, ProcessEmbedding
from octavo.declarative.runtime.providers import GivenProviders
from octavo.errors import SourceLoadingError
from octavo.spi import SourceDocument
from tests.declarative.runtime.conftest import World, role_of, search

FILES = {f"f{number}.md": f"note {number} about the fox" for number in range(6)}


class Counting(FileLoader):
    """Counts the files that are read into documents."""

    read = 0

    def documents(self, knowledge, file):
        Counting.read += 1
        return super().documents(knowledge, file)


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A world in which six files are many; each call is a new process's runtime."""
    monkeypatch.setenv("OCTAVO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "LARGE_FILES", 5)
    Counting.read = 0

    def made():
        return World(tmp_path, GivenProviders(loaders=[Counting()]))

    return made


def corpora(world):
    return sorted((world.directory / "cache" / "corpora").glob("*"))


def contents(world, role, question="fox"):
    return sorted(each.content for each in world.ask(role, question).documents)


def test_only_what_changed_is_read_again(large):  # S68
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20))
    assert len(contents(world, role)) == 6
    assert Counting.read == 6
    world = large()
    assert len(contents(world, role)) == 6
    assert Counting.read == 6
    place = world.directory / "notes"
    (place / "f0.md").write_text("changed fox")
    (place / "f1.md").unlink()
    (place / "new.md").write_text("new fox")
    world = large()
    assert contents(world, role)[:2] == ["changed fox", "new fox"]
    assert len(contents(world, role)) == 6
    assert Counting.read == 8
    assert len(corpora(world)) == 1


def test_new_metadata_builds_the_corpus_anew(large):
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20))
    contents(world, role)
    (world.directory / "notes" / "new.md").write_text("---\ntier: gold\n---\na golden fox")
    world = large()
    from tests.declarative.runtime.conftest import context

    found = world.ask(role, "fox", context(metadata_filters={"tier": "gold"})).documents
    assert [each.content for each in found] == ["a golden fox"]


@pytest.mark.parametrize("damaged", ["manifest", "corpus"])
def test_a_damaged_cache_is_built_anew(large, damaged):
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    contents(world, role)
    (place,) = corpora(world)
    if damaged == "manifest":
        (place / "manifest").write_bytes(b"nothing of the kind" * 100)
    else:
        for path in (place / "corpus").rglob("*"):
            if path.is_file() and path.stat().st_size:
                path.write_bytes(b"x" * path.stat().st_size)
    assert len(contents(large(), role)) == 6


def test_a_cache_that_cannot_be_written_is_done_without(large, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OCTAVO_CACHE", str(tmp_path / "file" / "below"))
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    assert len(contents(world, role)) == 6


@pytest.mark.parametrize("name", ["spool_documents", "build_corpus"])
def test_a_full_disk_is_done_without(large, monkeypatch, name):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(module, name, full)
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    assert len(contents(world, role)) == 6


@pytest.mark.parametrize("when", ["first", "later"])
def test_a_manifest_that_cannot_be_written_is_done_without(large, monkeypatch, when):
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    if when == "later":
        contents(world, role)
        world = large()

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("octavo.declarative.ingestion.manifest.sqlite3.connect", full)
    assert len(contents(world, role)) == 6


def test_a_user_without_a_home_does_without(large, monkeypatch):
    def homeless(_):
        raise RuntimeError("Could not determine home directory.")

    for name in ("OCTAVO_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", classmethod(homeless))
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    assert len(contents(world, role)) == 6


@pytest.mark.parametrize("name", ["corpus", "manifest"])
@pytest.mark.parametrize("kind", ["file", "directory"])
def test_what_lies_in_the_way_is_replaced(large, name, kind):
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    contents(world, role)
    (place,) = corpora(world)
    (place / name).rename(place / "before")
    if kind == "file":
        (place / name).write_text("in the way")
    else:
        (place / name / "in the way").mkdir(parents=True)
    assert len(contents(large(), role)) == 6


def test_what_a_killed_process_left_is_removed(large):
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    contents(world, role)
    (place,) = corpora(world)
    (place / "changes-killed").mkdir()
    (place / "changes-killed" / "documents-000000.arrow").write_text("half")
    assert len(contents(large(), role)) == 6
    assert not list(place.glob("changes-*"))


def test_a_provider_of_other_dimensions_builds_the_corpus_anew(large):  # S42
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    for vector in ([1.0, 2.0], [1.0, 2.0, 3.0]):
        embedding = ProcessEmbedding(EmbeddingProvider(lambda _, given=vector: given, "same"))
        assert len(contents(World(world.directory, embedding=embedding), role)) == 6
    assert len(corpora(world)) == 1


def test_a_loader_that_changes_documents_changes_those_of_large_sources_too(large):  # S61
    class Redacting(FileLoader):
        def load(self, knowledge):
            for each in super().load(knowledge):
                yield SourceDocument(each.id, "fox", each.metadata)

    world = World(large().directory, GivenProviders(loaders=[Redacting()]))
    role = role_of(world.source(files=FILES), search=search(top_k=20))
    assert contents(world, role) == ["fox"] * 6


def test_configurations_do_not_share_a_corpus(large):  # S68
    world = large()
    source = world.source(files=FILES)
    contents(world, role_of(source, search=search()))
    other = Knowledge("notes", path=source.path, include=["f*.md"])
    contents(world, role_of(other, search=search()))
    assert len(corpora(world)) == 2


def test_an_invalidated_binding_reads_the_changes(large):  # S68
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, cache=False))
    before = world.ask(role, "fox")
    (world.directory / "notes" / "f0.md").write_text("changed fox")
    assert len(contents(world, role)) == 6
    assert "changed fox" not in contents(world, role)
    world.runtime.invalidate(role)
    assert "changed fox" in contents(world, role)
    assert len(before.documents) == 6


def test_many_changes_do_not_leave_many_pieces(large, monkeypatch):
    monkeypatch.setattr(module, "MOST_SEGMENTS", 3)
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    contents(world, role)
    for number in range(5):
        (world.directory / "notes" / f"new{number}.md").write_text(f"fox number {number}")
        assert len(contents(large(), role)) == 7 + number
    (place,) = corpora(world)
    assert len(Corpus.open(place / "corpus").keyword_index.segments) <= 3


def test_a_source_that_went_away_fails_and_spoils_nothing(large):  # S66 S68
    world = large()
    role = role_of(world.source(files=FILES), search=search(top_k=20, on_failure="FAIL"))
    contents(world, role)
    place = world.directory / "notes"
    place.rename(world.directory / "elsewhere")
    with pytest.raises(SourceLoadingError):
        contents(large(), role)
    (world.directory / "elsewhere").rename(place)
    assert len(contents(large(), role)) == 6


@pytest.mark.slow
def test_a_process_that_is_killed_half_way_spoils_nothing(large):  # S68
    world = large()
    source = world.source(files=FILES)
    path = os.pathsep.join([str(Path(octavo.__file__).parents[1]), *sys.path])
    place = world.directory / "notes"
    for number in range(6):
        (place / f"new{number}.md").write_text(f"fox number {number}")
        (place / f"f{number}.md").write_text(f"fox changed {number}")
        process = subprocess.Popen(
            [sys.executable, "-c", PROCESS, source.path], env={**os.environ, "PYTHONPATH": path}
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.3 + 0.1 * number)
        process.kill()
        process.wait()
    role = role_of(source, search=search(strategy="KEYWORD", top_k=20, on_failure="FAIL"))
    assert contents(large(), role) == sorted(each.read_text() for each in place.iterdir())
    assert len(corpora(world)) == 1


PROCESS = """
import sys
from octavo.declarative import ActionType, Knowledge, Search, action_spec, bind, role_spec
from octavo.declarative import RetrievalRuntime
from octavo.declarative.runtime import cached
cached.LARGE_FILES = 5
settings = Search(strategy="KEYWORD", min_score=0.0, top_k=20, deduplicate=False, on_failure="FAIL")
@role_spec(knowledge=Knowledge("notes", path=sys.argv[1]))
class Role:
    @action_spec(type=ActionType.LLM, knowledge=Knowledge("notes", search=settings))
    def answer(self, question: str) -> str:
        return question
declared = bind(Role)
action = declared.actions["answer"]
print(len(RetrievalRuntime().retrieve(declared, action, {"question": "fox"}).documents))
"""


@pytest.mark.slow
def test_processes_that_begin_together_share_one_corpus(large, tmp_path):  # S68
    world = large()
    source = world.source(files=FILES)
    path = os.pathsep.join(
        [str(Path(octavo.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, source.path],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    ended = [(process.communicate(timeout=120), process.returncode) for process in running]
    for (output, errors), code in ended:
        assert code == 0, errors
        assert output == "6\n"
    assert len(corpora(world)) == 1

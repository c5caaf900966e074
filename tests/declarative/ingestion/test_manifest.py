"""Reading again only what changed, and knowing what is gone."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import CorpusCorruptError, ExecutionError
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.loading import load_documents
from octavo.declarative.ingestion.manifest import SourceManifest


def settle(root, seconds=60):
    """Make files old enough for their times to prove something."""
    moment = time.time() - seconds
    for path in root.rglob("*"):
        os.utime(path, (moment, moment))


class Mirror:
    """A store that follows a source by its changes."""

    def __init__(self, path):
        self.manifest = SourceManifest(path)
        self.documents = {}

    def follow(self, knowledge, loader=None):
        changes = self.manifest.changes(knowledge, loader)
        upserts = {each.id: each for each in changes.documents()}
        self.documents.update(upserts)
        assert not set(changes.deletions) & set(upserts)
        for identifier in changes.deletions:
            del self.documents[identifier]
        changes.commit()
        return changes.read_files, changes.unchanged_files, changes.removed_files


@pytest.fixture
def mirror(tmp_path):
    return Mirror(tmp_path / "manifest")


def test_what_changed(mirror, write, declared):
    knowledge = declared()
    root = write(
        {"a.md": "# A\nx", "b.md": "b", "c.jsonl": '{"text": "1"}\n{"text": "2"}\n', "e.md": ""}
    )
    assert mirror.follow(knowledge) == (4, 0, 0)
    assert mirror.follow(knowledge) == (0, 4, 0)
    write({"b.md": "changed", "c.jsonl": '{"text": "1"}\n', "d.md": "new"})
    (root / "a.md").unlink()
    assert mirror.follow(knowledge) == (3, 1, 1)
    assert sorted(mirror.documents) == ["docs/b.md", "docs/c.jsonl#1", "docs/d.md"]
    assert mirror.follow(knowledge) == (0, 4, 0)


def test_settled_files_are_not_opened(mirror, write, declared, monkeypatch):
    root = write({"a.md": "a", "b.md": "b"})
    assert mirror.follow(declared()) == (2, 0, 0)
    # The files' own change times lie in the past, once a moment has passed.
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 5_000_000_000)
    assert mirror.follow(declared()) == (0, 2, 0)
    opened, paths = os.open, []
    monkeypatch.setattr(os, "open", lambda path, *rest: paths.append(path) or opened(path, *rest))
    assert mirror.follow(declared()) == (0, 2, 0)
    assert {Path(path).name for path in paths} == {"manifest.lock"}
    monkeypatch.undo()
    (root / "a.md").write_text("c")
    assert mirror.follow(declared()) == (1, 1, 0)


def test_a_change_within_the_grain_of_the_clock_is_seen(mirror, write, declared):
    root = write({"a.md": "one"})
    status = (root / "a.md").stat()
    mirror.follow(declared())
    (root / "a.md").write_text("two")
    os.utime(root / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert mirror.follow(declared()) == (1, 0, 0)
    assert mirror.documents["docs/a.md"].content == "two"


def test_another_time_alone_is_no_change(mirror, write, declared):
    root = write({"a.md": "one"})
    mirror.follow(declared())
    settle(root)
    assert mirror.follow(declared()) == (0, 1, 0)


@pytest.mark.parametrize(
    "members",
    [{"unit": "SECTION"}, {"select": ("a=b",)}, {"chunk_context": "HEADINGS"}, {"format": "TEXT"}],
)
def test_other_settings_read_everything_again(mirror, write, declared, members):
    write({"a.md": "# A\n\nx\n\n## B\n\ny"})
    mirror.follow(declared())
    assert mirror.follow(declared(**members))[0] == 1
    assert set(mirror.documents) == {each.id for each in load_documents(declared(**members))}


def test_other_limits_read_everything_again(mirror, write, declared):
    write({"a.txt": "one two three"})
    mirror.follow(declared())
    loader = FileLoader(IngestionLimits(chunk_characters=5))
    assert mirror.follow(declared(), loader) == (1, 0, 0)
    assert len(mirror.documents) == 3
    mirror.follow(declared())
    assert len(mirror.documents) == 1


def test_sources_are_apart(mirror, write, declared):
    write({"a.md": "one"})
    mirror.follow(declared())
    mirror.follow(declared(name="other"))
    assert sorted(mirror.documents) == ["docs/a.md", "other/a.md"]


def test_what_was_not_committed_is_read_again(mirror, write, declared):
    write({"a.md": "one"})
    changes = mirror.manifest.changes(declared())
    assert len(list(changes.documents())) == 1
    assert mirror.follow(declared()) == (1, 0, 0)


def test_half_a_reading_is_not_committed(mirror, write, declared):
    write({"a.md": "one", "b.md": "two"})
    changes = mirror.manifest.changes(declared())
    next(changes.documents())
    with pytest.raises(ExecutionError, match="expected all documents to be taken"):
        changes.commit()


def test_a_damaged_manifest(tmp_path, write, declared):
    write({"a.md": "one"})
    (tmp_path / "manifest").write_bytes(b"no database" * 100)
    with pytest.raises(CorpusCorruptError, match="build the corpus anew"):
        list(SourceManifest(tmp_path / "manifest").changes(declared()).documents())


def test_a_folder_in_its_place(tmp_path, write, declared):
    write({"a.md": "one"})
    (tmp_path / "manifest").mkdir()
    with pytest.raises(ExecutionError, match="manifest: OperationalError"):
        list(SourceManifest(tmp_path / "manifest").changes(declared()).documents())


NAMES = st.sampled_from(["a.md", "b.txt", "c/d.md", "e.jsonl"])
TEXTS = st.sampled_from(["", "# A\n\nx\n\n# B\n\ny", "5\n6", "7", "# B\n\nz"])


@settings(max_examples=30)
@given(
    st.lists(st.dictionaries(NAMES, TEXTS), min_size=2, max_size=4),
    st.sampled_from(["AUTO", "SECTION"]),
)
def test_following_gives_what_loading_gives(tmp_path_factory, states, unit):
    root = tmp_path_factory.mktemp("law")
    from tests.declarative.ingestion.conftest import Declared

    knowledge = Declared(str(root / "files"), format="AUTO", unit=unit)
    mirror = Mirror(root / "manifest")
    (root / "files" / "c").mkdir(parents=True)
    for state in states:
        for name in ("a.md", "b.txt", "c/d.md", "e.jsonl"):
            path = root / "files" / name
            path.unlink(missing_ok=True)
            text = state.get(name)
            if text is not None:
                path.write_text(
                    text.replace("#", "")
                    .replace("A", "1")
                    .replace("B", "2")
                    .replace("x", "3")
                    .replace("y", "4")
                    .replace("z", "5")
                    if name == "e.jsonl"
                    else text
                )
        mirror.follow(knowledge)
        expected = {each.id: each.content for each in load_documents(knowledge)}
        assert {key: each.content for key, each in mirror.documents.items()} == expected


@pytest.mark.parametrize(
    "later",
    [
        {"a.md": "# A\nx"},
        {"a.md": "# A\nx\n# C\ny"},
        {"a.md": "# A\nx", "b.md": "b", "c.md": "c"},
    ],
)
def test_a_process_that_dies_before_commit_leaves_nothing_behind(mirror, write, declared, later):
    knowledge = declared(unit="SECTION")
    root = write({"a.md": "# A\nx", "b.md": "b"})
    mirror.follow(knowledge)
    write({"a.md": "# A\nx\n# B\nnew", "c.md": "c"})
    (root / "b.md").unlink()
    changes = mirror.manifest.changes(knowledge)
    mirror.documents.update({each.id: each for each in changes.documents()})
    for identifier in changes.deletions:  # the corpus commits, the manifest does not
        del mirror.documents[identifier]
    (root / "c.md").unlink()
    write(later)
    for changed in range(2):
        changes = mirror.manifest.changes(knowledge)
        mirror.documents.update({each.id: each for each in changes.documents()})
        for identifier in changes.deletions:
            mirror.documents.pop(identifier, None)
        if changed:
            changes.commit()
    read = {each.id: each.content for each in load_documents(knowledge)}
    assert {key: each.content for key, each in mirror.documents.items()} == read
    assert mirror.follow(knowledge) == (0, len(later), 0)


def test_names_of_files_that_are_no_text(mirror, write, declared):
    root = write({"a.md": "a"})
    file = root / os.fsdecode(b"\xff.txt")
    file.write_text("b")
    assert mirror.follow(declared()) == (2, 0, 0)
    assert sorted(mirror.documents) == ["docs/%FF.txt", "docs/a.md"]
    assert mirror.follow(declared()) == (0, 2, 0)
    file.unlink()
    assert mirror.follow(declared()) == (0, 1, 1)
    assert sorted(mirror.documents) == ["docs/a.md"]

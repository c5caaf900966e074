"""Two that follow one source by one manifest do not overtake each other."""

import gc
import subprocess
import sys

import pytest

from octavo.declarative.ingestion import SourceManifest
from octavo.errors import CorpusLockedError, ExecutionError, SourceLoadingError

BETWEEN = """
import sys, time
from types import SimpleNamespace
from octavo.declarative.ingestion import SourceManifest
knowledge = SimpleNamespace(
    name="docs", type="FILE", format="AUTO", include=(), exclude=(), select=(), unit="AUTO",
    chunk_context="NONE", chunk_context_model=None, path=sys.argv[1],
)
changes = SourceManifest(sys.argv[2]).changes(knowledge)
print(len(list(changes.documents())), flush=True)
sys.stdin.read()
changes.commit()
"""


@pytest.fixture
def manifest(tmp_path):
    """Makes a manifest of the same file, as another process would."""
    return lambda: SourceManifest(tmp_path / "manifest")


@pytest.fixture
def knowledge(write, declared):
    write({"a.md": "a", "b.md": "b"})
    return declared()


def taken(changes):
    return [each.content for each in changes.documents()]


def is_free(manifest, knowledge):
    other = manifest().changes(knowledge)
    try:
        taken(other)
    except CorpusLockedError:
        return False
    other.close()
    return True


def test_an_older_reading_cannot_be_the_last_that_a_corpus_gets(manifest, knowledge, write):
    corpus = {}
    first, second = manifest().changes(knowledge), manifest().changes(knowledge)
    read = {each.id: each.content for each in first.documents()}
    write({"a.md": "newer"})
    with pytest.raises(CorpusLockedError, match="manifest: another process, or another manifest"):
        taken(second)
    corpus.update(read)
    first.commit()
    last = manifest().changes(knowledge)
    corpus.update({each.id: each.content for each in last.documents()})
    last.commit()
    assert corpus == {"docs/a.md": "newer", "docs/b.md": "b"}


def test_another_process_is_waited_for_by_nobody_and_a_killed_one_is_no_hindrance(
    manifest, knowledge, tmp_path
):
    for ending in ("commit", "kill"):
        process = subprocess.Popen(
            [sys.executable, "-c", BETWEEN, knowledge.path, str(tmp_path / "manifest")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            assert process.stdout.readline() == ("2\n" if ending == "commit" else "0\n")
            assert not is_free(manifest, knowledge)
            if ending == "kill":
                process.kill()
            else:
                process.stdin.close()
            process.wait(60)
        assert is_free(manifest, knowledge)


@pytest.mark.parametrize("ending", ["commit", "close", "forget", "interrupt", "part"])
def test_it_is_free_again_afterwards(manifest, knowledge, ending):
    changes = manifest().changes(knowledge)
    documents = changes.documents()
    assert is_free(manifest, knowledge), "nothing was read yet"
    next(documents)
    assert not is_free(manifest, knowledge)
    if ending == "part":
        documents.close()
    elif ending == "interrupt":
        with pytest.raises(KeyboardInterrupt):
            documents.throw(KeyboardInterrupt)
    else:
        assert len(list(documents)) == 1
        assert not is_free(manifest, knowledge)
    if ending in {"commit", "close"}:
        getattr(changes, ending)()
    elif ending == "forget":
        del changes, documents
        gc.collect()
    assert is_free(manifest, knowledge)


def test_what_was_closed_cannot_be_committed(manifest, knowledge):
    changes = manifest().changes(knowledge)
    taken(changes)
    changes.close()
    changes.close()
    with pytest.raises(ExecutionError, match="all documents"):
        changes.commit()
    assert len(taken(manifest().changes(knowledge))) == 2


def test_a_source_that_cannot_be_read_holds_nothing(manifest, knowledge, write):
    write({"c.json": "{"})
    changes = manifest().changes(knowledge)
    with pytest.raises(SourceLoadingError):
        taken(changes)
    write({"c.json": "{}"})
    assert is_free(manifest, knowledge)


def test_sources_of_one_manifest_are_followed_together(manifest, knowledge, declared, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "c.md").write_text("c")
    other = declared(str(tmp_path / "other"), name="other")
    both = manifest()
    changes = [both.changes(each) for each in (knowledge, other)]
    assert [taken(each) for each in changes] == [["a", "b"], ["c"]]
    changes[0].commit()
    assert not is_free(manifest, knowledge)
    changes[1].commit()
    assert is_free(manifest, knowledge)
    assert [taken(both.changes(each)) for each in (knowledge, other)] == [[], []]


def test_a_place_that_cannot_be_written(declared, knowledge, tmp_path):
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(ExecutionError, match="manifest"):
        taken(SourceManifest(tmp_path / "file" / "manifest").changes(knowledge))

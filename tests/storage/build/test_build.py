"""Building: what it refuses, what it leaves behind, and what a crash cannot break."""

import errno
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from octavo import (
    ConfigurationError,
    Corpus,
    CorpusCorruptError,
    CorpusFormatError,
    CorpusLockedError,
    DimensionMismatchError,
    HashEmbeddingWarning,
    InvalidArgumentError,
    NonFiniteVectorError,
    SourceLoadingError,
)
from octavo.storage.build import build as builds
from octavo.storage.commit.lock import writer_lock
from octavo.storage.snapshot import snapshot as snapshots
from tests.storage.manifest_editing import rewrite_manifest

OLD = pa.table({"id": ["old"], "text": ["the old index"]})
NEW = pa.table({"id": ["new", "newer"], "text": ["the new index", "the newer index"]})


def build(documents, out, **options):
    return Corpus.build(documents, out, **{"embedding": "hash", "threads": 2, **options})


def ids(corpus):
    table = corpus.search_batch(["index"], strategy="keyword")
    return set(table["id"].to_pylist())


def files_below(directory):
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*"))


@pytest.mark.parametrize(
    ("documents", "options", "error", "message"),
    [
        ({"id": ["a", "b", "a"], "text": ["x", "y", "z"]}, {}, InvalidArgumentError,
         "'a' in row 0 of table, row 2 of table"),
        ({"id": ["a", None], "text": ["x", "y"]}, {}, InvalidArgumentError, "row 1"),
        ({"id": ["a", " "], "text": ["x", "y"]}, {}, InvalidArgumentError, "blank"),
        ({"id": ["a"], "txt": ["x"]}, {"text": "text"}, InvalidArgumentError, "'txt'"),
        ({"id": ["a"], "text": [["x"]]}, {"text": "text"}, InvalidArgumentError, "list"),
        ({"id": ["a"], "text": ["x"], "v": [[float("nan"), 1.0]]}, {"embedding": "column:v"},
         NonFiniteVectorError, "'v'"),
        ({"id": ["a", "b"], "text": ["x", "y"], "v": [[1.0], [1.0, 2.0]]},
         {"embedding": "column:v"}, InvalidArgumentError, "row 1"),
        ({"id": ["a"], "text": ["x"], "v": pa.array([None], pa.list_(pa.float32()))},
         {"embedding": "column:v"}, InvalidArgumentError, "only nulls"),
        ({"id": ["a"], "text": ["x"]}, {"embedding": "column:v"}, InvalidArgumentError, "'v'"),
        ({"id": ["a"], "text": ["x"]}, {"embedding": "no.such.module:f"}, ConfigurationError,
         "no.such.module"),
        ({"id": ["a"], "text": ["x"]}, {"embedding": "hash:63"}, ConfigurationError, "63"),
        ({"id": ["a"], "text": ["x"], "entryId": ["e"]}, {"metadata": ["entryId"]},
         InvalidArgumentError, "reserved"),
        ({"id": ["a"], "text": ["x"]}, {"memory_budget": "1MiB"}, InvalidArgumentError, "512MiB"),
        ({"id": ["a"], "text": ["x"]}, {"threads": 0}, InvalidArgumentError, "threads"),
        ({"id": ["a"], "text": ["x"]}, {"language": "xx", "stem": True}, ConfigurationError, "xx"),
    ],
)  # fmt: skip
def test_a_refused_input_leaves_nothing(tmp_path, documents, options, error, message):
    with pytest.raises(error, match=message):
        build(pa.table(documents), tmp_path / "index", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_refused_input_leaves_the_old_index(tmp_path):
    build(OLD, tmp_path / "index")
    before = files_below(tmp_path / "index")
    bad = pa.table({"id": ["a", "a"], "text": ["index", "index"]})
    with pytest.raises(InvalidArgumentError, match="'a'"):
        build(bad, tmp_path / "index", overwrite=True)
    assert files_below(tmp_path / "index") == before
    assert ids(Corpus.open(tmp_path / "index")) == {"old"}


def test_missing_inputs_are_named(tmp_path):
    with pytest.raises(SourceLoadingError, match=r"none\.parquet"):
        build(tmp_path / "none.parquet", tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_two_files_of_different_dimensions(tmp_path):
    one = pa.table({"id": ["a"], "text": ["x"], "v": [[1.0, 0.0]]})
    two = pa.table({"id": ["b"], "text": ["x"], "v": [[1.0, 0.0, 0.0]]})
    with pytest.raises(DimensionMismatchError, match="2 dimensions, found 3"):
        build([one, two], tmp_path / "index", embedding="column:v")


def test_the_target_must_be_free_or_ours(tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("mine")
    build(OLD, tmp_path / "index")
    for overwrite in (False, True):
        with pytest.raises(CorpusFormatError, match="found a file"):
            build(NEW, file, overwrite=overwrite)
        with pytest.raises(CorpusFormatError, match="found other files"):
            build(NEW, foreign, overwrite=overwrite)
    with pytest.raises(CorpusFormatError, match="overwrite"):
        build(NEW, tmp_path / "index")
    assert file.read_text() == (foreign / "thesis.tex").read_text() == "mine"
    assert ids(Corpus.open(tmp_path / "index")) == {"old"}
    (tmp_path / "empty").mkdir()
    assert len(build(NEW, tmp_path / "empty")) == 2


def test_segments_without_a_lock_are_somebody_elses(tmp_path):
    precious = tmp_path / "user" / "segments" / "00000001" / "file.txt"
    precious.parent.mkdir(parents=True)
    precious.write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(CorpusFormatError, match="found other files"):
            build(NEW, tmp_path / "user", overwrite=overwrite)
    link = tmp_path / "linked"
    link.mkdir()
    (link / "segments").symlink_to(tmp_path / "user" / "segments")
    (link / "writer.lock").touch()
    with pytest.raises(CorpusFormatError, match="found other files"):
        build(NEW, link)
    assert precious.read_text() == "mine"


def test_only_segments_are_removed(tmp_path):
    build(OLD, tmp_path / "index")
    note = tmp_path / "index" / "segments" / "note.txt"
    note.write_text("mine")
    build(NEW, tmp_path / "index", overwrite=True)
    assert note.read_text() == "mine"


def test_who_fails_to_get_the_lock_removes_nothing(tmp_path, monkeypatch):
    """Two builders of a new directory: the one that made it comes second to the lock."""
    out = tmp_path / "index"
    real, held = builds.writer_lock, []

    def overtaken(index):
        monkeypatch.setattr(builds, "writer_lock", real)
        build(OLD, index)
        held.append(real(index))
        held[0].__enter__()
        return real(index)

    monkeypatch.setattr(builds, "writer_lock", overtaken)
    with pytest.raises(CorpusLockedError):
        build(NEW, out)
    held[0].__exit__(None, None, None)
    assert ids(Corpus.open(out)) == {"old"}


def test_opening_while_the_index_is_replaced_finds_the_old_or_the_new(tmp_path, monkeypatch):
    """Between reading the manifest and opening its files a writer commits and cleans up."""
    out = tmp_path / "index"
    build(OLD, out)
    read = snapshots.read_manifest
    turns = iter(["replace"])

    def read_then_replace(index):
        found = read(index)
        if next(turns, None):
            build(NEW, out, overwrite=True)
        return found

    monkeypatch.setattr(snapshots, "read_manifest", read_then_replace)
    assert ids(Corpus.open(out)) == {"new", "newer"}


def test_a_file_that_leads_out_of_the_index_is_refused(tmp_path):
    build(OLD, tmp_path / "index")
    (documents,) = (tmp_path / "index").rglob("documents.arrow")
    documents.rename(tmp_path / "outside.arrow")
    documents.symlink_to(tmp_path / "outside.arrow")
    with pytest.raises(CorpusCorruptError, match=r"documents.arrow: leads out of the index"):
        Corpus.open(tmp_path / "index")
    (tmp_path / "link").symlink_to(tmp_path / "index")  # the whole index by another name is fine
    documents.unlink()
    (tmp_path / "outside.arrow").rename(documents)
    assert ids(Corpus.open(tmp_path / "link")) == {"old"}


@pytest.mark.parametrize("target", ["os:system", "builtins:print", "octavo.parallel:os.system"])
def test_an_index_cannot_have_python_itself_called(tmp_path, target):
    build(OLD, tmp_path / "index")
    rewrite_manifest(
        tmp_path / "index", lambda body: body["embedding"].update(specification=target)
    )
    with pytest.raises(ConfigurationError, match="belongs to Python itself"):
        Corpus.open(tmp_path / "index").search("touch evil", strategy="vector")


def test_overwriting_swaps_and_old_readers_keep_what_they_opened(tmp_path):
    old = build(OLD, tmp_path / "index")
    assert ids(old) == {"old"}
    new = build(NEW, tmp_path / "index", overwrite=True)
    assert ids(new) == {"new", "newer"}
    assert old.search("old", strategy="hybrid")[0].content == "the old index"
    assert len(list((tmp_path / "index" / "segments").iterdir())) == 1


def test_a_locked_index_is_not_touched(tmp_path):
    build(OLD, tmp_path / "index")
    with writer_lock(tmp_path / "index"), pytest.raises(CorpusLockedError, match="pid"):
        build(NEW, tmp_path / "index", overwrite=True)
    assert ids(Corpus.open(tmp_path / "index")) == {"old"}


def test_empty_and_null_texts_are_legal_documents(tmp_path):  # S16
    table = pa.table({"id": ["a", "b", "c"], "text": ["", None, "word"]})
    corpus = build(table, tmp_path / "index")
    assert corpus.info().empty_texts == 2
    assert [hit.metadata["entryId"] for hit in corpus.search("word", strategy="keyword")] == ["c"]
    everything = corpus.search("word", strategy="vector", max_results=5)
    assert [(hit.metadata["entryId"], hit.score) for hit in everything[1:]] == [("a", 0), ("b", 0)]


def test_a_null_vector_is_counted_and_never_a_hit(tmp_path):  # S16
    rows = 40_000  # over two batches, so that nulls come before the dimension is known
    vectors = [None] * 20_000 + [[1.0, 0.0]] * (rows - 20_000)
    table = pa.table(
        {
            "id": [str(row) for row in range(rows)],
            "text": ["x"] * rows,
            "v": pa.array(vectors, pa.list_(pa.float32())),
        }
    )
    corpus = build(table, tmp_path / "index", embedding="column:v")
    assert corpus.info().null_vectors == 20_000
    hits = corpus.search("x", strategy="vector", query_vector=[2.0, 0.0], max_results=2)
    assert [(hit.metadata["entryId"], hit.score) for hit in hits] == [
        ("20000", 1.0),
        ("20001", 1.0),
    ]


def test_no_documents_make_a_legal_index(tmp_path):
    table = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())})
    corpus = build(table, tmp_path / "index")
    assert len(corpus) == 0
    for strategy in ("keyword", "vector", "hybrid"):
        assert corpus.search("anything", strategy=strategy) == ()
        assert corpus.search_batch(["a", "b"], strategy=strategy).num_rows == 0
    assert corpus.verify().whole


def test_any_number_of_threads_finds_the_same(tmp_path):  # S6
    rows = 50_000
    rng = np.random.default_rng(7)
    words = rng.integers(0, 300, (rows, 6))
    table = pa.table(
        {
            "id": [f"r{row}" for row in range(rows)],
            "text": [" ".join(f"w{word}" for word in row) for row in words],
        }
    )
    queries = ["w1 w2 w3", "w4", "w5 w5 w6", "w299 w0 nothing"]
    found = []
    for threads in (1, 2, 3):
        corpus = build(table, tmp_path / f"index{threads}", threads=threads)
        assert corpus.info().keyword_segments == min(threads, rows // 20_000)
        found.append(corpus.search_batch(queries, strategy="hybrid", max_results=50))
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])


def test_the_hash_embedding_by_default_says_so(tmp_path):  # S45
    with pytest.warns(HashEmbeddingWarning, match="weak retriever.*embedding='column:COL'"):
        corpus = Corpus.build(OLD, tmp_path / "index")
    assert corpus.dimensions == 128
    assert corpus.default_strategy == "keyword"


def test_an_application_function_embeds_documents_and_queries(tmp_path):  # S44
    def by_length(text):
        return [float(len(text)), 1.0]

    corpus = build(NEW, tmp_path / "index", embedding=by_length)
    assert corpus.dimensions == 2
    assert corpus.default_strategy == "hybrid"
    assert corpus.search("the new index", strategy="vector")[0].content == "the new index"
    with pytest.raises(ConfigurationError, match="embedding="):
        Corpus.open(tmp_path / "index").search("x", strategy="vector")
    again = Corpus.open(tmp_path / "index", embedding=by_length)
    assert again.search("the new index", strategy="vector")[0].score == pytest.approx(1.0)


FULL = (
    "format.vector_file.VectorWriter.write",
    "format.analyzed_file.AnalyzedWriter.write",
    "build.segment_build.sync_and_list",
    "build.build.commit",
)


def test_a_full_disk_leaves_the_old_index(tmp_path, monkeypatch):
    build(OLD, tmp_path / "index")
    before = files_below(tmp_path / "index")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    for place in FULL:
        with monkeypatch.context() as patch:
            patch.setattr(f"octavo.storage.{place}", full)
            with pytest.raises(OSError, match="No space"):
                build(NEW, tmp_path / "index", overwrite=True)
            with pytest.raises(OSError, match="No space"):
                build(NEW, tmp_path / "other")
        assert files_below(tmp_path / "index") == before
        assert not (tmp_path / "other").exists()
    assert ids(Corpus.open(tmp_path / "index")) == {"old"}


LIMITED = """
    import resource, signal, sys
    import pyarrow as pa
    from octavo import Corpus
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    words = [f"word{n} word{n * 7} text" for n in range(30_000)]
    table = pa.table({"id": [str(n) for n in range(30_000)], "text": words})
    try:
        Corpus.build(table, sys.argv[1], embedding="hash", overwrite=True, threads=2)
    except OSError as error:
        print("OSError", error)
    except BaseException as error:
        print(type(error).__mro__, error)
"""


@pytest.mark.parametrize("limit", [10_000, 300_000, 1_200_000])
def test_files_that_cannot_grow_are_an_os_error(tmp_path, limit):
    """A real limit of the kernel stands in for the full disk, also inside native code."""
    build(OLD, tmp_path / "index")
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LIMITED), str(tmp_path / "index"), str(limit)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.stdout.startswith("OSError"), run.stdout + run.stderr
    assert ids(Corpus.open(tmp_path / "index")) == {"old"}
    assert len(list((tmp_path / "index" / "segments").iterdir())) == 1


KILLED = """
    import os, signal, sys
    import pyarrow as pa
    from octavo import Corpus
    from octavo.storage.build import build
    from octavo.storage.build import columns_stage
    from octavo.storage.commit import commit
    from octavo.storage.build import postings_stage
    from octavo.storage.build import segment_build

    place, out = sys.argv[1:]
    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)
    module, name = place.split(".")[-2:]
    setattr(globals()[module], name, die)
    table = pa.table({"id": ["new", "newer"], "text": ["the new index", "the newer index"]})
    Corpus.build(table, out, embedding="hash", overwrite=True, threads=2)
"""

STAGES = [
    "build.build.build_segment", "build.columns_stage.AnalyzedWriter", "build.segment_build.check_unique",
    "build.postings_stage.write_segment", "build.segment_build.sync_and_list", "build.build.commit",
    "commit.commit.write_temporary",
]  # fmt: skip


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("stage", STAGES)
def test_killed_anywhere_the_old_index_or_none_is_there(tmp_path, stage, over):
    out = tmp_path / "index"
    if over:
        build(OLD, out)
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), stage, str(out)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == -signal.SIGKILL, run.stderr
    if over:
        assert ids(Corpus.open(out)) == {"old"}
        assert Corpus.open(out).verify().whole
    else:
        with pytest.raises(CorpusFormatError):
            Corpus.open(out)
    assert ids(build(NEW, out, overwrite=True)) == {"new", "newer"}
    assert len(list((out / "segments").iterdir())) == 1
    assert not list(out.rglob("*.tmp"))


def test_an_index_opens_from_a_read_only_directory_without_a_write(tmp_path):
    build(OLD, tmp_path / "index")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "index").rglob("*")}
    for path in sorted(before, reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        corpus = Corpus.open(tmp_path / "index")
        assert [hit.score for hit in corpus.search("index", strategy="hybrid")] == [1.0]
        assert {p: p.stat().st_mtime_ns for p in (tmp_path / "index").rglob("*")} == before
    finally:
        for path in sorted(before):
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_can_search():
    script = (
        "import os, sys, octavo\n"
        "def hits(): return len(octavo.Corpus.open(sys.argv[1]).search('index', strategy='hybrid'))\n"
        "hits()  # what is imported on the way may be closed to others\n"
        "os.setuid(65534)\n"
        "print(hits())"
    )
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o777)
        build(OLD, Path(directory) / "index")
        run = subprocess.run(
            [sys.executable, "-c", script, directory + "/index"],
            capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": directory},
        )  # fmt: skip
    assert run.stdout == "1\n", run.stderr


def test_without_a_temporary_directory_opening_says_what_it_needs(tmp_path, monkeypatch):
    build(OLD, tmp_path / "index", block_max=False)
    build(OLD, tmp_path / "with block-max")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(ConfigurationError, match="TMPDIR"):
        Corpus.open(tmp_path / "index")
    Corpus.open(tmp_path / "with block-max")


def test_a_provider_that_is_not_installed_leaves_the_hash_embedding_and_says_so(tmp_path):  # S45
    corpus = build(OLD, tmp_path / "index", embedding="provider")
    assert corpus.info().embedding.specification == "hash:128"
    assert corpus.default_strategy == "keyword"

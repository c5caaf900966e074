"""Open several segment directories as one index, without writing into any of them.

Opening makes tantivy write a lock file, and a composed index needs its own ``meta.json``. Both go
into a temporary directory of symbolic links, which is removed as soon as the files are mapped: the
searcher that is left is the snapshot, and works on files one may only read.
"""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import tantivy

from octavo.engines.keyword.damage import damage_reported
from octavo.engines.keyword.schema import FIELDS, META, keyword_schema
from octavo.errors import ConfigurationError, CorpusCorruptError, CorpusFormatError

_COMPONENTS = ("term", "idx", "pos", "fast", "fieldnorm", "store")


def open_composed(
    segment_directories: Sequence[Path], scratch: Path | None = None
) -> tantivy.Searcher:
    """Return one searcher over all segments, in the order given.

    Document frequencies, the number of documents and their mean length are those of the whole.

    Parameters
    ----------
    segment_directories
        Directories made by :func:`~octavo.engines.keyword.writer.write_segment`, in row order.
    scratch
        Where the temporary directory goes; ``None`` for the system's place.

    Raises
    ------
    CorpusCorruptError
        A file is missing, damaged or does not fit the others.
    CorpusFormatError
        A directory holds a tantivy index of another schema.
    OSError
        No temporary directory can be made.
    """
    metas: list[dict[str, Any]] = []
    segments: list[dict[str, Any]] = []
    targets: dict[str, str] = {}
    for directory in segment_directories:
        meta, names = _read_meta(directory)
        metas.append(meta)
        segments += meta["segments"]
        home = directory.absolute()
        for name in names:
            if name in targets:
                raise CorpusCorruptError(f"{directory / name}: the same segment as {targets[name]}")
            targets[name] = f"{home}/{name}"
    if not segments:
        return tantivy.Index(keyword_schema()).searcher()
    where = ", ".join(str(directory) for directory in segment_directories)
    with _scratch_directory(scratch) as links:
        for name, target in targets.items():
            os.symlink(target, f"{links}/{name}")  # noqa: PTH211 - several times as fast
        composed = {**metas[0], "segments": segments}
        (links / META).write_text(json.dumps(composed), encoding="utf-8")
        with damage_reported(where):
            return tantivy.Index.open(str(links)).searcher()


def composition(segment_directories: Sequence[Path]) -> str:
    """Return the names of the tantivy segments that make up an index, in row order.

    A segment never changes under its name; what was derived from the same composition still holds.
    """
    segments = [
        segment
        for directory in segment_directories
        for segment in _read_meta(directory)[0]["segments"]
    ]
    return " ".join(_file_names(segment)[-1] for segment in segments)  # the last: its deletes


def segment_counts(segment_directories: Sequence[Path]) -> list[int]:
    """Return the number of tantivy segments in each directory."""
    return [len(_read_meta(directory)[0]["segments"]) for directory in segment_directories]


def segment_documents(directory: Path) -> list[int]:
    """Return the number of documents in each tantivy segment of a directory."""
    return [int(segment["max_doc"]) for segment in _read_meta(directory)[0]["segments"]]


@contextmanager
def _scratch_directory(parent: Path | None) -> Iterator[Path]:
    try:
        path = Path(tempfile.mkdtemp(prefix="octavo-open-", dir=parent))
    except OSError as error:
        raise ConfigurationError(
            "opening an index needs a directory for temporary files, for a moment: "
            f"{error.strerror} ({error.filename}); name a writable one with TMPDIR"
        ) from error
    try:
        yield path
    finally:
        for _ in range(100):
            # tantivy's watcher thread may put its lock file there while this is at work.
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                break
            time.sleep(0.001)


def _read_meta(directory: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the description of an index and the names of the files it needs."""
    path = directory / META
    try:
        meta: dict[str, Any] = json.loads(path.read_bytes())
        fields = tuple(field["name"] for field in meta["schema"])
        names = [name for segment in meta["segments"] for name in _file_names(segment)]
    except FileNotFoundError as error:
        raise CorpusCorruptError(
            f"{path}: expected the list of keyword segments, found no file"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusCorruptError(
            f"{path}: expected a tantivy index description: {error!r}"
        ) from error
    if fields != FIELDS:
        raise CorpusFormatError(f"{path}: expected the fields {FIELDS}, found {fields}")
    found = set(os.listdir(directory))  # noqa: PTH208 - one call for all of them
    for name in names:
        if name not in found:
            raise CorpusCorruptError(f"{directory / name}: expected a keyword file, found none")
    return meta, names


def _file_names(segment: dict[str, Any]) -> list[str]:
    stem = UUID(segment["segment_id"]).hex  # nothing but a UUID becomes part of a path
    names = [f"{stem}.{component}" for component in _COMPONENTS]
    if segment["deletes"] is not None:
        names.append(f"{stem}.{int(segment['deletes']['opstamp'])}.del")
    return names

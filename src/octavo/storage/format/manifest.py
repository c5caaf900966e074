"""The manifest: which files make up an index. There are two copies of it.

A commit replaces ``manifest.json`` atomically, and then the copy. What the manifest does not name
does not exist.
"""

import logging
import os
from pathlib import Path

from octavo.columns.uris import refuse_uri
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.storage.format.entries import (
    ColumnsEntry,
    EmbeddingEntry,
    FileEntry,
    GraphEntry,
    LiveEntry,
    Manifest,
    SegmentEntry,
    UpdateSettings,
    VectorSearchEntry,
)
from octavo.storage.format.layout import MANIFEST, MANIFEST_COPY, SHARDS
from octavo.storage.format.manifest_json import decode_manifest

__all__ = [
    "ColumnsEntry",
    "EmbeddingEntry",
    "FileEntry",
    "GraphEntry",
    "LiveEntry",
    "Manifest",
    "SegmentEntry",
    "UpdateSettings",
    "VectorSearchEntry",
    "read_manifest",
    "read_manifest_file",
]

_log = logging.getLogger("octavo.storage")


def read_manifest(index: Path) -> Manifest:
    """Read the committed state: from ``manifest.json`` or, where that is not whole, from its copy.

    The copy is the present state or, after a commit that did not get to its end, the one before;
    that it was needed is logged as a warning.

    Raises
    ------
    CorpusFormatError
        The directory is missing, is no octavo index, or was written by a newer format.
    CorpusCorruptError
        Both copies are damaged.
    InvalidArgumentError
        It is a URI.
    """
    if not index.is_dir():
        refuse_uri(index)
        found = "a file" if index.exists() else "no such directory"
        raise CorpusFormatError(f"{index}: expected an octavo index, found {found}")
    try:
        return read_manifest_file(index / MANIFEST)
    except FileNotFoundError:
        damage = f"{index / MANIFEST}: the file is missing"
        if not os.path.lexists(index / MANIFEST_COPY):
            if (index / SHARDS).is_file():
                raise CorpusFormatError(
                    f"{index}: expected a single octavo index, found a sharded one; "
                    "use octavo.open_index or octavo.ShardedCorpus"
                ) from None
            raise CorpusFormatError(
                f"{index}: expected an octavo index, found a directory without {MANIFEST}"
            ) from None
    except CorpusCorruptError as error:
        damage = str(error)
    try:
        manifest = read_manifest_file(index / MANIFEST_COPY)
    except FileNotFoundError:
        raise CorpusCorruptError(damage) from None
    except CorpusCorruptError as error:
        raise CorpusCorruptError(f"{damage}; and {error}") from error
    _log.warning(
        "%s; using %s, generation %d, until the next commit",
        damage,
        MANIFEST_COPY,
        manifest.generation,
    )
    return manifest


def read_manifest_file(path: Path) -> Manifest:
    """Read one of the two copies.

    Raises
    ------
    FileNotFoundError
        It is not there.
    CorpusFormatError
        It was written by a newer format.
    CorpusCorruptError
        It is damaged, or leads out of the index.
    """
    home = os.path.realpath(path.parent)
    if not Path(os.path.realpath(path)).is_relative_to(home):
        raise CorpusCorruptError(f"{path}: leads out of the index")
    if path.exists() and not path.is_file():
        raise CorpusCorruptError(f"{path}: expected a file")
    try:
        content = path.read_bytes()
    except (FileNotFoundError, PermissionError):
        raise
    except OSError as error:
        raise CorpusCorruptError(f"{path}: the file cannot be read: {error}") from error
    return decode_manifest(content, path)

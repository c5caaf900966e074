"""The names of the files of an index; ``docs/format.md`` describes each."""

import os
from pathlib import Path

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
MANIFEST_COPY = "manifest.copy.json"
LOCK = "writer.lock"
LOCK_HOLDER = "writer.json"
SEGMENTS = "segments"
TEMPORARY = ".tmp"
"""Ends the name of a file that is being written and will replace another."""

DOCUMENTS = "documents.arrow"
DICTIONARIES = "dictionaries.arrow"
VECTORS = "vectors.npy"
VECTOR_PRESENT = "vector_present.npy"
VECTOR_CODES = "vector_codes.npy"
VECTOR_BOUNDS = "vector_bounds.npy"
VECTOR_LISTS = "vector_lists.faiss"
LIST_OF_ROW = "list_of_row.npy"
VECTOR_GRAPH = "vector_graph.faiss"
VECTOR_STRUCTURES = (VECTOR_LISTS, LIST_OF_ROW, VECTOR_GRAPH)
ONLY_PARENTS = "only_parents.npy"
ID_HASHES = "id_hashes.npy"
ID_ROWS = "id_rows.npy"
KEYWORD = "keyword"
CHAMPIONS = f"{KEYWORD}/champions.arrow"
BLOCK_MAX = "block_max"
LIVE = "live"

ANALYZED_SCRATCH = "analyzed.tmp"
BLOCK_MAX_SCRATCH = "block_max.tmp"

_SEGMENT_FILES = {
    DOCUMENTS,
    DICTIONARIES,
    VECTORS,
    VECTOR_PRESENT,
    VECTOR_CODES,
    VECTOR_BOUNDS,
    *VECTOR_STRUCTURES,
    ONLY_PARENTS,
    ID_HASHES,
    ID_ROWS,
    ANALYZED_SCRATCH,
}
_SEGMENT_DIRECTORIES = {KEYWORD, BLOCK_MAX, LIVE, BLOCK_MAX_SCRATCH}


def segment_directory(index: Path, name: str) -> Path:
    """Return the directory of a segment."""
    return index / SEGMENTS / name


def next_segment_name(index: Path) -> str:
    """Return a name that no segment on disk has; only the writer may ask.

    Names rise: the newest segment of an index has the highest.
    """
    segments = index / SEGMENTS
    names = [entry.name for entry in segments.iterdir()] if segments.is_dir() else []
    return f"{max((int(name) for name in names if is_segment_name(name)), default=0) + 1:08d}"


def next_segment(index: Path) -> Path:
    """Return the directory of a new segment; only the writer may ask."""
    return segment_directory(index, next_segment_name(index))


def live_file(generation: int) -> str:
    """Return the name, within a segment, of the live rows as a commit leaves them."""
    return f"{LIVE}/{generation:08d}.npy"


def is_index(directory: Path) -> bool:
    """Whether the directory holds a committed octavo index, whole or damaged."""
    return any(os.path.lexists(directory / name) for name in (MANIFEST, MANIFEST_COPY))


def is_ours(directory: Path) -> bool:
    """Whether the directory is empty, or holds an unfinished build of octavo's and nothing else.

    A build makes its lock before anything else, so segments without a lock are somebody else's.
    """
    names = {entry.name for entry in directory.iterdir()}
    unfinished = {f"{MANIFEST}{TEMPORARY}", f"{MANIFEST_COPY}{TEMPORARY}"}
    if not names <= {LOCK, LOCK_HOLDER, SEGMENTS, *unfinished}:
        return False
    return SEGMENTS not in names or (LOCK in names and has_segments(directory))


def has_segments(directory: Path) -> bool:
    """Whether there is a directory of segments, and not a link to one elsewhere."""
    segments = directory / SEGMENTS
    return segments.is_dir() and not segments.is_symlink()


def is_segment_name(name: str) -> bool:
    """Whether a build could have given a segment this name."""
    return len(name) == 8 and name.isascii() and name.isdigit()


def is_segment_path(name: str) -> bool:
    """Whether octavo could have made a file or directory of this relative path in a segment."""
    first, _, rest = name.partition("/")
    return first in _SEGMENT_DIRECTORIES or (not rest and first in _SEGMENT_FILES)

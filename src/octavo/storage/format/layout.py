"""The names of the files of an index; ``docs/format.md`` describes each."""

import os
from pathlib import Path

from octavo.columns.graph_files import EDGES, NODES

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
MANIFEST_COPY = "manifest.copy.json"
SHARDS = "shards.json"
"""In the place of a manifest where an index is spread over shards, each an index of its own."""
LOCK = "writer.lock"
LOCK_HOLDER = "writer.json"
SEGMENTS = "segments"
GRAPH = "graph"
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
GRAPH_NODES = "graph_nodes.npy"
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
    GRAPH_NODES,
    ANALYZED_SCRATCH,
}
_SEGMENT_DIRECTORIES = {KEYWORD, BLOCK_MAX, LIVE, BLOCK_MAX_SCRATCH}


def segment_directory(index: Path, name: str) -> Path:
    """Return the directory of a segment."""
    return index / SEGMENTS / name


def graph_directory(index: Path, name: str) -> Path:
    """Return the directory of a graph."""
    return index / GRAPH / name


def next_segment_name(index: Path) -> str:
    """Return a name that no segment on disk has; only the writer may ask.

    Names rise: the newest segment of an index has the highest.
    """
    return _next_name(index / SEGMENTS)


def next_graph_name(index: Path) -> str:
    """Return a name that no graph on disk has; only the writer may ask."""
    return _next_name(index / GRAPH)


def _next_name(parent: Path) -> str:
    names = [entry.name for entry in parent.iterdir()] if parent.is_dir() else []
    return f"{max((int(name) for name in names if is_numbered_name(name)), default=0) + 1:08d}"


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
    if not names <= {LOCK, LOCK_HOLDER, SEGMENTS, GRAPH, *unfinished}:
        return False
    parts = names & {SEGMENTS, GRAPH}
    return not parts or (
        LOCK in names and all(is_own_directory(directory / name) for name in parts)
    )


def has_segments(directory: Path) -> bool:
    """Whether there is a directory of segments, and not a link to one elsewhere."""
    return is_own_directory(directory / SEGMENTS)


def is_own_directory(path: Path) -> bool:
    """Whether there is a directory, and not a link to one elsewhere."""
    return path.is_dir() and not path.is_symlink()


def is_numbered_name(name: str) -> bool:
    """Whether a build could have given a segment, or a graph, this name."""
    return len(name) == 8 and name.isascii() and name.isdigit()


def is_segment_path(name: str) -> bool:
    """Whether octavo could have made a file or directory of this relative path in a segment."""
    first, _, rest = name.partition("/")
    return first in _SEGMENT_DIRECTORIES or (not rest and first in _SEGMENT_FILES)


def is_graph_path(name: str) -> bool:
    """Whether octavo could have made a file of this name in a graph."""
    return name in {NODES, EDGES}

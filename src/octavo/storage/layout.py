"""The names of the files of an index; ``docs/format.md`` describes each."""

from pathlib import Path

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
LOCK = "writer.lock"
LOCK_HOLDER = "writer.json"
SEGMENTS = "segments"

DOCUMENTS = "documents.arrow"
DICTIONARIES = "dictionaries.arrow"
VECTORS = "vectors.npy"
VECTOR_PRESENT = "vector_present.npy"
ID_HASHES = "id_hashes.npy"
ID_ROWS = "id_rows.npy"
KEYWORD = "keyword"


def segment_directory(index: Path, name: str) -> Path:
    """Return the directory of a segment."""
    return index / SEGMENTS / name


def is_index(directory: Path) -> bool:
    """Whether the directory holds a committed octavo index."""
    return (directory / MANIFEST).is_file()


def is_ours(directory: Path) -> bool:
    """Whether everything in the directory was made by octavo, an unfinished build included."""
    ours = {MANIFEST, f"{MANIFEST}.tmp", LOCK, LOCK_HOLDER, SEGMENTS}
    return all(entry.name in ours for entry in directory.iterdir())

"""Check an index: every byte against its checksum, then the parts against each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from octavo.errors import CorpusCorruptError
from octavo.storage import layout
from octavo.storage.durable import checksum
from octavo.storage.manifest import Manifest, SegmentEntry, read_manifest
from octavo.storage.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: the file, and what was found."""

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and every problem found; none means the index is whole."""

    files: int
    bytes: int
    documents: int
    problems: tuple[Problem, ...]

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify_index(index: Path) -> Verification:
    """Read every byte of an index and compare it with the manifest.

    Checks size and CRC-32 of each file; where all fit, also that columns, ids, vectors and postings
    agree on the number of rows. Takes about half a second a gigabyte.

    Raises
    ------
    CorpusFormatError
        The directory is no octavo index, or one of a newer format.
    """
    manifest_path = index / layout.MANIFEST
    while True:
        try:
            manifest = read_manifest(index)
        except CorpusCorruptError as error:
            message = str(error).removeprefix(f"{manifest_path}: ")
            return Verification(1, 0, 0, (Problem(manifest_path, message),))
        found = _verify(index, manifest)
        # A writer that replaced the index meanwhile has removed what was being read.
        if found.whole or read_manifest(index).generation == manifest.generation:
            return found


def _verify(index: Path, manifest: Manifest) -> Verification:
    problems = [
        problem for segment in manifest.segments for problem in _file_problems(index, segment)
    ]
    if not problems:
        problems = list(_structure_problems(index, manifest))
    entries = [entry for segment in manifest.segments for entry in segment.files.values()]
    size = sum(entry.size for entry in entries) + (index / layout.MANIFEST).stat().st_size
    return Verification(len(entries) + 1, size, manifest.documents, tuple(problems))


def _file_problems(index: Path, segment: SegmentEntry) -> Iterator[Problem]:
    directory = layout.segment_directory(index, segment.name)
    for name, entry in segment.files.items():
        path = directory / name
        try:
            size = path.stat().st_size
            if size != entry.size:
                yield Problem(path, f"expected {entry.size} bytes, found {size}")
            elif (found := checksum(path)) != entry.crc32:
                yield Problem(path, f"expected checksum {entry.crc32}, found {found}")
        except FileNotFoundError:
            yield Problem(path, "the file is missing")
        except OSError as error:
            yield Problem(path, f"the file cannot be read: {error}")


def _structure_problems(index: Path, manifest: Manifest) -> Iterator[Problem]:
    try:
        snapshot = Snapshot(index, manifest)
        postings = snapshot.keyword_index.rows
        if postings != manifest.rows:
            yield Problem(index, f"expected postings of {manifest.rows} rows, found {postings}")
        if manifest.embedding is not None and snapshot.vector_index.rows != manifest.rows:
            found = snapshot.vector_index.rows
            yield Problem(index, f"expected vectors of {manifest.rows} rows, found {found}")
    except CorpusCorruptError as error:
        yield Problem(index, str(error))

"""Check an index: every byte against its checksum, then the parts against each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.columns.graph_check import check_graph
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.id_index import find_duplicates
from octavo.errors import CorpusCorruptError
from octavo.storage.commit.remains import named_files
from octavo.storage.format import layout
from octavo.storage.format.durable import checksum
from octavo.storage.format.graph_files import open_graph_columns
from octavo.storage.format.manifest import FileEntry, Manifest, read_manifest, read_manifest_file
from octavo.storage.maintenance.verify_segment import CheckedSegment, Problem, check_segment
from octavo.storage.snapshot.stored_analyzer import stored_analyzer


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and every problem found; none means the index is whole.

    Parameters
    ----------
    files, bytes
        How many files the manifest names, with itself, and their size.
    documents
        How many documents there are, as the manifest says.
    problems
        What is wrong.
    remains
        Files and directories in the index that no manifest names: what a killed writer left, for
        the next to remove, or somebody else's. They are no problem.
    """

    files: int
    bytes: int
    documents: int
    problems: tuple[Problem, ...]
    remains: tuple[Path, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify_index(index: Path) -> Verification:
    """Read every byte of an index and compare it with the manifest, then the parts together.

    Checks size and CRC-32 of each file. Of a segment whose files all fit, it checks also that

    - columns, ids, vectors and their presence, codes and structures, postings and live bits are of
      as many rows as the manifest says,
    - text is valid, and metadata codes have values,
    - the ids' index finds every row, and no two live rows have the same id,
    - vectors have unit length, and codes and lists are those of the vectors,
    - postings are those of consecutive rows, and block-max postings say the same as tantivy's: by
      the document frequencies of up to 32,768 terms, and by searches,
    - the graph's nodes and edges are numbered rightly, and each row's node is that of its id,
    - the manifest counts live rows, empty texts and missing vectors rightly.

    Takes a second or two a gigabyte, and some bytes of memory a row.

    Raises
    ------
    CorpusFormatError
        The directory is no octavo index, one of a newer format, or of another analyser.
    """
    while True:
        try:
            manifest = read_manifest(index)
        except CorpusCorruptError:
            problems, manifests = _manifests(index)
            return Verification(len(manifests) + len(problems), 0, 0, tuple(problems))
        found = verify_manifest(index, manifest)
        # A writer that replaced the index meanwhile has removed what was being read.
        if found.whole or read_manifest(index) == manifest:
            return found


def verify_manifest(index: Path, manifest: Manifest) -> Verification:
    """Check that an index holds what ``manifest`` says; see :func:`verify_index`."""
    analyzer = stored_analyzer(index, manifest)
    problems, manifests = _manifests(index)
    found, graph = _check_graph(index, manifest)
    problems += found
    segments: list[CheckedSegment] = []
    for entry in manifest.segments:
        directory = layout.segment_directory(index, entry.name)
        damaged = list(_file_problems(directory, entry.files))
        if not damaged:
            checked = check_segment(directory, entry, manifest, analyzer, graph)
            damaged = checked.problems
            segments.append(checked)
        problems += damaged
    if len(segments) == len(manifest.segments) and not any(each.problems for each in segments):
        problems += _repeated_ids(index, segments)
    named = [segment.files for segment in manifest.segments]
    if manifest.graph is not None:
        named.append(manifest.graph.files)
    sizes = [entry.size for files in named for entry in files.values()]
    copies = (index / name for name in (layout.MANIFEST, layout.MANIFEST_COPY))
    sizes += [path.stat().st_size for path in copies if path.is_file()]
    remains = _remains(index, [manifest, *manifests])
    return Verification(len(sizes), sum(sizes), manifest.documents, tuple(problems), remains)


def _manifests(index: Path) -> tuple[list[Problem], list[Manifest]]:
    """Return what is wrong with the manifest and its copy, which a killed writer may lack, and both."""
    problems, found = [], []
    for name in (layout.MANIFEST, layout.MANIFEST_COPY):
        path = index / name
        try:
            found.append(read_manifest_file(path))
        except FileNotFoundError:
            if name == layout.MANIFEST:
                problems.append(Problem(path, "the file is missing"))
        except CorpusCorruptError as error:
            problems.append(Problem(path, str(error).removeprefix(f"{path}: ")))
    return problems, found


def _check_graph(index: Path, manifest: Manifest) -> tuple[list[Problem], GraphColumns | None]:
    """Return what is wrong with the graph, and the graph where nothing is."""
    entry = manifest.graph
    if entry is None:
        return [], None
    directory = layout.graph_directory(index, entry.name)
    problems = list(_file_problems(directory, entry.files))
    if problems:
        return problems, None
    try:
        graph = open_graph_columns(index, entry)
    except CorpusCorruptError as error:
        return [Problem(directory, str(error).removeprefix(f"{directory}: "))], None
    if graph is not None:
        problems = [Problem(directory, message) for message in check_graph(graph)]
    return problems, None if problems else graph


def _file_problems(directory: Path, files: Mapping[str, FileEntry]) -> Iterator[Problem]:
    for name, entry in files.items():
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


def _repeated_ids(index: Path, segments: Sequence[CheckedSegment]) -> Iterator[Problem]:
    """Yield the ids that several live rows have."""
    hashes, rows = _live_hashes(segments)
    starts = np.cumsum(
        [0, *(len(each.id_hashes) for each in segments if each.id_hashes is not None)]
    )

    def read_ids(wanted: Sequence[int]) -> list[str | None]:
        owners = (np.searchsorted(starts, wanted, side="right") - 1).tolist()
        columns = [each.columns for each in segments if each.columns is not None]
        return [
            columns[owner].text("id", int(row - starts[owner]))
            for owner, row in zip(owners, wanted, strict=True)
        ]

    for identifier, where in find_duplicates(hashes, rows, read_ids):
        yield Problem(
            index, f"expected every id once, found {identifier!r} in the live rows {where[:3]}"
        )


def _live_hashes(
    segments: Sequence[CheckedSegment],
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the hashes of the ids of all live rows in order, and the row of each."""
    hashes, rows = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    first = 0
    for segment in segments:
        if segment.id_hashes is None:
            continue
        count = len(segment.id_hashes)
        live = np.arange(count) if segment.live is None else np.flatnonzero(segment.live)
        hashes.append(segment.id_hashes[live])
        rows.append(first + live)
        first += count
    joined = np.concatenate(hashes)
    order = np.argsort(joined, kind="stable")
    return joined[order], np.concatenate(rows)[order]


def _remains(index: Path, manifests: Sequence[Manifest]) -> tuple[Path, ...]:
    """Return what is in the index and not of it; a directory stands for all that is in it."""
    parts = named_files(manifests)
    own = {layout.MANIFEST, layout.MANIFEST_COPY, layout.LOCK, layout.LOCK_HOLDER, *parts}
    found = [path for path in index.iterdir() if path.name not in own]
    for part, named in parts.items():
        parent = index / part
        for directory in parent.iterdir() if parent.is_dir() else ():
            if directory.name in named:
                files = (path for path in directory.rglob("*") if not path.is_dir())
                found += [
                    path
                    for path in files
                    if path.relative_to(directory).as_posix() not in named[directory.name]
                ]
            else:
                found.append(directory)
    return tuple(sorted(found))

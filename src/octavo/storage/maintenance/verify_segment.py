"""Check the parts of one segment, whose bytes are those that were written, against each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from octavo.analysis import Analyzer
from octavo.columns.document_batch import searchable_text
from octavo.columns.documents import DocumentColumns
from octavo.columns.graph_columns import GraphColumns
from octavo.engines.keyword.block_max.files import DESCRIPTION, open_postings
from octavo.engines.keyword.champion_file import read_champions
from octavo.engines.keyword.schema import META
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.storage.build.rewrite import layout_of
from octavo.storage.format import layout
from octavo.storage.format.manifest import Manifest, SegmentEntry
from octavo.storage.maintenance.segment_checks import (
    check_codes,
    check_columns,
    check_graph_nodes,
    check_ids,
    check_lists,
    check_vector_graph,
    check_vectors,
)
from octavo.storage.snapshot.segment import open_columns, open_live, open_mask
from octavo.storage.snapshot.stored_batches import PrimaryParts, stored_batches


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: the file or directory, and what was found."""

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass(slots=True, eq=False)
class CheckedSegment:
    """What was found in a segment.

    Parameters
    ----------
    directory
        Of the segment.
    problems
        What is wrong; nothing in a whole segment.
    columns, id_hashes
        The documents and the hash of each row's id; ``None`` where they are damaged.
    live
        Which rows are live; ``None`` where all are.
    """

    directory: Path
    problems: list[Problem] = field(default_factory=list)
    columns: DocumentColumns | None = None
    id_hashes: NDArray[np.uint64] | None = None
    live: NDArray[np.bool_] | None = None

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """Note damage that is found as a problem of the file ``name``, or of the one it is about."""
        try:
            yield
        except (CorpusCorruptError, CorpusFormatError) as error:
            about, _, message = str(error).partition(": ")
            named = about.startswith(str(self.directory))
            path = Path(about) if named else self.directory / name
            self.problems.append(Problem(path, message if named else str(error)))


def check_segment(
    directory: Path,
    entry: SegmentEntry,
    manifest: Manifest,
    analyzer: Analyzer,
    graph: GraphColumns | None,
) -> CheckedSegment:
    """Check a segment against what the manifest says of it, and its parts against each other.

    Parameters
    ----------
    directory
        Of the segment; all bytes are those that the manifest states.
    entry
        What the manifest says of the segment.
    manifest
        The state of the index that it belongs to.
    analyzer
        The index's, to count the documents without words where no other part tells.
    graph
        That of the index; ``None`` where it has none, or a damaged one.
    """
    checked = CheckedSegment(directory)
    rows, embedding = entry.rows, manifest.embedding
    with checked.noting("."):
        _check_names(directory, entry)
    with checked.noting(layout.DOCUMENTS):
        columns = open_columns(directory, rows)
        check_columns(columns, directory / layout.DOCUMENTS)
        checked.columns = columns
    with checked.noting(layout.LIVE):
        checked.live = open_live(directory, entry)
    if checked.columns is not None:
        with checked.noting(layout.ID_HASHES):
            checked.id_hashes = check_ids(directory, checked.columns)
        if graph is not None:
            with checked.noting(layout.GRAPH_NODES):
                check_graph_nodes(directory, entry, checked.columns, graph)
    if embedding is not None:
        with checked.noting(layout.VECTORS):
            check_vectors(directory, entry, embedding.dimensions)
            _check_derived_vectors(directory, entry, embedding.dimensions)
    _check_postings(checked, entry)
    if not checked.problems:
        with checked.noting("."):
            _check_counts(checked, entry, manifest, analyzer)
    return checked


def _check_names(directory: Path, entry: SegmentEntry) -> None:
    """Check that the manifest states a checksum for each part that is always there."""
    needed = [layout.DOCUMENTS, layout.DICTIONARIES, layout.ID_HASHES, layout.ID_ROWS]
    needed += [f"{name}/{META}" for name in entry.keyword]
    for name in needed:
        if name not in entry.files:
            raise CorpusCorruptError(f"{directory / name}: the manifest does not name this file")


def _check_derived_vectors(directory: Path, entry: SegmentEntry, dimensions: int) -> None:
    for name, check in (
        (layout.VECTOR_CODES, check_codes),
        (layout.VECTOR_LISTS, check_lists),
        (layout.VECTOR_GRAPH, check_vector_graph),
    ):
        if name in entry.files:
            check(directory, entry, dimensions)


def _check_postings(checked: CheckedSegment, entry: SegmentEntry) -> None:
    from octavo.engines.keyword.check import check_block_max, check_rows  # noqa: PLC0415 - heavy

    directory = checked.directory
    directories = [directory / name for name in entry.keyword]
    before = len(checked.problems)
    with checked.noting(layout.KEYWORD):
        check_rows(directories, entry.rows)
    if len(checked.problems) > before:
        return  # nothing to compare the others with
    with checked.noting(layout.CHAMPIONS):
        if layout.CHAMPIONS in entry.files:
            read_champions(directory / layout.CHAMPIONS, directories, entry.rows)
    with checked.noting(layout.BLOCK_MAX):
        if f"{layout.BLOCK_MAX}/{DESCRIPTION}" in entry.files:
            check_block_max(open_postings(directory / layout.BLOCK_MAX, entry.rows), directories)


def _check_counts(
    checked: CheckedSegment, entry: SegmentEntry, manifest: Manifest, analyzer: Analyzer
) -> None:
    """Check what the manifest counts of live rows, and that mere parents cannot be found."""
    directory = checked.directory
    live = np.ones(entry.rows, np.bool_) if checked.live is None else checked.live
    words = _rows_with_words(checked, entry, manifest, analyzer)
    present = open_mask(directory, entry, layout.VECTOR_PRESENT)
    vectors = np.ones(entry.rows, np.bool_) if present is None else np.asarray(present)
    if manifest.embedding is None:
        vectors = np.ones(entry.rows, np.bool_)
    only_parents = open_mask(directory, entry, layout.ONLY_PARENTS)
    if only_parents is not None:
        seen = words | vectors if manifest.embedding is not None else words
        if bool((seen & only_parents).any()):
            raise CorpusCorruptError(
                f"{directory / layout.ONLY_PARENTS}: a document that is only a parent has words or "
                "a vector"
            )
    for what, stated, rows in (
        ("without a vector", entry.null_vectors, live & ~vectors),
        ("without words", entry.empty_texts, live & ~words),
    ):
        found = int(np.count_nonzero(rows))
        if found != stated:
            raise CorpusCorruptError(f"{directory}: expected {stated} rows {what}, found {found}")


def _rows_with_words(
    checked: CheckedSegment, entry: SegmentEntry, manifest: Manifest, analyzer: Analyzer
) -> NDArray[np.bool_]:
    directory = checked.directory
    if f"{layout.BLOCK_MAX}/{DESCRIPTION}" in entry.files:
        from octavo.engines.keyword.check import rows_with_words  # noqa: PLC0415 - heavy

        return rows_with_words(open_postings(directory / layout.BLOCK_MAX, entry.rows))
    parts = PrimaryParts.open(directory, entry)
    found = [np.zeros(0, np.bool_)]
    for batch in stored_batches(parts, layout_of(manifest.columns), None):
        lengths = pc.binary_length(analyzer.analyze_batch(searchable_text(batch)))
        found.append(lengths.to_numpy(zero_copy_only=False) > 0)
    return np.concatenate(found)

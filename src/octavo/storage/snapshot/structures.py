"""Vector structures between memory and disk: built, written, and mapped again."""

from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import save_array
from octavo.engines.choice import VectorIndexKind
from octavo.engines.vector.approximate import Structure
from octavo.engines.vector.inverted_lists import InvertedLists, open_lists
from octavo.engines.vector.list_building import build_lists
from octavo.engines.vector.neighbour_graph import NeighbourGraph, build_graph, open_graph
from octavo.engines.vector.width import SearchWidth
from octavo.storage.format import layout
from octavo.storage.format.durable import BLOCK, errors_naming, sync_directory, sync_file
from octavo.storage.format.manifest import FileEntry
from octavo.storage.format.structure_file import StructureFile
from octavo.storage.snapshot.segment import Segment


def load_structure(segment: Segment) -> Structure | None:
    """Map the structure of a segment; ``None`` where its vectors are scanned."""
    search = segment.entry.vector_search
    if segment.structure is None or segment.vectors is None or search is None:
        return None
    structure, vectors = segment.structure, segment.vectors
    nominator = structure.mapped.get(lambda: load_nominator(structure, vectors))
    return Structure(nominator, SearchWidth(search.efforts, search.nominees))


def load_nominator(
    structure: StructureFile, vectors: NDArray[np.float32]
) -> InvertedLists | NeighbourGraph:
    """Map a structure over ``vectors``.

    Raises
    ------
    CorpusCorruptError
        The file is damaged, or is a structure of other vectors.
    """
    rows, dimensions = vectors.shape
    descriptor = structure.file.descriptor
    if structure.list_of_row is None:
        return open_graph(descriptor, structure.path, rows, dimensions)
    return open_lists(descriptor, structure.path, structure.list_of_row, dimensions)


def write_structure(
    directory: Path,
    kind: VectorIndexKind,
    vectors: NDArray[np.float32],
    present: NDArray[np.bool_] | None,
    *,
    threads: int,
    progress: Callable[[int], None],
) -> dict[str, FileEntry]:
    """Build a structure of a segment's vectors and flush it to the disk.

    Returns
    -------
    dict
        The new files by name.

    Raises
    ------
    OSError
        The disk is full.
    """
    if kind is VectorIndexKind.GRAPH:
        names = [layout.VECTOR_GRAPH]
        _write(build_graph(vectors), directory / layout.VECTOR_GRAPH)
    else:
        names = [layout.VECTOR_LISTS, layout.LIST_OF_ROW]
        index, list_of_row = build_lists(vectors, present, threads=threads, progress=progress)
        _write(index, directory / layout.VECTOR_LISTS)
        save_array(directory / layout.LIST_OF_ROW, list_of_row)
    for name in names:
        sync_file(directory / name)
    sync_directory(directory)
    return {name: FileEntry.of(directory / name) for name in names}


def _write(index: "faiss.Index", path: Path) -> None:
    """Write a FAISS file by Python's own means: FAISS says nothing of what fails at closing."""
    with errors_naming(path), path.open("wb") as file:
        writer = faiss.PyCallbackIOWriter(file.write, BLOCK)  # type: ignore[attr-defined]
        faiss.write_index(index, writer)

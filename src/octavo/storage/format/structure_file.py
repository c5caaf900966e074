"""The file of a vector structure, held open for as long as its segment is."""

import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import open_array
from octavo.errors import CorpusCorruptError, is_exhausted
from octavo.storage.format import layout
from octavo.storage.format.manifest import SegmentEntry

Made = TypeVar("Made")


class HeldFile:
    """A file that stays open for reading for as long as this object lives."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self.descriptor)


class Once:
    """Something that is made when it is first asked for, whichever thread asks."""

    def __init__(self) -> None:
        self._made: Any = None
        self._turn = threading.Lock()

    def get(self, make: Callable[[], Made]) -> Made:
        """Return what ``make`` made the first time."""
        with self._turn:
            if self._made is None:
                self._made = make()
            made: Made = self._made
            return made


@dataclass(frozen=True, slots=True, eq=False)
class StructureFile:
    """A structure that is on disk and not yet mapped; loading FAISS is left to the first search.

    The open file is what is mapped, so a writer that replaces the index takes nothing away.
    """

    path: Path
    file: HeldFile
    list_of_row: NDArray[np.int32] | None
    """The list of each row, memory-mapped; ``None`` for a graph."""
    mapped: Once = field(default_factory=Once)
    """What the file is mapped as, for all snapshots that share the segment."""


def open_structure(directory: Path, entry: SegmentEntry) -> StructureFile | None:
    """Open the structure that a segment is searched with; ``None`` where it is scanned.

    Raises
    ------
    CorpusCorruptError
        A file is missing or damaged.
    """
    search = entry.vector_search
    if search is None or search.kind == "flat":
        return None
    name = layout.VECTOR_LISTS if search.kind == "lists" else layout.VECTOR_GRAPH
    return open_structure_file(directory, entry, name)


def open_structure_file(directory: Path, entry: SegmentEntry, name: str) -> StructureFile:
    """Open a structure's file by name, whether it is in use or not."""
    path = directory / name
    if name not in entry.files:
        raise CorpusCorruptError(f"{path}: the manifest needs this file and does not name it")
    list_of_row = None
    if name == layout.VECTOR_LISTS:
        list_of_row = open_array(directory / layout.LIST_OF_ROW, np.int32, (entry.rows,))
    try:
        return StructureFile(path, HeldFile(path), list_of_row)
    except OSError as error:
        if is_exhausted(error):
            raise
        raise CorpusCorruptError(f"{path}: the file cannot be read: {error}") from error

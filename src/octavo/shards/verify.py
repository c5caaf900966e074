"""Checking a sharded index: every shard, and that together they hold each document once."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import open_array
from octavo.errors import CorpusCorruptError
from octavo.shards import layout
from octavo.shards.contents import contents_digest
from octavo.storage.format.layout import SHARDS
from octavo.storage.format.manifest import read_manifest
from octavo.storage.maintenance.verify import Verification, verify_index
from octavo.storage.maintenance.verify_segment import Problem


def verify_shards(index: Path) -> Verification:
    """Read every byte of every shard and compare it with its manifest, then the shards together.

    Raises
    ------
    CorpusFormatError, CorpusCorruptError
        ``shards.json`` cannot be read, or a shard is no index.
    """
    description = layout.read_description(index)
    generation = layout.generation_directory(index, description.generation)
    counts: list[int] = []
    files, size = 1, (index / SHARDS).stat().st_size
    problems: list[Problem] = []
    remains: list[Path] = []
    for number in range(len(description.documents)):
        directory = layout.shard_directory(generation, number)
        found = verify_index(directory)
        path = layout.positions_file(generation, number)
        files += found.files + 1
        size += found.bytes + (path.stat().st_size if path.is_file() else 0)
        problems += found.problems
        if contents_digest(read_manifest(directory)) != description.contents[number]:
            problems.append(Problem(directory, "expected the shard as it was built"))
        remains += found.remains
        counts.append(found.documents)
    problems += position_problems(index, description, counts)
    return Verification(files, size, description.total, tuple(problems), tuple(remains))


def position_problems(
    index: Path, description: layout.ShardsDescription, counts: Sequence[int]
) -> list[Problem]:
    """Say what is wrong with the positions of documents, of which each is to be in one shard.

    Parameters
    ----------
    index, description
        The index and what its file says.
    counts
        How many documents were found in each shard.
    """
    generation = layout.generation_directory(index, description.generation)
    seen = np.zeros(description.total, np.bool_)
    problems: list[Problem] = []
    for number, (expected, present) in enumerate(zip(description.documents, counts, strict=True)):
        path = layout.positions_file(generation, number)
        try:
            _mark(path, expected, present, seen)
        except CorpusCorruptError as error:
            problems.append(Problem(path, str(error).removeprefix(f"{path}: ")))
    if not problems and not seen.all():
        problems.append(Problem(index / SHARDS, "some documents are in no shard"))
    return problems


def _mark(path: Path, expected: int, present: int, seen: NDArray[np.bool_]) -> None:
    """Mark the positions of a shard's documents as seen."""
    if present != expected:
        raise CorpusCorruptError(f"{path}: expected {expected} documents, found {present}")
    positions = open_array(path, np.int64, (expected,))
    if not expected:
        return
    if not 0 <= int(positions[0]) <= int(positions[-1]) < len(seen) or np.any(
        np.diff(positions) <= 0
    ):
        raise CorpusCorruptError(f"{path}: expected rising positions below {len(seen)}")
    if seen[positions].any():
        raise CorpusCorruptError(f"{path}: a position is that of a document of another shard too")
    seen[positions] = True

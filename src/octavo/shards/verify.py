"""Checking a sharded index: every shard, and that together they hold each document once."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import open_array
from octavo.errors import CorpusCorruptError, CorpusFormatError, OctavoError
from octavo.shards import layout
from octavo.shards.contents import contents_digest
from octavo.storage.format.layout import LOCK, LOCK_HOLDER, SHARDS
from octavo.storage.format.manifest import read_manifest
from octavo.storage.maintenance.verify import Verification, verify_index
from octavo.storage.maintenance.verify_segment import Problem


def verify_shards(index: Path) -> Verification:
    """Read every byte of every shard and compare it with its manifest, then the shards together.

    Raises
    ------
    CorpusFormatError
        There is no sharded index, or ``shards.json`` is of a newer format.
    """
    while True:
        try:
            description = layout.read_description(index)
        except CorpusCorruptError as error:
            return Verification(1, 0, 0, (_problem(index / SHARDS, error),))
        found = _verified(index, description)
        # A build that replaced the index meanwhile has removed what was being read.
        if found.whole or layout.read_description(index) == description:
            return found


def _verified(index: Path, description: layout.ShardsDescription) -> Verification:
    generation = layout.generation_directory(index, description.generation)
    counts: list[int | None] = []
    files, size = 1, (index / SHARDS).stat().st_size
    problems: list[Problem] = []
    remains = _remains(index, description)
    for number, contents in enumerate(description.contents):
        found = _verified_shard(layout.shard_directory(generation, number), contents)
        path = layout.positions_file(generation, number)
        files += found.files + 1
        size += found.bytes + (path.stat().st_size if path.is_file() else 0)
        problems += found.problems
        remains += found.remains
        known = found.whole or found.documents
        counts.append(found.documents if known else None)
    problems += position_problems(index, description, counts)
    return Verification(files, size, description.total, tuple(problems), tuple(sorted(remains)))


def _verified_shard(directory: Path, contents: str) -> Verification:
    """Verify one shard; what keeps it from being one is a problem like others."""
    try:
        found = verify_index(directory)
        if found.whole and contents_digest(read_manifest(directory)) != contents:
            return replace(
                found, problems=(Problem(directory, "expected the shard as it was built"),)
            )
    except (CorpusFormatError, CorpusCorruptError) as error:
        return Verification(1, 0, 0, (_problem(directory, error),))
    return found


def _remains(index: Path, description: layout.ShardsDescription) -> list[Path]:
    """Return what is in the index, beside its shards, and not of it."""
    generation = layout.generation_directory(index, description.generation)
    own = {index / name for name in (SHARDS, LOCK, LOCK_HOLDER)} | {generation}
    for number in range(len(description.documents)):
        own |= {
            layout.shard_directory(generation, number),
            layout.positions_file(generation, number),
        }
    directories = [index, *([generation] if generation.is_dir() else [])]
    return [path for each in directories for path in each.iterdir() if path not in own]


def position_problems(
    index: Path, description: layout.ShardsDescription, counts: Sequence[int | None]
) -> list[Problem]:
    """Say what is wrong with the positions of documents, of which each is to be in one shard.

    Parameters
    ----------
    index, description
        The index and what its file says.
    counts
        How many documents were found in each shard; ``None`` where that is not to be known.
    """
    generation = layout.generation_directory(index, description.generation)
    seen = np.zeros(description.total, np.bool_)
    problems: list[Problem] = []
    for number, (expected, present) in enumerate(zip(description.documents, counts, strict=True)):
        path = layout.positions_file(generation, number)
        if present is None:
            continue
        try:
            _mark(path, expected, present, seen)
        except CorpusCorruptError as error:
            problems.append(_problem(path, error))
    if not problems and None not in counts and not seen.all():
        problems.append(Problem(index / SHARDS, "some documents are in no shard"))
    return problems


def _problem(path: Path, error: OctavoError) -> Problem:
    return Problem(path, str(error).removeprefix(f"{path}: "))


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

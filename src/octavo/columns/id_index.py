"""Finding rows by id: sorted hashes and the rows they belong to, memory-mapped.

Two ``.npy`` files: the uint64 hashes of all ids in ascending order, and their int64 rows. An id
found by its hash is compared with the stored text, so collisions do no harm.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from os import PathLike, fspath
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.array_file import open_array, save_array
from octavo.errors import CorpusCorruptError, InvalidArgumentError
from octavo.kernels.fnv import hash_texts

ReadIds: TypeAlias = Callable[[Sequence[int]], Sequence[str | None]]
FileName: TypeAlias = str | PathLike[str]


class IdIndexBuilder:
    """Collects the hashes of a stream of ids: 8 bytes a document.

    Examples
    --------
    >>> builder = IdIndexBuilder()
    >>> builder.add(pa.array(["a", "b", "a"], pa.large_string()))
    >>> stored = ["a", "b", "a"]
    >>> builder.duplicates(lambda rows: [stored[row] for row in rows])
    [('a', [0, 2])]
    """

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.uint64]] = []
        self._sorted: tuple[NDArray[np.uint64], NDArray[np.int64]] | None = None

    def add(self, ids: pa.LargeStringArray) -> None:
        """Add the ids of the next rows."""
        self._hashes.append(hash_texts(ids))
        self._sorted = None

    def duplicates(self, read_ids: ReadIds, limit: int = 5) -> list[tuple[str, list[int]]]:
        """Return the first ``limit`` repeated ids, by their first row, each with its rows.

        Parameters
        ----------
        read_ids
            Gives the stored ids of some rows; called only for rows whose hashes are equal.
        """
        hashes, rows = self._in_order()
        return find_duplicates(hashes, rows, read_ids, limit)

    def write(self, hashes_path: FileName, rows_path: FileName) -> None:
        """Write the two files.

        Raises
        ------
        OSError
            The disk is full, or a file cannot be written.
        """
        hashes, rows = self._in_order()
        for path, values in ((hashes_path, hashes), (rows_path, rows)):
            save_array(path, values)

    def _in_order(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        if self._sorted is None:
            hashes = np.concatenate(self._hashes) if self._hashes else np.zeros(0, np.uint64)
            self._hashes = [hashes]
            rows = np.argsort(hashes, kind="stable").astype(np.int64, copy=False)
            self._sorted = hashes[rows], rows
        return self._sorted


class IdIndex:
    """Looks up ids in the two files of an :class:`IdIndexBuilder`; safe to share between threads.

    Parameters
    ----------
    hashes_path, rows_path
        The files.
    read_ids
        Gives the stored ids of some rows, such as ``partial(columns.texts, "id")``.
    expected_rows
        The number of rows that the manifest states; ``None`` skips the check.
    live
        Which rows can be found, one boolean a row; ``None`` finds all. An id may be that of several
        rows, of which at most one is live.

    Raises
    ------
    CorpusCorruptError
        A file is missing, no such array, or of another length.
    """

    def __init__(
        self,
        hashes_path: FileName,
        rows_path: FileName,
        read_ids: ReadIds,
        *,
        expected_rows: int | None = None,
        live: NDArray[np.bool_] | None = None,
    ) -> None:
        expected = None if expected_rows is None else (expected_rows,)
        self._hashes = open_array(hashes_path, np.uint64, expected)
        self._rows = open_array(rows_path, np.int64, self._hashes.shape)
        self._rows_path = rows_path
        self._read_ids = read_ids
        self._live = live

    def with_live(self, live: NDArray[np.bool_] | None) -> "IdIndex":
        """Return the index of the same files that finds other rows."""
        changed = copy(self)
        changed._live = live  # noqa: SLF001 - of this class
        return changed

    def __len__(self) -> int:
        return len(self._hashes)

    def row(self, identifier: str) -> int | None:
        """Return the row of an id, ``None`` where there is none."""
        found = int(self.rows([identifier])[0])
        return None if found < 0 else found

    def rows(
        self, identifiers: Sequence[str], hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int64]:
        """Return the live row of each id, -1 where there is none. Logarithmic in the rows.

        Parameters
        ----------
        identifiers
            The ids.
        hashes
            Their :func:`id_hashes`, where the caller has them already.
        """
        if hashes is None:
            hashes = id_hashes(identifiers)
        starts = np.searchsorted(self._hashes, hashes, "left")
        there = starts < len(self._hashes)
        there[there] = self._hashes[starts[there]] == hashes[there]
        found = np.full(len(identifiers), -1, np.int64)
        positions = np.flatnonzero(there)
        rows = self._checked(self._rows[starts[positions]])
        stored = self._read_ids(rows.tolist())
        for position, row, identifier in zip(
            positions.tolist(), rows.tolist(), stored, strict=True
        ):
            if identifier == identifiers[position] and self._is_live(row):
                found[position] = row
            else:
                start = int(starts[position])
                found[position] = self._among(identifiers[position], hashes[position], start + 1)
        return found

    def _among(self, identifier: str, value: np.uint64, start: int) -> int:
        """Look through further rows of the same hash."""
        for position in range(start, len(self._hashes)):
            if self._hashes[position] != value:
                break
            row = int(self._checked(self._rows[position : position + 1])[0])
            if self._is_live(row) and self._read_ids([row])[0] == identifier:
                return row
        return -1

    def _is_live(self, row: int) -> bool:
        return self._live is None or bool(self._live[row])

    def _checked(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        outside = (rows < 0) | (rows >= len(self._hashes))
        if outside.any():
            raise CorpusCorruptError(f"{fspath(self._rows_path)}: no row {rows[outside][0]}")
        return rows


def id_hashes(identifiers: Sequence[str]) -> NDArray[np.uint64]:
    """Return the hash of each id.

    A lone surrogate cannot be encoded; no stored id equals its replacement by accident, since texts
    are compared too.
    """
    try:
        texts = pa.array(identifiers, pa.large_string())
    except UnicodeEncodeError:
        encodable = [text.encode("utf-8", "replace").decode() for text in identifiers]
        texts = pa.array(encodable, pa.large_string())
    return hash_texts(texts)


def find_duplicates(
    hashes: NDArray[np.uint64], rows: NDArray[np.int64], read_ids: ReadIds, limit: int = 5
) -> list[tuple[str, list[int]]]:
    """Return the first ``limit`` repeated ids, by their first row, each with its rows in order.

    Parameters
    ----------
    hashes
        In ascending order.
    rows
        The row of each hash; ascending among equal hashes.
    read_ids
        Gives the stored ids of some rows.
    """
    equal = hashes[1:] == hashes[:-1]
    if not equal.any():
        return []
    starts = np.flatnonzero(equal & ~np.concatenate(([False], equal[:-1])))
    ends = np.flatnonzero(equal & ~np.concatenate((equal[1:], [False]))) + 2
    found: list[tuple[str, list[int]]] = []
    for group in np.argsort(rows[starts], kind="stable"):
        found.extend(_repeated(rows[starts[group] : ends[group]].tolist(), read_ids))
        if len(found) >= limit:
            break
    return sorted(found, key=lambda each: each[1][0])[:limit]


def check_unique(
    builder: IdIndexBuilder, read_ids: ReadIds, describe: Callable[[int], str]
) -> None:
    """Refuse repeated ids.

    Parameters
    ----------
    builder
        Holds the hashes of all ids.
    read_ids
        Gives the stored ids of some rows.
    describe
        Names the place of a row in the input, such as ``RowOrigins.describe``.

    Raises
    ------
    InvalidArgumentError
        An id occurs more than once; names the first few with their rows.
    """
    repeated = builder.duplicates(read_ids)
    if repeated:
        shown = "; ".join(
            f"{identifier!r} in {', '.join(describe(row) for row in rows[:3])}"
            + (f" and {len(rows) - 3} more" if len(rows) > 3 else "")
            for identifier, rows in repeated
        )
        raise InvalidArgumentError(f"id: expected every id once, found {shown}")


def _repeated(rows: list[int], read_ids: ReadIds) -> Iterable[tuple[str, list[int]]]:
    """Return the ids that occur more than once among rows with equal hashes."""
    by_id: dict[str, list[int]] = {}
    for row, identifier in zip(rows, read_ids(rows), strict=True):
        by_id.setdefault(str(identifier), []).append(row)
    return [(identifier, found) for identifier, found in by_id.items() if len(found) > 1]

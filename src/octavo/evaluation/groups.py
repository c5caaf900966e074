"""Rows that belong to queries, brought together query by query."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray, compute
from octavo.columns.place import Place
from octavo.columns.text import as_ids
from octavo.errors import InvalidArgumentError

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Texts as numbers.

    Parameters
    ----------
    texts
        The distinct texts in order of first appearance.
    codes
        For each row the position of its text, int64.
    """

    texts: pa.LargeStringArray
    codes: Counts

    @staticmethod
    def of(texts: ChunkedArray) -> "Coded":
        """Give the texts of a column numbers."""
        encoded: Any = texts.combine_chunks().dictionary_encode()
        return Coded(encoded.dictionary, np.asarray(encoded.indices, np.int64))

    def text(self, row: int) -> str:
        """Return the text of a row."""
        return str(self.texts[int(self.codes[row])])

    def byte_order(self, rows: Counts) -> Counts:
        """Return where the text of each of some rows stands among theirs, in the order of bytes.

        UTF-8 keeps the order of code points, so this is the order of Python's strings too.
        """
        used, which = np.unique(self.codes[rows], return_inverse=True)
        places = np.empty(len(used), np.int64)
        texts = self.texts.take(used)
        places[np.asarray(compute.array_sort_indices(texts))] = np.arange(len(used))
        return places[which]


def strings(texts: pa.LargeStringArray) -> list[str]:
    """Return texts without nulls as strings."""
    return cast("list[str]", texts.to_pylist())


def offsets_of(groups: Counts, count: int) -> Counts:
    """Return where each of ``count`` groups begins in rows sorted by group, and the end last."""
    sizes = np.bincount(groups, minlength=count)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def checked_ids(column: Array, place: Place) -> pa.LargeStringArray:
    """Read a column of ids, none of them null, empty or with a NUL character, at which C ends text.

    Raises
    ------
    InvalidArgumentError
        The message names the rows or lines.
    """
    ids = as_ids(column, place)
    empty = compute.fill_null(compute.equal(compute.binary_length(ids), 0), True)  # noqa: FBT003
    rows = np.flatnonzero(np.asarray(empty))
    if len(rows):
        found = "null" if ids[int(rows[0])].as_py() is None else "an empty one"
        raise InvalidArgumentError(
            f"{place}: expected an id in each row, found {found} in {place.rows(rows)}"
        )
    cut = np.flatnonzero(np.asarray(compute.match_substring(ids, "\0")))
    if len(cut):
        raise InvalidArgumentError(
            f"{place}: expected ids without NUL characters, found "
            f"{ids[int(cut[0])].as_py()!r} in {place.rows(cut)}"
        )
    return ids


def first_repeat(queries: Counts, documents: Counts) -> int | None:
    """Return the later row of a pair that repeats, the first such row; ``None`` without one."""
    pairs = queries * (int(documents.max(initial=0)) + 1) + documents
    if (np.diff(np.sort(pairs)) != 0).all():
        return None
    order = np.argsort(pairs, kind="stable")  # so each row follows its like
    return int(order[1:][np.diff(pairs[order]) == 0].min())

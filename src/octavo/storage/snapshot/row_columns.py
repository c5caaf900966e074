"""Values at some rows of many record batches, as one Arrow array."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array
from octavo.columns.documents_file import METADATA_PREFIX
from octavo.errors import CorpusCorruptError

Rows = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class StoredBatch:
    """Consecutive documents of one segment.

    Parameters
    ----------
    batch
        As a documents file has it.
    dictionary
        Gives the values of a metadata key in code order.
    checked
        Whether Arrow's kernels may be trusted with it: not with what a file holds, before it was
        looked at once.
    """

    batch: pa.RecordBatch
    dictionary: Callable[[str], pa.LargeStringArray]
    checked: bool

    def taken(self, name: str, rows: Rows) -> Array:
        """Return the values of a column at some of its rows.

        Raises
        ------
        CorpusCorruptError
            The stored values are damaged.
        """
        try:
            if not self.checked:
                self.batch.validate(full=True)
                self.checked = True
            if name not in self.batch.schema.names:
                return pa.nulls(len(rows), pa.large_string())
            values: Any = self.batch.column(name).take(rows)
            if name.startswith(METADATA_PREFIX):
                values = self.dictionary(name.removeprefix(METADATA_PREFIX)).take(values)
        except pa.ArrowException as error:
            raise CorpusCorruptError(f"documents: column {name!r}: {error}") from error
        found: Array = values
        return found


def taken(batches: Sequence[StoredBatch], name: str, rows: Rows) -> Array:
    """Return the values of a column at ``rows``, which count through all batches in order.

    Metadata comes as text. Linear in the rows; each batch is read once.
    """
    starts = np.cumsum([0, *(each.batch.num_rows for each in batches)])
    owners = np.searchsorted(starts, rows, side="right") - 1
    order = np.argsort(owners, kind="stable")
    pieces = []
    for number in np.unique(owners).tolist():
        mine = order[slice(*np.searchsorted(owners[order], (number, number + 1)).tolist())]
        pieces.append(batches[number].taken(name, rows[mine] - starts[number]))
    if not pieces:
        return pa.nulls(0, pa.large_string())
    joined: Array = pa.concat_arrays(pieces)
    if bool((order[1:] > order[:-1]).all()):
        return joined
    places = np.empty(len(rows), np.int64)
    places[order] = np.arange(len(rows))
    reordered: Array = joined.take(places)
    return reordered

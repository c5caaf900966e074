"""The columns of a table of results as checked arrays."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from octavo.columns.place import Place
from octavo.errors import InvalidArgumentError

Rows: TypeAlias = pa.Table | pa.RecordBatch

_MOST = 2**53  # counts beyond it would not survive as JSON numbers


@dataclass(frozen=True, slots=True, eq=False)
class HitColumns:
    """Some hits, a row each, whose columns are read by name.

    Numbers may come as text, as they do from JSON lines.

    Parameters
    ----------
    rows
        The hits.
    origin
        What messages call where they come from.
    first_row
        The number of the first hit there, from 0.
    """

    rows: Rows
    origin: str = "table"
    first_row: int = 0

    def __len__(self) -> int:
        return self.rows.num_rows

    def numbers(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return finite or infinite numbers, 0 where there is none, and where there is one.

        Raises
        ------
        InvalidArgumentError
            The column is missing or no number, or a value is NaN.
        """
        column = self._cast(name, pa.float64())
        present = column.is_valid().to_numpy(zero_copy_only=False)
        values = column.fill_null(0.0).to_numpy(zero_copy_only=False)
        self._refuse(name, np.isnan(values), "a number", values)
        return values, present

    def all_numbers(self, name: str) -> NDArray[np.float64]:
        """Return the numbers of a column without nulls; raises as :meth:`numbers` does."""
        values, present = self.numbers(name)
        self._refuse_null(name, present)
        return values

    def counts(self, name: str, lowest: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return integers from ``lowest`` to 2**53, 0 where there is none, and where there is one.

        Raises
        ------
        InvalidArgumentError
            The column is missing, or a value is something else.
        """
        column = self._cast(name, pa.int64())
        present = column.is_valid().to_numpy(zero_copy_only=False)
        values = column.fill_null(0).to_numpy(zero_copy_only=False)
        wrong = present & ((values < lowest) | (values > _MOST))
        self._refuse(name, wrong, f"an integer of at least {lowest}, at most 2**53", values)
        return values, present

    def all_counts(self, name: str, lowest: int) -> NDArray[np.int64]:
        """Return the integers of a column without nulls; raises as :meth:`counts` does."""
        values, present = self.counts(name, lowest)
        self._refuse_null(name, present)
        return values

    def count_lists(self, name: str) -> NDArray[np.int64]:
        """Return lists of counts from 1 as a matrix, a line a hit; 0 where a list holds none.

        Raises
        ------
        InvalidArgumentError
            The column is missing or holds something else.
        """
        column: Any = self._column(name)
        kind = column.type
        if pa.types.is_null(kind) and len(column) == 0:
            return np.zeros((0, 0), np.int64)
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
            raise self._wrong(name, "lists of integers", str(kind))
        self._refuse_null(name, column.is_valid().to_numpy(zero_copy_only=False))
        lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False).astype(np.int64)
        flat = HitColumns(pa.table({name: column.flatten()}), self.origin, self.first_row)
        values = flat.counts(name, 1)[0]
        matrix = np.zeros((len(column), int(lengths.max(initial=0))), np.int64)
        matrix[np.arange(matrix.shape[1]) < lengths[:, None]] = values
        return matrix

    def texts(self, name: str) -> "pa.Array[Any]":
        """Return a column without nulls as large strings; numbers as text.

        Raises
        ------
        InvalidArgumentError
            The column is missing, or holds null or something that is no text.
        """
        column = self._cast(name, pa.large_string())
        if column.null_count:
            self._refuse_null(name, column.is_valid().to_numpy(zero_copy_only=False))
        return column

    def take(self, positions: NDArray[np.int64]) -> "HitColumns":
        """Return the hits at ``positions``."""
        return HitColumns(self.rows.take(positions), self.origin, self.first_row)

    def with_column(self, name: str, other: "HitColumns") -> "HitColumns":
        """Return the hits with a column of ``other``, which has as many.

        Raises
        ------
        InvalidArgumentError
            One of the two has no such column.
        """
        self._column(name)
        place = self.rows.schema.get_field_index(name)
        table = pa.table(self.rows.columns, names=self.rows.schema.names)
        changed = table.set_column(place, name, other._column(name))  # noqa: SLF001 - its own kind
        return HitColumns(changed, self.origin, self.first_row)

    def _column(self, name: str) -> "pa.Array[Any]":
        if self.rows.schema.names.count(name) > 1:
            raise self._wrong(name, "one column", "several of that name")
        if name not in self.rows.schema.names:
            raise InvalidArgumentError(
                f"{self.origin}: expected a column {name!r}, found {', '.join(self.rows.schema.names)}"
            )
        column: Any = self.rows.column(name)
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column

    def _cast(self, name: str, kind: pa.DataType) -> "pa.Array[Any]":
        column = self._column(name)
        if pa.types.is_boolean(column.type):
            raise self._wrong(name, str(kind), "bool")
        try:
            cast: pa.Array[Any] = column.cast(kind)
        except pa.ArrowException as error:
            raise self._wrong(name, str(kind), f"{column.type} ({error})") from error
        return cast

    def _refuse_null(self, name: str, present: NDArray[np.bool_]) -> None:
        missing = np.flatnonzero(~present)
        if len(missing):
            place = Place(name, self.origin, self.first_row)
            raise InvalidArgumentError(
                f"{place}: expected a value for every hit, found null in {place.rows(missing)}"
            )

    def _refuse(self, name: str, wrong: NDArray[np.bool_], expected: str, values: Any) -> None:  # noqa: ANN401 - an array
        found = np.flatnonzero(wrong)
        if len(found):
            place = Place(name, self.origin, self.first_row)
            raise InvalidArgumentError(
                f"{place}: expected {expected}, found {values[found[0]]} in {place.rows(found)}"
            )

    def _wrong(self, name: str, expected: str, found: str) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"{Place(name, self.origin)}: expected {expected}, found {found}"
        )

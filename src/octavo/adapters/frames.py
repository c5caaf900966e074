"""Results in data frames and SQL: the same Arrow buffers, handed over (extras ``polars``, ``pandas``, ``duckdb``)."""

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from octavo.importing import optional

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl


def to_polars(table: pa.Table) -> "pl.DataFrame":
    """Return a polars frame over the buffers of a table, such as :meth:`Corpus.search_batch` gives.

    Nothing is copied but what polars keeps otherwise than Arrow: of text, 16 bytes a value.
    """
    library: Any = optional("polars", "polars", "to_polars")
    frame: pl.DataFrame = library.from_arrow(table, rechunk=False)
    return frame


def to_pandas(table: pa.Table) -> "pd.DataFrame":
    """Return a pandas frame whose columns are those of a table, with pandas' Arrow types.

    That holds for a table that pandas made, too: what was its index is a column.

    Nothing is copied, and a missing value stays one (``pandas.NA``): integers with nulls stay
    integers.
    """
    library: Any = optional("pandas", "pandas", "to_pandas")
    frame: pd.DataFrame = table.to_pandas(types_mapper=library.ArrowDtype, ignore_metadata=True)
    return frame


def to_duckdb(
    table: pa.Table, connection: "duckdb.DuckDBPyConnection | None" = None
) -> "duckdb.DuckDBPyRelation":
    """Return a relation of DuckDB that reads the buffers of a table when it is asked.

    Parameters
    ----------
    table
        Kept alive by the relation.
    connection
        Where the relation is made; ``None``: DuckDB's default one.
    """
    library: Any = optional("duckdb", "duckdb", "to_duckdb")
    made_in = library.default_connection() if connection is None else connection
    relation: duckdb.DuckDBPyRelation = made_in.from_arrow(table)
    return relation

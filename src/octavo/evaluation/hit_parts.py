"""What the scores of some queries' hits are made of, from the results that a run came from."""

from collections.abc import Collection, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pyarrow as pa

from octavo.columns.arrow_types import Array, compute
from octavo.columns.place import Place
from octavo.columns.sources import Input, input_schema, open_inputs, resolve_inputs
from octavo.columns.text import as_ids
from octavo.evaluation.groups import strings
from octavo.evaluation.layout import chosen_columns, is_table_file
from octavo.evaluation.run import LAYOUT

Parts = Mapping[tuple[str, str], Mapping[str, Any]]
"""The parts of hits by name, for each query and document."""


def hit_parts(results: Input, queries: Collection[str]) -> Parts:
    """Read the parts of the hits of some queries; no other hit is kept in memory.

    Parts are all columns but query, document, rank and score, vectors and structures left out. The
    lines of a TREC run have none.

    Parameters
    ----------
    results
        What :func:`~octavo.evaluation.read_run` has read.
    queries
        Ids of the queries wanted.

    Examples
    --------
    >>> results = pa.table({"query_id": ["q"], "id": ["d"], "score": [0.5], "keyword_rank": [1]})
    >>> hit_parts(results, {"q"})
    {('q', 'd'): {'keyword_rank': 1}}
    """
    if isinstance(results, str | PathLike) and not is_table_file(Path(fspath(results)), LAYOUT):
        return {}
    sources = resolve_inputs(results, LAYOUT.what)
    schema = input_schema(sources)
    chosen = chosen_columns(schema, LAYOUT, sources[0].origin)
    known = chosen["query_id"], chosen["id"]
    names = [
        field.name for field in schema if field.name not in chosen.values() and _is_part(field.type)
    ]
    wanted = pa.array(sorted(queries), pa.large_string())
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for each in open_inputs(sources, columns=(*known, *names)) if names else ():
        query_ids, ids = (
            as_ids(each.batch[name], Place(name, each.origin, each.first_row)) for name in known
        )
        mask = compute.is_in(query_ids, wanted)
        keys = zip(strings(query_ids.filter(mask)), strings(ids.filter(mask)), strict=True)
        parts = [_readable(each.batch[name]).filter(mask) for name in names]
        rows = pa.RecordBatch.from_arrays(parts, names).to_pylist()
        for key, row in zip(keys, rows, strict=True):
            found[key] = {
                name: _number(name, value) for name, value in row.items() if value is not None
            }
    return found


def _is_part(kind: "pa.DataType") -> bool:
    of_numbers = pa.types.is_list(kind) and pa.types.is_integer(kind.value_type)
    return of_numbers or not (pa.types.is_nested(kind) or pa.types.is_binary(kind))


def _readable(column: Array) -> Array:
    """Return points in time as text (of zones, UTC): Arrow's reach beyond those of Python."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp(column.type.unit))
    is_time = pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)
    return column.cast(pa.large_string()) if is_time else column


def _number(name: str, value: object) -> object:
    """Return ranks and scores as numbers, which JSON lines are read without."""
    if not isinstance(value, str) or not name.endswith(("_rank", "_score")):
        return value
    try:
        return int(value) if name.endswith("_rank") else float(value)
    except ValueError:
        return value

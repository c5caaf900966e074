"""Queries to evaluate with, in whatever layout they come."""

import tempfile
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from octavo.batch.query_columns import ID_NAMES, TEXT_NAMES, QueryColumns, choose_query_columns
from octavo.batch.query_stream import QueryStream
from octavo.columns.arrow_types import ChunkedArray, compute
from octavo.columns.files import has_reader
from octavo.columns.sources import Input, input_schema, resolve_inputs
from octavo.columns.vector_notes import noted_model, with_note
from octavo.embeddings.vector_model import VectorModel
from octavo.errors import InvalidArgumentError, SourceLoadingError
from octavo.evaluation.layout import Layout, is_table_file
from octavo.evaluation.qrels import Qrels
from octavo.evaluation.topics import is_topics_file, read_query_lines, read_topics

_IN_FOLDERS: Final = ("queries.jsonl", "queries.jsonl.gz", "queries.parquet", "queries.tsv")
_LAYOUT: Final = Layout("queries", {"id": ID_NAMES, "text": TEXT_NAMES}, {}, "id tab text")


def read_queries(
    source: Input,
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - as in the command
    vector: str | None = None,
) -> pa.Table:
    """Read queries as a table of ``id``, ``text`` and perhaps ``vector``.

    Parameters
    ----------
    source
        TREC topics; BEIR's ``queries.jsonl`` or the folder with it; lines of an id, a tab and a
        text; parquet, Arrow, JSON lines or CSV; or a table in memory.
    text, id, vector
        Column names; ``text`` may also be the part of a topic (``title``, ``desc``, ``narr``). Text
        and id are found among common names where unset, a vector is used only where it is named.

    Raises
    ------
    SourceLoadingError
        The file is missing or not what it should be; names file and line.
    InvalidArgumentError
        A column is missing, or an id is null or repeated.

    Examples
    --------
    >>> read_queries(pa.table({"qid": [7], "question": ["why?"]})).to_pylist()
    [{'id': '7', 'text': 'why?'}]
    """
    read, topics = _read(source, text)
    sources = resolve_inputs(read, "queries")
    requested = QueryColumns("text" if topics else text, id, vector)
    columns = choose_query_columns(input_schema(sources, requested.columns()), requested)
    with tempfile.TemporaryDirectory() as scratch:
        blocks = list(QueryStream(sources, columns, None).blocks(Path(scratch)))
    table: dict[str, ChunkedArray] = {
        "id": pa.chunked_array([block.ids for block in blocks], pa.string()),
        "text": pa.chunked_array([block.queries.texts for block in blocks], pa.string()),
    }
    if vector is not None and blocks:
        vectors = np.concatenate([np.asarray(block.queries.vectors) for block in blocks])
        lists: Any = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        table["vector"] = pa.chunked_array([lists])
    return _noting(pa.table(table), None if vector is None else noted_model(sources, vector))


def judged_queries(queries: pa.Table, qrels: Qrels) -> pa.Table:
    """Return the queries that somebody judged.

    Raises
    ------
    InvalidArgumentError
        There is none.
    """
    judged = qrels.query_ids.cast(pa.string())
    kept = queries.filter(compute.is_in(queries["id"], judged))
    if not len(kept):
        found = repr(queries["id"][0].as_py()) if len(queries) else "no query"
        raise InvalidArgumentError(
            f"queries: expected some that {qrels.origin} judges, such as "
            f"{judged[0].as_py()!r}, found {found}"
        )
    return kept


def _noting(queries: pa.Table, model: VectorModel | None) -> pa.Table:
    """Return queries whose vectors say which model made them, if any does."""
    if model is None or "vector" not in queries.column_names:
        return queries
    schema = with_note(queries.schema, "vector", model.note())
    return pa.Table.from_arrays(queries.columns, schema=schema)


def _read(source: Input, field: str | None) -> tuple[Input | Sequence[Input], bool]:
    """Return what the batch readers can read, and whether its text is already chosen."""
    if not isinstance(source, str | PathLike):
        return source, False
    path = Path(fspath(source))
    if path.is_dir():
        path = _in_folder(path)
    if not path.is_file():
        return str(path), False  # a glob, or nothing: the reader says so
    if not has_reader(str(path)):
        if is_topics_file(path):
            return read_topics(path, field), True
        return read_query_lines(path), True
    return (
        (read_query_lines(path), True) if not is_table_file(path, _LAYOUT) else (str(path), False)
    )


def _in_folder(folder: Path) -> Path:
    for name in _IN_FOLDERS:
        if (folder / name).is_file():
            return folder / name
    raise SourceLoadingError(f"{folder}: expected {' or '.join(_IN_FOLDERS)} in it, found none")

"""A run: for each query the documents that a system found, best first."""

from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.batch import ResultFormat
from octavo.batch.output import write_output
from octavo.batch.result_format import format_of
from octavo.columns.arrow_types import Array
from octavo.columns.numbers import as_numbers, as_whole_numbers
from octavo.columns.place import Place
from octavo.columns.sources import Input
from octavo.errors import InvalidArgumentError
from octavo.evaluation.groups import Coded, checked_ids, offsets_of
from octavo.evaluation.layout import DOCUMENT_ID_NAMES, QUERY_ID_NAMES, Layout, read_pieces
from octavo.evaluation.run_rows import RunRows

Number = TypeVar("Number", np.float64, np.int64)

LAYOUT: Final = Layout(
    what="a run",
    columns={
        "query_id": QUERY_ID_NAMES,
        "id": DOCUMENT_ID_NAMES,
        "score": ("score", "sim", "similarity"),
        "rank": ("rank",),
    },
    lines={6: ("query_id", None, "id", None, "score", None)},
    expected="query Q0 document rank score tag",
    optional=frozenset({"rank"}),
)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Documents found for queries, ragged by offsets, best first.

    Parameters
    ----------
    name
        What reports call the system.
    query_ids
        The queries with results, distinct, in order of first appearance.
    offsets
        int64, one more than queries: the results of query ``q`` are ``offsets[q]:offsets[q + 1]``.
    ids
        The documents.
    scores
        float64; they never rise within a query.
    """

    name: str
    query_ids: pa.LargeStringArray
    offsets: NDArray[np.int64]
    ids: pa.LargeStringArray
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.query_ids)

    def named(self, name: str) -> "Run":
        """Return the run under another name."""
        return replace(self, name=name)

    def table(self) -> pa.Table:
        """Return the columns ``query_id``, ``rank`` from 1, ``id`` and ``score``, a row a hit."""
        sizes = np.diff(self.offsets)
        ranks = np.arange(1, len(self.ids) + 1) - np.repeat(self.offsets[:-1], sizes)
        return pa.table(
            {
                "query_id": self.query_ids.take(np.repeat(np.arange(len(self)), sizes)),
                "rank": pa.array(ranks, pa.int32()),
                "id": self.ids,
                "score": self.scores,
            }
        )


def read_run(source: Input, *, name: str | None = None) -> Run:
    """Read the results of any system.

    Parameters
    ----------
    source
        A TREC run (``query Q0 document rank score tag``); parquet, Arrow, JSON lines or CSV with
        one column each for query, document and score, and perhaps one for the rank (the results of
        ``octavo batch`` are such files); or such a table in memory.
    name
        Unset, the file's name without its ending.

    Notes
    -----
    Of a TREC run trec_eval's order holds: score descending as float32, then document id descending
    by bytes; its column of ranks is not looked at. A table with a column of ranks has their order,
    one without it trec_eval's. Time is O(n log n), about a second for a million rows.

    Raises
    ------
    SourceLoadingError
        The file is missing, or a line is not what it should be; names file and line.
    InvalidArgumentError
        A column is missing or holds something else, a document comes twice for a query, or ranks
        and scores contradict each other.

    Examples
    --------
    >>> table = pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 1.0]})
    >>> read_run(table).ids.to_pylist()
    ['b', 'a']
    """
    is_path = isinstance(source, str | PathLike)
    origin = fspath(source) if is_path else "table"
    queries: list[Array] = []
    ids: list[Array] = []
    scores: list[NDArray[np.float64]] = []
    ranks: list[NDArray[np.int64]] = []
    for piece in read_pieces(source, LAYOUT):
        queries.append(checked_ids(piece.parts["query_id"], piece.place("query_id")))
        ids.append(checked_ids(piece.parts["id"], piece.place("id")))
        place = piece.place("score")
        scores.append(_values(as_numbers(piece.parts["score"], place), place, np.float64))
        if "rank" in piece.parts:
            place = piece.place("rank")
            ranks.append(_values(as_whole_numbers(piece.parts["rank"], place), place, np.int64))
    nothing = np.zeros(0)
    rows = RunRows(
        origin,
        Coded.of(pa.chunked_array(queries, pa.large_string())),
        Coded.of(pa.chunked_array(ids, pa.large_string())),
        np.concatenate([nothing, *scores]),
        np.concatenate(ranks) if ranks else None,
    )
    order = rows.order()
    return Run(
        name or (_stem(Path(origin)) if is_path else "run"),
        rows.queries.texts,
        offsets_of(rows.queries.codes, len(rows.queries.texts)),
        rows.documents.texts.take(rows.documents.codes[order]),
        rows.scores[order],
    )


def write_run(
    run: Run,
    path: str | PathLike[str],
    *,
    format: ResultFormat | str | None = None,  # noqa: A002 - as in batch jobs
) -> None:
    """Write a run as TREC, parquet or JSON lines; read back, it is in the same order.

    A TREC file gets scores that fall strictly, as float32, so that every evaluator ranks it alike:
    a score that would not be below the one before it becomes the next smaller float32, and those
    beyond the range of float32 become the numbers at its end. The other formats keep scores exactly,
    and a column of ranks.

    Parameters
    ----------
    run
        What to write.
    path
        The file to make or replace.
    format
        Unset, what the ending tells.

    Raises
    ------
    InvalidArgumentError
        The format is unknown, a score is not finite, or TREC cannot hold an id, which has white
        space.
    OSError
        The file cannot be written.
    """
    out = Path(path)
    chosen = format_of(out, format)
    _check_scores(run)
    hits = run.table()
    batches = hits.combine_chunks().to_batches()
    for batch in batches:
        chosen.check(batch)
    temporary = out.with_name(f".{out.name}.tmp")
    try:
        write_output(
            batches,
            out,
            temporary=temporary,
            schema=hits.schema,
            format=chosen,
            tag=run.name,
        )
    finally:
        temporary.unlink(missing_ok=True)


def _check_scores(run: Run) -> None:
    wrong = np.flatnonzero(~np.isfinite(run.scores))
    if len(wrong):
        at = int(wrong[0])
        query = int(np.searchsorted(run.offsets, at, side="right")) - 1
        raise InvalidArgumentError(
            f"run {run.name!r}: expected finite scores, found {run.scores[at]} for document "
            f"{run.ids[at].as_py()!r} of query {run.query_ids[query].as_py()!r}"
        )


def _values(numbers: Array, place: Place, kind: type[Number]) -> NDArray[Number]:
    if numbers.null_count:
        missing = np.flatnonzero(np.asarray(numbers.is_null()))
        raise InvalidArgumentError(
            f"{place}: expected a number in each row, found null in {place.rows(missing)}"
        )
    return np.asarray(numbers, kind)


def _stem(path: Path) -> str:
    return path.with_suffix("").stem if path.suffix.lower() == ".gz" else path.stem

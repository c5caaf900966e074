"""Judgements: which documents answer which queries, and how well."""

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray
from octavo.columns.numbers import as_numbers
from octavo.columns.place import Place
from octavo.columns.sources import Input
from octavo.errors import InvalidArgumentError, SourceLoadingError
from octavo.evaluation.groups import Coded, checked_ids, offsets_of
from octavo.evaluation.layout import DOCUMENT_ID_NAMES, QUERY_ID_NAMES, Layout, read_pieces

LAYOUT: Final = Layout(
    what="qrels",
    columns={
        "query_id": QUERY_ID_NAMES,
        "id": DOCUMENT_ID_NAMES,
        "grade": ("grade", "relevance", "rel", "score", "label", "relevance_grade"),
    },
    lines={4: ("query_id", None, "id", "grade"), 3: ("query_id", "id", "grade")},
    expected="query iteration document grade, or query document grade",
)
LARGEST_GRADE: Final = 1_000_000
"""Evaluators count documents by grade in arrays of that size, and their integers overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Judged documents of queries, ragged by offsets.

    Parameters
    ----------
    query_ids
        The judged queries, distinct, in order of first appearance.
    offsets
        int64, one more than queries: the judgements of query ``q`` are
        ``offsets[q]:offsets[q + 1]``.
    ids
        The judged documents.
    grades
        int64; above 0 is relevant.
    origin
        Where they come from, for messages.
    """

    query_ids: pa.LargeStringArray
    offsets: NDArray[np.int64]
    ids: pa.LargeStringArray
    grades: NDArray[np.int64]
    origin: str = "table"

    def __len__(self) -> int:
        return len(self.query_ids)

    @property
    def without_relevant(self) -> int:
        """How many queries have no document with a grade above 0; each counts as zero."""
        relevant = np.concatenate([[0], np.cumsum(self.grades > 0)])
        return int(np.count_nonzero(np.diff(relevant[self.offsets]) == 0))

    def table(self) -> pa.Table:
        """Return the columns ``query_id``, ``id`` and ``grade``, a row a judgement."""
        return pa.table(
            {
                "query_id": self.query_ids.take(_repeated(self.offsets)),
                "id": self.ids,
                "grade": self.grades,
            }
        )


def read_qrels(source: Input, *, split: str | None = None) -> Qrels:
    """Read judgements.

    Parameters
    ----------
    source
        A TREC qrels file (``query iteration document grade``), lines of ``query document grade``,
        BEIR's TSV with a header line, or a folder with ``qrels/*.tsv``; parquet, Arrow, JSON lines
        or CSV with one column each for query, document and grade (common names are found); or such
        a table in memory.
    split
        In a folder, the name of the file to take; unset, the only one, ``test`` or ``qrels``.

    Raises
    ------
    SourceLoadingError
        The file is missing, or a line is not what it should be; names file and line.
    InvalidArgumentError
        A column is missing or holds something else, a document is judged twice with different
        grades, or there is no judgement.

    Examples
    --------
    >>> qrels = read_qrels(pa.table({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [2]}))
    >>> qrels.table().to_pylist()
    [{'query_id': 'q1', 'id': 'd1', 'grade': 2}]
    """
    origin = "table"
    if isinstance(source, str | PathLike):
        path = Path(fspath(source))
        source = _split_file(path, split) if path.is_dir() else path
        origin = str(source)
    queries: list[Array] = []
    ids: list[Array] = []
    grades: list[NDArray[np.int64]] = []
    for piece in read_pieces(source, LAYOUT):
        queries.append(checked_ids(piece.parts["query_id"], piece.place("query_id")))
        ids.append(checked_ids(piece.parts["id"], piece.place("id")))
        grades.append(_grades(piece.parts["grade"], piece.place("grade")))
    if not queries:
        raise InvalidArgumentError(f"{origin}: expected at least one judgement, found none")
    return _grouped(
        pa.chunked_array(queries), pa.chunked_array(ids), np.concatenate(grades), origin
    )


def _split_file(folder: Path, split: str | None) -> Path:
    """Return the file of judgements in a BEIR folder."""
    inner = folder / "qrels"
    files = sorted((inner if inner.is_dir() else folder).glob("*.tsv"))
    named = {path.stem: path for path in files}
    if split is not None and split in named:
        return named[split]
    if split is None and len(named) == 1:
        return files[0]
    for usual in ("test", "qrels") if split is None else ():
        if usual in named:
            return named[usual]
    names = _listed(named) or "no .tsv file"
    wanted = f"{split}.tsv" if split is not None else "test.tsv, qrels.tsv or one single .tsv file"
    raise SourceLoadingError(f"{folder}: expected {wanted} of qrels, found {names}")


def _grades(column: Array, place: Place) -> NDArray[np.int64]:
    numbers = as_numbers(column, place)
    if numbers.null_count:
        missing = np.flatnonzero(np.asarray(numbers.is_null()))
        raise InvalidArgumentError(
            f"{place}: expected a grade in each row, found null in {place.rows(missing)}"
        )
    values: NDArray[np.float64] = numbers.to_numpy(zero_copy_only=False)
    wrong = np.flatnonzero((values != np.rint(values)) | (np.abs(values) > LARGEST_GRADE))
    if len(wrong):
        raise InvalidArgumentError(
            f"{place}: expected whole numbers of at most {LARGEST_GRADE:,}, found {values[wrong[0]]:g} "
            f"in {place.rows(wrong)}"
        )
    return values.astype(np.int64)


def _grouped(
    query_column: ChunkedArray, id_column: ChunkedArray, grades: NDArray[np.int64], origin: str
) -> Qrels:
    queries, documents = Coded.of(query_column), Coded.of(id_column)
    # One judgement, given twice, is one; two grades for one document cannot both hold.
    order = np.lexsort((np.arange(len(grades)), documents.codes, queries.codes))
    same = (np.diff(queries.codes[order]) == 0) & (np.diff(documents.codes[order]) == 0)
    differing = np.flatnonzero(same & (np.diff(grades[order]) != 0))
    if len(differing):
        first, second = order[differing[0]], order[differing[0] + 1]
        raise InvalidArgumentError(
            f"{origin}: expected one grade for a document, found {grades[first]} and "
            f"{grades[second]} for document {documents.text(first)!r} "
            f"of query {queries.text(first)!r}"
        )
    kept = np.sort(order[np.concatenate([[True], ~same])])
    kept = kept[np.argsort(queries.codes[kept], kind="stable")]
    return Qrels(
        queries.texts,
        offsets_of(queries.codes[kept], len(queries.texts)),
        documents.texts.take(documents.codes[kept]),
        grades[kept],
        origin,
    )


def _repeated(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"{name}.tsv" for name in names)

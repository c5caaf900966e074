"""Champion lists of frequent terms in a file beside the postings, so that no query waits for them.

The file belongs to exactly the tantivy segments that it names: scores depend on the number, length
and frequencies of all documents. With other segments it is no error and of no use.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import ChunkedArray, compute
from octavo.engines.keyword.champions import CHAMPIONS, ChampionList
from octavo.engines.keyword.composed import composition, open_composed
from octavo.engines.keyword.documents import StringArray
from octavo.engines.keyword.frequency import document_frequencies
from octavo.engines.keyword.queries import QueryTerm, union
from octavo.engines.keyword.rows import RowSearcher
from octavo.errors import CorpusCorruptError

_FEWEST_DOCUMENTS, _SMALLEST_SHARE = 2_048, 1 / 256  # a rarer term's list is soon made when needed
_MOST_TERMS = 1_024
_SAMPLED_BYTES = 1_000_000
_SEGMENTS = b"octavo.keyword.segments"
_SCHEMA = pa.schema(
    [
        pa.field("term", pa.large_string(), nullable=False),
        pa.field("rows", pa.list_(pa.field("row", pa.int64(), nullable=False), CHAMPIONS)),
        pa.field("scores", pa.list_(pa.field("score", pa.float32(), nullable=False), CHAMPIONS)),
    ]
)


def write_champions(
    path: Path, segments: Sequence[Path], rows: int, analyzed: Iterable[StringArray]
) -> int:
    """Write the lists of the terms that many documents hold; no file if there is no such term.

    Parameters
    ----------
    path
        The file to make.
    segments
        Directories made by :func:`~octavo.engines.keyword.writer.write_segment`, in row order.
    rows
        The number of rows in all of them.
    analyzed
        The analysed text that they were made from, or some of it; frequent terms are found in the
        first megabyte.

    Returns
    -------
    int
        The number of lists.
    """
    searcher = open_composed(segments)
    fewest = max(_FEWEST_DOCUMENTS, int(_SMALLEST_SHARE * rows))
    frequency = document_frequencies(searcher)
    ranked = RowSearcher(searcher, rows, str(path.parent))
    terms, row_lists, score_lists = [], [], []
    for term in _candidates(analyzed):
        if frequency(term) >= fewest:
            best_rows, scores = ranked.top(union([QueryTerm(0, term, 1)]), CHAMPIONS)
            if len(best_rows) == CHAMPIONS:  # else a score has vanished
                terms.append(term)
                row_lists.append(best_rows)
                score_lists.append(scores)
    if terms:
        schema = _SCHEMA.with_metadata({_SEGMENTS: composition(segments)})
        table = pa.table([terms, row_lists, score_lists], schema=schema)
        with pa.ipc.new_file(str(path), schema) as writer:
            writer.write_table(table)
    return len(terms)


def _candidates(analyzed: Iterable[StringArray]) -> list[str]:
    """Return the commonest terms of a sample, in an order that depends on the sample only."""
    counts: Counter[str] = Counter()
    size = 0
    texts = (text for piece in analyzed for text in piece.to_pylist() if text)
    for text in texts:
        counts.update(set(text.split(" ")))
        size += len(text)
        if size >= _SAMPLED_BYTES:
            break
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [term for term, _ in ordered[:_MOST_TERMS]]


def read_champions(path: Path, segments: Sequence[Path], rows: int) -> dict[str, ChampionList]:
    """Return the lists of a file; none if it belongs to other segments or to another octavo.

    Raises
    ------
    CorpusCorruptError
        The file is missing or damaged.
    """
    try:
        with pa.ipc.open_file(pa.BufferReader(path.read_bytes())) as reader:
            made_for = (reader.schema.metadata or {}).get(_SEGMENTS, b"")
            if not reader.schema.equals(_SCHEMA) or made_for != composition(segments).encode():
                return {}
            table = reader.read_all().combine_chunks()
            table.validate(full=True)
    except FileNotFoundError as error:
        raise CorpusCorruptError(f"{path}: the file is missing") from error
    except pa.ArrowException as error:
        raise CorpusCorruptError(f"{path}: expected an Arrow file: {error}") from error
    best_rows = _matrix(table["rows"])
    scores = _matrix(table["scores"]).astype(np.float64)
    falling = bool((scores[:, :-1] >= scores[:, 1:]).all() and (scores > 0).all())
    if not falling or not bool(((best_rows >= 0) & (best_rows < rows)).all()):
        raise CorpusCorruptError(f"{path}: expected rankings of rows below {rows}")
    return {
        str(term): ChampionList(array("q", row.tobytes()), array("d", score.tobytes()))
        for term, row, score in zip(table["term"].to_pylist(), best_rows, scores, strict=True)
    }


def _matrix(column: ChunkedArray) -> NDArray[Any]:
    """Return lists of :data:`CHAMPIONS` values as an array, one line a list."""
    values = compute.list_flatten(column).to_numpy()
    matrix: NDArray[Any] = values.reshape(-1, CHAMPIONS)
    return matrix

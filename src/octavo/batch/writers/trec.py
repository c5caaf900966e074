"""Results as a TREC run that every evaluator ranks alike."""

from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError


class TrecRunWriter:
    """Write ``query Q0 document rank score tag`` lines.

    Evaluators sort a run again by score and break ties in ways of their own (trec_eval holds scores
    as float32 and puts the later document id first), so the scores written are float32 and strictly
    decreasing within a query: a score that would not be below the one before it becomes the next
    smaller float32. Where there is none below the smallest, those before it become larger instead.
    Exact scores are in the other formats.

    Parameters
    ----------
    path
        The file to create.
    tag
        The name of the run: its last column. White space in it becomes ``_``.
    """

    def __init__(self, path: Path, tag: str) -> None:
        # Names of files may hold what UTF-8 cannot.
        self._tag = "_".join(tag.split()).encode("utf-8", "backslashreplace").decode() or "run"
        self._file = path.open("wb")

    def write(self, hits: pa.RecordBatch) -> None:
        """Append a block.

        Raises
        ------
        InvalidArgumentError
            A run cannot hold an id (:func:`check_run_ids`).
        """
        check_run_ids(hits)
        scores = decreasing_scores(hits["score"].to_numpy(), hits["rank"].to_numpy())
        texts = pa.array(scores, pa.float32()).cast(pa.string())  # the shortest that reads back
        columns = [column.to_pylist() for column in (hits["query_id"], hits["id"], hits["rank"])]
        lines = [
            f"{query} Q0 {document} {rank} {score} {self._tag}\n"
            for query, document, rank, score in zip(*columns, texts.to_pylist(), strict=True)
        ]
        self._file.write("".join(lines).encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()


def check_run_ids(hits: pa.RecordBatch) -> None:
    """Refuse ids that a run, whose fields end at white space, cannot hold.

    Raises
    ------
    InvalidArgumentError
        An id is empty, holds white space or NUL, at which C ends text, or begins as a file with a
        byte order mark does.
    """
    for what, column in (("query", "query_id"), ("document", "id")):
        for identifier in hits[column].unique().to_pylist():
            if (
                identifier is None
                or identifier.split() != [identifier]
                or "\0" in identifier
                or identifier.startswith("\ufeff")
            ):
                raise InvalidArgumentError(
                    f"format: a TREC run holds no empty id and none with white space, NUL or a byte "
                    f"order mark, found {what} id {identifier!r}; choose parquet or jsonl"
                )


def decreasing_scores(
    scores: NDArray[np.float64], ranks: NDArray[np.integer]
) -> NDArray[np.float32]:
    """Return float32 scores that fall strictly within each query.

    Parameters
    ----------
    scores
        float64, falling within each query.
    ranks
        The rank of each score; a query begins where it is 1.

    Notes
    -----
    float32 numbers are mapped to integers such that neighbours are neighbours. With those,
    ``y[i] = min(x[i], y[i - 1] - 1)``, which is the running minimum of ``x[i] + i``, less ``i``. No
    score is so low that those after it would find no place above the lowest number.

    Examples
    --------
    >>> decreasing_scores(np.array([0.5, 0.5, 0.5, 7.0]), np.array([1, 2, 3, 1])).tolist()
    [0.5, 0.4999999701976776, 0.4999999403953552, 7.0]
    """
    largest = np.finfo(np.float32).max
    keys = _ordered_keys(np.clip(scores, -largest, largest).astype(np.float32))
    starts = [*np.flatnonzero(ranks == 1).tolist(), len(keys)]
    for start, end in pairwise(starts):
        step = np.arange(end - start)
        falling = np.minimum.accumulate(keys[start:end] + step) - step
        keys[start:end] = np.maximum(falling, _LOWEST_KEY + step[::-1])
    return _from_ordered_keys(keys)


def _ordered_keys(values: NDArray[np.float32]) -> NDArray[np.int64]:
    """Map float32 to integers that sort alike; both zeros become 0."""
    bits = values.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


_LOWEST_KEY: Final = int(_ordered_keys(np.array([np.finfo(np.float32).min]))[0])


def _from_ordered_keys(keys: NDArray[np.int64]) -> NDArray[np.float32]:
    magnitudes = np.abs(keys).astype(np.uint32).view(np.float32)
    return np.where(keys < 0, -magnitudes, magnitudes)

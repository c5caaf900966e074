"""The answer of an OpenAI-compatible embeddings endpoint, taken apart and checked."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from octavo.errors import ExecutionError

SERVER: Final = "the embedding server"


def answered_vectors(answer: object, texts: int) -> NDArray[np.float32]:
    """Return the vectors of an answer in the order of the texts.

    Parameters
    ----------
    answer
        The JSON value: ``{"data": [{"index": 0, "embedding": [...]}, ...]}``. The indices say which
        text each vector is of; without any, they come in order.
    texts
        How many texts were sent.

    Returns
    -------
    numpy.ndarray
        float32[texts, d]; values are not checked.

    Raises
    ------
    ExecutionError
        The answer is something else, or lacks a vector.

    Examples
    --------
    >>> data = [{"index": 1, "embedding": [2.0]}, {"index": 0, "embedding": [1.0]}]
    >>> answered_vectors({"data": data}, 2).tolist()
    [[1.0], [2.0]]
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise ExecutionError(f"{SERVER} broke the protocol: expected a list of embeddings as data")
    if len(data) != texts:
        raise ExecutionError(f"{SERVER}: expected {texts} vectors, found {len(data)}")
    rows = [_numbers(entry.get("embedding")) for entry in _ordered(data)]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise ExecutionError(
            f"{SERVER}: expected vectors of one length, found {min(lengths)} and {max(lengths)}"
        )
    return np.stack(rows)


def _ordered(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [entry.get("index") for entry in data]
    if all(index is None for index in found):
        return data
    by_index = {index: entry for index, entry in zip(found, data, strict=True) if _is_count(index)}
    if by_index.keys() != set(range(len(data))):
        raise ExecutionError(
            f"{SERVER} broke the protocol: expected the indices 0 to {len(data) - 1}, each once"
        )
    return [by_index[index] for index in range(len(data))]


def _is_count(index: object) -> bool:
    return isinstance(index, int) and not isinstance(index, bool)


def _numbers(vector: object) -> NDArray[np.float32]:
    try:
        numbers = np.asarray(vector)
    except ValueError:  # lists of different lengths inside
        numbers = np.asarray("")
    if not isinstance(vector, list) or numbers.ndim != 1 or numbers.dtype.kind not in "fiu":
        raise ExecutionError(f"{SERVER} broke the protocol: expected an embedding of numbers")
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32)

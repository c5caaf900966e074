"""Results as JSON lines, one object a hit."""

import json
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa


class JsonLinesWriter:
    r"""Write one JSON object a hit, UTF-8, its keys in the order of the columns.

    Numbers are the shortest text that reads back to the same float64. A part that a hit does not
    have is ``null``, so every line has the same keys.

    Parameters
    ----------
    path
        The file to create.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")

    def write(self, hits: pa.RecordBatch) -> None:
        """Append a block."""
        lines = [json.dumps(hit, ensure_ascii=False, allow_nan=False) for hit in hits.to_pylist()]
        self._file.write("".join(f"{line}\n" for line in lines).encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

"""What every writer of results does."""

from types import TracebackType
from typing import Protocol, Self

import pyarrow as pa


class ResultWriter(Protocol):
    """Writes blocks of hits, in order, to one file that it created.

    What it writes depends on nothing but the blocks. Leaving the context closes the file; whoever
    made the writer flushes the file to the disk and gives it its final name.
    """

    def write(self, hits: pa.RecordBatch) -> None:
        """Append hits with the columns ``query_id``, ``rank``, ``id``, ``score`` and the parts."""
        ...

    def __enter__(self) -> Self:
        """Return the writer."""
        ...

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Write what is still held back and close the file."""
        ...

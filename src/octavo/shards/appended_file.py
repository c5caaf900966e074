"""Files that are open only while something is added to them, so that there may be many."""

import io
from pathlib import Path
from typing import Any


class AppendedFile(io.RawIOBase):
    """A new file to write to, which holds no descriptor between writes.

    A process may open few files at a time, 256 on some systems.

    Parameters
    ----------
    path
        Where; nothing must be there.
    held
        How many bytes are gathered in memory before they are written.

    Raises
    ------
    OSError
        Something is there, or the disk is full.
    """

    def __init__(self, path: Path, held: int) -> None:
        super().__init__()
        self._path, self._most = path, held
        self._pieces: list[bytes] = []
        self._held = 0
        path.touch(exist_ok=False)

    def writable(self) -> bool:
        """Return whether one can write, which is so."""
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401 - any buffer
        """Add bytes to the end, and return how many."""
        self._pieces.append(bytes(data))
        added = len(self._pieces[-1])
        self._held += added
        if self._held >= self._most:
            self.flush()
        return added

    def flush(self) -> None:
        """Write what was gathered."""
        pieces, self._pieces, self._held = self._pieces, [], 0
        if pieces:
            with self._path.open("ab") as file:
                file.writelines(pieces)

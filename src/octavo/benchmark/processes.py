"""A command as a process of its own: its seconds and its memory, as the system counts them."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from octavo.errors import OctavoError

_INTERVAL = 0.002
_UNITS = 1 if sys.platform == "darwin" else 1024


class CommandFailedError(OctavoError):
    """A measured command ended with an error."""


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """What a process took.

    Parameters
    ----------
    seconds
        From start to end, interpreter and imports included.
    resident
        Most bytes resident at one time; mapped file pages count.
    anonymous
        Most bytes of memory of its own (``RssAnon``), which the system cannot take back; ``None``
        where it does not tell (outside Linux).
    """

    seconds: float
    resident: int
    anonymous: int | None

    @property
    def owned(self) -> int:
        """Anonymous memory where it is known, resident memory where it is not."""
        return self.resident if self.anonymous is None else self.anonymous


def run_python(arguments: Sequence[str | Path]) -> ProcessCost:
    """Run this Python with ``arguments`` and wait for it.

    On Linux memory is read every two milliseconds while it runs: what a parent had resident counts
    in a child's ``ru_maxrss``, so that cannot be used.

    Raises
    ------
    CommandFailedError
        It ends with an error; the message holds what it said.
    """
    command = [sys.executable, *map(str, arguments)]
    resident, anonymous = 0, None
    with TemporaryFile() as complaints:
        started = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - this Python, arguments of ours
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints
        )
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            seen = _memory(status)
            if seen is not None:
                resident = max(resident, seen[0])
                anonymous = max(anonymous or 0, seen[1])
            try:
                process.wait(_INTERVAL)
            except subprocess.TimeoutExpired:
                continue
        seconds = time.perf_counter() - started
        if process.returncode:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip()
            raise CommandFailedError(f"{' '.join(command[1:])} failed: {said[-2000:]}")
    return ProcessCost(seconds, resident or _largest_child(), anonymous)


def _memory(status: Path) -> tuple[int, int] | None:
    """Return peak resident and present anonymous bytes; ``None`` where the system does not tell."""
    try:
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return tuple(int(lines[name].split()[0]) * 1024 for name in ("VmHWM", "RssAnon"))  # type: ignore[return-value]
    except (OSError, KeyError, ValueError):  # no such file, or the process is ending
        return None


def _largest_child() -> int:
    if os.name != "posix":
        return 0
    import resource  # noqa: PLC0415 - not everywhere

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _UNITS

"""One writer at a time, by a lock that the operating system frees when its owner dies."""

import contextlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from octavo.errors import CorpusLockedError
from octavo.storage.layout import LOCK, LOCK_HOLDER


@contextmanager
def writer_lock(index: Path) -> Iterator[None]:
    """Hold the writer's lock of an index.

    The lock's files stay behind and mean nothing by themselves: only the operating system's lock
    counts, so a killed writer never blocks the next.

    Raises
    ------
    CorpusLockedError
        Another process holds it; the message names its pid and for how long.
    """
    import filelock  # noqa: PLC0415 - only writers need it

    holder = index / LOCK_HOLDER
    lock = filelock.FileLock(index / LOCK, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise CorpusLockedError(
            f"{index}: another writer holds the lock{_describe(holder)}"
        ) from None
    try:
        holder.write_text(json.dumps({"pid": os.getpid(), "since": time.time()}))
        yield
    finally:
        lock.release()


def _describe(path: Path) -> str:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        described = json.loads(path.read_text())
        age = max(0.0, time.time() - float(described["since"]))
        return f" (pid {int(described['pid'])}, for {age:.0f} s)"
    return ""

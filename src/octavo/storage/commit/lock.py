"""One writer at a time, by a lock that the operating system frees when its owner dies."""

import contextlib
import errno
import fcntl
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from octavo.errors import CorpusLockedError
from octavo.storage.format.durable import sync_directory
from octavo.storage.format.layout import LOCK, LOCK_HOLDER

_open_locks: dict[int, Path] = {}
"""Descriptors of lock files, and where each was opened; a forked child closes its copies."""
_guard = threading.RLock()
"""Held while the set changes, and while the process forks."""


@contextmanager
def writer_lock(index: Path) -> Iterator[None]:
    """Hold the writer's lock of an index, against other processes and other threads.

    The lock's files stay behind and mean nothing by themselves: only the operating system's lock
    counts, so a killed writer never blocks the next, nor do children that it forked.

    Raises
    ------
    CorpusLockedError
        Another writer holds it; the message names its pid and for how long.
    OSError
        The lock's file cannot be made or opened.
    """
    owner = os.getpid()
    descriptor = _acquire(index)  # nothing between this and the block, where an interrupt can come
    try:
        _describe(index / LOCK_HOLDER)
        yield
    finally:
        if os.getpid() == owner:  # a forked child has closed its copy, and must not unlock
            _close(descriptor)


def check_lock(index: Path) -> None:
    """Check that the lock that this process took of ``index`` is still that of what is there.

    Somebody may have moved the directory away and put another one in its place, or removed the
    file; then another writer may be at work there, and nothing of it must be touched.

    Raises
    ------
    OSError
        It is not.
    """
    path = index / LOCK
    with _guard:
        taken = [descriptor for descriptor, at in _open_locks.items() if at == path]
    if taken and not any(_is_at(path, descriptor) for descriptor in taken):
        raise OSError(
            errno.ESTALE, "moved, replaced or unlocked while it was written to", str(index)
        )


def _acquire(index: Path) -> int:
    path = index / LOCK
    while True:
        descriptor = _open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor):
                return descriptor
        except OSError as error:
            _close(descriptor)
            if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
                raise CorpusLockedError(
                    f"{index}: another writer holds the lock{_described(index / LOCK_HOLDER)}"
                ) from None
            raise OSError(error.errno, error.strerror, str(path)) from error
        except BaseException:
            _close(descriptor)
            raise
        # A failed build removed its directory, and the lock with it, between opening and locking.
        _close(descriptor)


def _open(path: Path) -> int:
    _forget_locks_in_children()
    new = not path.exists()
    with _guard:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        _open_locks[descriptor] = path
    if new:
        # By the lock the remains of a first build are known as octavo's: it must be there first.
        sync_directory(path.parent)
    return descriptor


def _close(descriptor: int) -> None:
    with _guard:
        if descriptor in _open_locks:
            del _open_locks[descriptor]
            # Closing alone would leave it to a child that was forked behind Python's back.
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


def _is_at(path: Path, descriptor: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    return False


@cache
def _forget_locks_in_children() -> None:
    """Have forked children close their copies, or the lock would outlive its owner in them."""
    os.register_at_fork(
        before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_forget_locks
    )


def _forget_locks() -> None:
    for descriptor in _open_locks:
        os.close(descriptor)
    _open_locks.clear()
    _guard.release()


def _describe(path: Path) -> None:
    """Say who holds the lock; a courtesy, so failing to is no failure."""
    with contextlib.suppress(OSError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with open(os.open(path, flags, 0o666), "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(json.dumps({"pid": os.getpid(), "since": time.time()}))


def _described(path: Path) -> str:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, OverflowError):
        described = json.loads(path.read_bytes())
        # The clock may have been set back since.
        age = max(0.0, time.time() - float(described["since"]))
        return f" (pid {int(described['pid'])}, for {age:.0f} s)"
    return ""

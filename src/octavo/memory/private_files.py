"""Directories for files that only one process needs, and that nobody needs after it.

All directories of a process are in one of its own, which it locks. The lock belongs to the
operating system, so what a killed process left is recognised, and removed by the next one.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Lock

_MEMORY = Path("/dev/shm")  # noqa: S108 - only private directories are made in it
_SPARE_BYTES = 32 << 20
_PREFIX = "octavo-memory-"
_LOCK = ".lock"

_homes: dict[tuple[int, Path], Path] = {}
_making = Lock()


def private_directory(size: int) -> Path:
    """Return a new directory for about ``size`` bytes, which goes with the process at the latest.

    Raises
    ------
    OSError
        It cannot be made.
    """
    return Path(tempfile.mkdtemp(dir=_home(place_for(size))))


def place_for(size: int) -> Path:
    """Return the file system in memory if there is one with room, else the system's place.

    A disk would wait for every file to be safe, which these need not be.
    """
    with suppress(OSError):
        room = shutil.disk_usage(_MEMORY).free >= size + _SPARE_BYTES
        if room and os.access(_MEMORY, os.W_OK | os.X_OK):
            return _MEMORY
    return Path(tempfile.gettempdir())


def _home(place: Path) -> Path:
    key = (os.getpid(), place)  # a forked process makes its own
    with _making:
        if key not in _homes or not _homes[key].is_dir():
            _remove_abandoned(place)
            home = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
            atexit.register(_remove_at_exit, home, os.getpid())
            _locked(home)
            _homes[key] = home
        return _homes[key]


def _locked(home: Path) -> None:
    """Lock a directory until the process ends; the open file is the lock."""
    unlocked = home / f"{_LOCK}.new"
    fcntl.flock(os.open(unlocked, os.O_CREAT | os.O_RDWR, 0o600), fcntl.LOCK_EX)
    unlocked.rename(home / _LOCK)  # so nobody sees the file before it is locked


def _remove_abandoned(place: Path) -> None:
    for home in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # another user's, in use, or removed meanwhile
            lock = os.open(home / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(home, ignore_errors=True)
            finally:
                os.close(lock)


def _remove_at_exit(home: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(home, ignore_errors=True)

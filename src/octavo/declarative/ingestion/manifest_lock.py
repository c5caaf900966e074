"""One follower of a manifest at a time: what two read of a changing source could overtake each other.

Without it, the older content could be the last that a corpus is given, and the newer one the last that
the manifest remembers; then nothing would ever read it again.
"""

import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from octavo.declarative.ingestion.failures import UnusableManifestError
from octavo.errors import CorpusLockedError, told

SUFFIX: Final = ".lock"


class ManifestLock:
    """The lock of a manifest's file; the operating system frees it when its process dies.

    Several may hold it by one object, as the sources of one corpus do that are followed together.

    Parameters
    ----------
    path
        The manifest.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(f"{path}{SUFFIX}", timeout=0, thread_local=False)
        self._counting = threading.RLock()  # a holder may be forgotten while it is held

    def held_for(self, holder: object) -> Callable[[], object]:
        """Take the lock for somebody, who is to call what is returned, once, or to be forgotten.

        Raises
        ------
        CorpusLockedError
            It is held elsewhere.
        ExecutionError
            Its file cannot be made.
        """
        try:
            with self._counting:
                self._lock.acquire()
        except Timeout:
            raise CorpusLockedError(
                f"{self._path}: another process, or another manifest of this file, is between reading "
                f"documents and commit"
            ) from None
        except OSError as error:
            raise UnusableManifestError(f"{self._path}: {told(error)}") from error
        return weakref.finalize(holder, self._release)

    def _release(self) -> None:
        with self._counting:
            self._lock.release()

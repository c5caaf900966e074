"""Where things are kept that another run may find again."""

import os
import sys
from pathlib import Path


def cache_directory() -> Path:
    """Return octavo's directory for them: ``OCTAVO_CACHE``, else the platform's place for such things."""
    configured = os.environ.get("OCTAVO_CACHE")
    if configured:
        return Path(configured)
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "octavo"
    return Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "octavo"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:  # a container's user may have none
        raise FileNotFoundError(f"{error} Name a directory in OCTAVO_CACHE") from error

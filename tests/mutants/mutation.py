"""Apply a mutant to a copy of the sources and run its test there."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src"
SECONDS = 300


class Outcome(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN: its test did not run"


class MutantError(Exception):
    """The text that a mutant changes is not there, or there more than once."""


def mutated(text, mutant):
    """Return the text of a file after the change."""
    pattern = r"\s+".join(re.escape(word) for word in mutant.before.split())
    found = list(re.finditer(pattern, text))
    if len(found) != 1:
        raise MutantError(
            f"{mutant.rule}, {mutant.file}: expected {mutant.before!r} once, found {len(found)}"
        )
    (match,) = found
    return text[: match.start()] + mutant.after + text[match.end() :]


class Workshop:
    """A copy of the sources that tests import in place of the installed ones."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.sources = self.directory / "src"
        ignored = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
        shutil.copytree(SOURCES, self.sources, ignore=ignored)

    def outcome(self, mutant):
        """Run the mutant's test against the changed copy."""
        path = self.sources / "octavo" / mutant.file
        with _changed(path, mutated(path.read_text(encoding="utf-8"), mutant)):
            done = self.run(mutant.test, jit=not mutant.is_kernel)
        if done.returncode == 1 and "failed" in done.stdout:
            return Outcome.KILLED, done
        return (Outcome.SURVIVED if done.returncode == 0 else Outcome.BROKEN), done

    def run(self, *tests, jit=True):
        """Run tests of the repository against the copy."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.sources),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.directory / "hypothesis"),
            # Kernels that call a changed one would be taken from a cache that knows no better.
            "NUMBA_CACHE_DIR": str(self.directory / "numba"),
            "NUMBA_DISABLE_JIT": "0" if jit else "1",
        }
        return subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )


@contextmanager
def _changed(path, text):
    original = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(original, encoding="utf-8")

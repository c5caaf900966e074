"""Where a run took place: figures mean nothing without it."""

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from octavo.parallel import available_threads
from octavo.version import __version__

_PACKAGES = ("numpy", "pyarrow", "faiss-cpu", "tantivy", "numba")


@dataclass(frozen=True, slots=True)
class Environment:
    """The machine and the versions.

    Parameters
    ----------
    processor, cores, memory
        Its name, the cores that may be used, and bytes of memory (0 where unknown).
    system, python
        Their versions.
    packages
        Versions by package.
    """

    processor: str
    cores: int
    memory: int
    system: str
    python: str
    packages: dict[str, str]

    def __str__(self) -> str:
        versions = ", ".join(f"{name} {found}" for name, found in self.packages.items())
        memory = f", {self.memory / 1e9:.0f} GB" if self.memory else ""
        return (
            f"{self.processor}, {self.cores} cores{memory}; {self.system}, "
            f"Python {self.python}; {versions}"
        )


def this_environment() -> Environment:
    """Return the environment of this process."""
    return Environment(
        processor=_processor(),
        cores=available_threads(),
        memory=_memory(),
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        packages={"octavo": __version__, **{name: _version(name) for name in _PACKAGES}},
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return " ".join(value.split())
    return platform.processor() or platform.machine()


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on every system
        return 0

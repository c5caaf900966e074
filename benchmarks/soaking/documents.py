"""Documents that follow from a number and a version each, and what an index of them must hold."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

GROUP = 25
"""Documents that share a word."""
SHADES = 3
KEPT_STATES = 200
WINDOW, IDLE_SHARE = 10.0, 0.2
"""In each ten seconds the writer rests for two, so that idle searches are timed beside the others."""
COLUMNS: dict[str, Any] = {"metadata": ["lot", "shade"], "embedding": "column:vector"}


def word(prefix: str, number: int) -> str:
    """Return a word of letters only, which no analyser cuts."""
    letters = prefix
    while True:
        number, digit = divmod(number, 26)
        letters += chr(97 + digit)
        if number == 0:
            return letters


@dataclass(frozen=True)
class Documents:
    """How documents are made of a number and a version each.

    Parameters
    ----------
    groups
        How many words are shared by groups of documents.
    dimensions
        Of the vectors.
    """

    groups: int
    dimensions: int

    def text(self, number: int, version: int) -> str:
        """Return the text, always of as many words: BM25 cannot prefer one of a group."""
        own = f"{word('doc', number)} {word('ver', version)}"
        return f"{self.group_word(number)} {own} some words more"

    def group_word(self, number: int) -> str:
        return word("grp", number % self.groups)

    def vectors(self, numbers: np.ndarray, versions: np.ndarray) -> np.ndarray:
        """Return vectors of unit length that look random, float32 of shape (n, dimensions)."""
        seeds = (numbers.astype(np.uint64) << np.uint64(24)) + versions.astype(np.uint64)
        steps = np.arange(1, self.dimensions + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        with np.errstate(over="ignore"):
            mixed = seeds[:, None] * np.uint64(0xD1342543DE82EF95) + steps[None, :]
            for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
                mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
        spread = mixed.astype(np.float64) / 2.0**63 - 1.0
        return (spread / np.linalg.norm(spread, axis=1)[:, None]).astype(np.float32)

    def table(self, numbers: np.ndarray, versions: np.ndarray) -> pa.Table:
        pairs = list(zip(numbers.tolist(), versions.tolist(), strict=True))
        vectors = self.vectors(numbers, versions)
        return pa.table(
            {
                "id": [f"d{number}" for number, _ in pairs],
                "text": [self.text(number, version) for number, version in pairs],
                "lot": [str(number // 10) for number, _ in pairs],
                "shade": [str(version % SHADES) for _, version in pairs],
                "vector": pa.FixedSizeListArray.from_arrays(
                    pa.array(vectors.ravel()), self.dimensions
                ),
            }
        )


class States:
    """A directory of states by generation, each written whole before the commit that makes it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / "states"
        self._acknowledged = directory / "acknowledged"
        self._directory.mkdir(exist_ok=True)

    def publish(self, generation: int, numbers: np.ndarray, versions: np.ndarray) -> None:
        partial = self._directory / "partial.tmp"
        with partial.open("wb") as file:
            np.save(file, np.stack([numbers, versions]))
        partial.replace(self._directory / f"{generation:08d}.npy")
        for old in sorted(self._directory.glob("*.npy"))[:-KEPT_STATES]:
            old.unlink()

    def at(self, generation: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the state of a generation: the newest that is not younger (merges change none)."""
        names = sorted(path.name for path in self._directory.glob("*.npy"))
        (*_, name) = [name for name in names if int(name[:8]) <= generation]
        numbers, versions = np.load(self._directory / name)
        return numbers, versions

    def acknowledge(self, generation: int) -> None:
        partial = self._acknowledged.with_suffix(".tmp")
        partial.write_text(str(generation))
        partial.replace(self._acknowledged)

    def acknowledged(self) -> int:
        return int(self._acknowledged.read_text())


def documents_of(told: argparse.Namespace) -> Documents:
    return Documents(max(1, told.documents // GROUP), told.dimensions)


def resting(seconds: float) -> bool:
    """Whether the writer rests at this time."""
    return seconds % WINDOW < WINDOW * IDLE_SHARE

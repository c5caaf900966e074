"""BM25 quality of the analyser's identifier rules beside simpler and finer ones.

The table of ``docs/analysis.md`` comes from here::

    python benchmarks/identifier_rules.py COLLECTIONS
"""

import argparse
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from hash_embedding_quality import bm25_quality, load, table
from octavo.analysis import Analyzer

COLLECTIONS = ("cranfield", "cisi", "cacm", "peps", "cosqa", "xquad")
WORD = re.compile(r"[^\W_]+")
CAMEL = re.compile(
    "(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z]([a-rt-z]|s[a-z]))"
)
DIGITS = re.compile("(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
JOINERS = re.compile("[._]")


@dataclass(frozen=True)
class Rules:
    """Other rules behind the one method that the benchmark needs of an analyser."""

    tokens: Callable[[str], list[str]]

    def analyze_batch(self, texts: pa.ChunkedArray) -> pa.LargeStringArray:
        joined = [" ".join(self.tokens(text or "")) for text in texts.to_pylist()]
        return pa.array(joined, pa.large_string())


def without_compounds(text: str) -> list[str]:
    return [token for token in Analyzer().tokens(text) if not JOINERS.search(token)]


def words_only(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]


def with_underscores(text: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"\w+", text)]


def camel_parts_only(text: str) -> list[str]:
    return [
        text[begin:end].casefold()
        for word in WORD.finditer(text)
        for begin, end in _parts(text, word)
    ]


def _parts(text: str, word: re.Match[str]) -> list[tuple[int, int]]:
    cuts = [cut.start() for cut in CAMEL.finditer(text, word.start(), word.end())]
    bounds = [word.start(), *cuts, word.end()]
    return list(itertools.pairwise(bounds))


def letters_from_digits(text: str) -> list[str]:
    found = []
    for token in Analyzer().tokens(text):
        parts = [] if JOINERS.search(token) else DIGITS.split(token)
        found += [token, *(parts if len(parts) > 1 else [])]
    return found


RULES = {
    "as shipped": Analyzer().tokens,
    "without compounds": without_compounds,
    "words only, no camel parts": words_only,
    r"`\w+` with the underscores": with_underscores,
    "camel parts without the word": camel_parts_only,
    "letters and digits parted too": letters_from_digits,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", type=Path)
    folder = parser.parse_args().collections
    lines = []
    for name, tokens in RULES.items():
        loaded = [load(folder / collection, Rules(tokens)) for collection in COLLECTIONS]
        lines.append((name, [bm25_quality(collection) for collection in loaded]))
    table("BM25, nDCG at 10", list(COLLECTIONS), lines)


if __name__ == "__main__":
    main()

"""Block-max postings of small corpora, for tests."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from octavo.engines.keyword.block_max.files import BlockMaxPostings, open_postings
from octavo.engines.keyword.block_max.runs import invert
from octavo.engines.keyword.block_max.writer import write_block_max


def texts(documents: Sequence[Sequence[str]]) -> pa.LargeStringArray:
    return pa.array([" ".join(tokens) for tokens in documents], pa.large_string())


def write(
    directory: Path, documents: Sequence[Sequence[str]], cuts: Sequence[int] = ()
) -> BlockMaxPostings:
    """Write one segment, from as many runs as the cuts make."""
    edges = [0, *sorted(cuts), len(documents)]
    runs = [
        run
        for number, (start, stop) in enumerate(pairwise(edges))
        for run in invert(
            directory / f"run-{number}", [texts(documents[start:stop])], start, 1 << 30
        )
    ]
    write_block_max(directory / "block_max", runs)
    return open_postings(directory / "block_max", len(documents))


def write_segments(
    directory: Path, documents: Sequence[Sequence[str]], cuts: Sequence[int] = ()
) -> list[BlockMaxPostings]:
    """Write one segment for each range of rows between the cuts."""
    edges = [0, *sorted(cuts), len(documents)]
    return [
        write(directory / f"block-max-{number}", documents[start:stop])
        for number, (start, stop) in enumerate(pairwise(edges))
    ]

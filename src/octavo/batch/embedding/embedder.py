"""The vectors of blocks of texts: repeated texts once, blank ones not at all."""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.batch.embedding.distinct_texts import DistinctTexts
from octavo.batch.embedding.row_blocks import RowBlock
from octavo.columns.arrow_types import Array
from octavo.embeddings.protocol import (
    EmbeddingFunction,
    embed_blocks,
    embed_queries,
    embed_texts,
)
from octavo.engines.report import SearchReport
from octavo.errors import OctavoError
from octavo.kernels.unit_length import unit_length

EMBEDDED = "texts embedded"
REPEATED = "repeated texts"
BLANK = "rows without text"

_PROBE = "octavo"


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedBlock:
    """Rows, a vector each, null where the text is blank, and what that took."""

    block: RowBlock
    vectors: Array
    report: SearchReport


@dataclass(frozen=True, slots=True)
class Embedder:
    """Embeds blocks of texts.

    A block's vectors depend on nothing but its texts, so that a job that was stopped goes on as if
    it had not been.

    Parameters
    ----------
    function
        The embedding function.
    queries
        Whether texts are queries.
    unit_length
        Whether vectors are scaled to length 1.
    max_characters
        How much of a text is embedded; ``None``: all.
    dimensions
        Values of each vector.
    """

    function: EmbeddingFunction
    queries: bool
    unit_length: bool
    max_characters: int | None = None
    dimensions: int | None = None

    def probed(self) -> int:
        """Return how many values a vector has, by embedding a word.

        So a model that cannot be had, or a key that is wrong, is noticed before anything is read.
        """
        embed = embed_queries if self.queries else embed_texts
        return int(embed(self.function, [_PROBE]).shape[1])

    def embedded(
        self, blocks: Iterable[RowBlock], describe: Callable[[int], str]
    ) -> Generator[EmbeddedBlock, None, None]:
        """Yield blocks with their vectors, in order; as many are under way as the function wants.

        Parameters
        ----------
        blocks
            Rows with their texts.
        describe
            Says where a row came from, by its number among all; for messages.

        Raises
        ------
        OctavoError
            What the function raised, or vectors that are not as S42 wants them.
        """
        taken: deque[DistinctTexts] = deque()

        def texts() -> Iterator[pa.LargeStringArray]:
            for block in blocks:
                taken.append(DistinctTexts.of(block, self.max_characters))
                yield taken[-1].texts

        done = 0
        try:
            for vectors in embed_blocks(
                self.function, texts(), queries=self.queries, dimensions=self.dimensions
            ):
                block = taken.popleft()
                done += len(block.texts)
                yield self._finished(block, vectors)
        except OctavoError as error:
            if error.texts is not None:
                _tell_rows(error, error.texts, done, taken, describe)
            raise

    def type(self) -> pa.DataType:
        """Return the type of the vectors."""
        return pa.list_(pa.float32(), self.dimensions or 0)

    def _finished(self, texts: DistinctTexts, vectors: NDArray[np.float32]) -> EmbeddedBlock:
        scaled = unit_length(vectors) if self.unit_length and len(vectors) else vectors
        spoken, rows = len(texts.numbers), len(texts.block)
        counted = {
            EMBEDDED: len(texts.texts),
            REPEATED: spoken - len(texts.texts),
            BLANK: rows - spoken,
        }
        lists = texts.spread(scaled).cast(self.type())
        return EmbeddedBlock(texts.block, lists, SearchReport(counters=Counter(counted)))


def _tell_rows(
    error: OctavoError,
    texts: range,
    done: int,
    taken: Iterable[DistinctTexts],
    describe: Callable[[int], str],
) -> None:
    """Add to an error of which rows the texts are that it concerns, of blocks behind ``done`` texts."""
    rows: list[int] = []
    for block in taken:
        found = block.rows(range(texts.start - done, texts.stop - done))
        rows += [block.block.first_row + int(row) for row in found]
        done += len(block.texts)
    if rows:
        first, last = describe(min(rows)), describe(max(rows))
        error.args = (f"{error} ({first if first == last else f'{first} to {last}'})",)

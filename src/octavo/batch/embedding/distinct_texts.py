"""The texts of a block that a model is asked for, and which rows each of them is of."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.batch.embedding.row_blocks import RowBlock
from octavo.columns.arrow_types import Array, compute
from octavo.columns.text import blank_rows


@dataclass(frozen=True, slots=True, eq=False)
class DistinctTexts:
    """The texts of a block, each once.

    Parameters
    ----------
    block
        The rows.
    texts
        Their texts, without repetitions and blank ones.
    present
        bool[rows]: whether a row has a text.
    numbers
        For each row that has one, which of the texts it is.
    """

    block: RowBlock
    texts: pa.LargeStringArray
    present: NDArray[np.bool_]
    numbers: NDArray[np.integer[Any]]

    @staticmethod
    def of(block: RowBlock, max_characters: int | None) -> "DistinctTexts":
        """Return those of a block, cut to so many characters."""
        texts = block.texts
        if max_characters is not None:
            texts = compute.utf8_slice_codeunits(texts, 0, max_characters)
        present = np.ones(len(block), np.bool_)
        present[blank_rows(texts)] = False
        spoken: Any = texts.filter(pa.array(present)).dictionary_encode()
        return DistinctTexts(block, spoken.dictionary, present, spoken.indices.to_numpy())

    def rows(self, texts: range) -> NDArray[np.intp]:
        """Return which rows of the block have one of some texts, by the texts' numbers."""
        wanted = (self.numbers >= texts.start) & (self.numbers < texts.stop)
        return np.flatnonzero(self.present)[wanted]

    def spread(self, vectors: NDArray[np.float32]) -> Array:
        """Return a vector for each row from one for each text; null where there is no text.

        Parameters
        ----------
        vectors
            float32[texts, d].
        """
        dimensions = vectors.shape[1]
        rows = np.zeros((len(self.block), dimensions), np.float32)
        rows[self.present] = vectors[self.numbers]
        values: Any = pa.array(rows.reshape(-1))
        lists: Array = pa.FixedSizeListArray.from_arrays(
            values, dimensions, mask=pa.array(~self.present)
        )
        return lists

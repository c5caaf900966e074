"""The vectors of a block of texts: repeated texts once, blank ones not at all."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, compute
from octavo.columns.text import blank_rows
from octavo.embeddings.protocol import EmbeddingFunction, embed_queries, embed_texts
from octavo.engines.report import SearchReport
from octavo.kernels.unit_length import unit_length

EMBEDDED = "texts embedded"
REPEATED = "repeated texts"
BLANK = "rows without text"

_PROBE = "octavo"


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
        return int(self._embed(pa.array([_PROBE], pa.large_string())).shape[1])

    def vectors(self, texts: pa.LargeStringArray) -> tuple[Array, SearchReport]:
        """Return a fixed-size list of float32 a text, null where it is blank, and what it took.

        Raises
        ------
        OctavoError
            What the function raised, or vectors that are not as S42 wants them.
        """
        rows = len(texts)
        if self.max_characters is not None:
            texts = compute.utf8_slice_codeunits(texts, 0, self.max_characters)
        present = np.ones(rows, np.bool_)
        present[blank_rows(texts)] = False
        spoken: Any = texts.filter(pa.array(present)).dictionary_encode()
        distinct: pa.LargeStringArray = spoken.dictionary
        vectors = np.zeros((rows, self.dimensions or 0), np.float32)
        if len(distinct):
            vectors[present] = self._embed(distinct)[spoken.indices.to_numpy()]
        counted = {
            EMBEDDED: len(distinct),
            REPEATED: len(spoken) - len(distinct),
            BLANK: rows - len(spoken),
        }
        values: Any = pa.array(vectors.reshape(-1))
        lists: Array = pa.FixedSizeListArray.from_arrays(
            values, self.dimensions or 0, mask=pa.array(~present)
        )
        return lists.cast(self.type()), SearchReport(counters=Counter(counted))

    def type(self) -> pa.DataType:
        """Return the type of the vectors."""
        return pa.list_(pa.float32(), self.dimensions or 0)

    def _embed(self, texts: pa.LargeStringArray) -> NDArray[np.float32]:
        embed = embed_queries if self.queries else embed_texts
        vectors = embed(self.function, texts, dimensions=self.dimensions)
        return unit_length(vectors) if self.unit_length else vectors

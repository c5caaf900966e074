"""Texts cut into the requests of a server, and the vectors of all of them from the answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.embeddings.embeddings_answer import SERVER
from octavo.embeddings.model_embedding import encodable_texts
from octavo.errors import ExecutionError

REQUEST_CHARACTERS: Final = 200_000
"""OpenAI takes 300,000 tokens a request; few scripts need more than one for a character."""


@dataclass(frozen=True, slots=True)
class RequestBounds:
    """The most texts of a request, and the most characters of several."""

    texts: int
    characters: int = REQUEST_CHARACTERS


@dataclass(frozen=True, slots=True, eq=False)
class TextBatch:
    """The texts of one request, and where they are among all texts: ``places`` spans them."""

    texts: list[str]
    places: range


@dataclass(frozen=True, slots=True, eq=False)
class TextBatches:
    """Texts in requests; blank ones, which servers refuse, are in none.

    Parameters
    ----------
    rows
        The number of texts.
    spoken
        The positions of those that are not blank.
    batches
        These texts, cut.
    """

    rows: int
    spoken: list[int]
    batches: list[TextBatch]

    @staticmethod
    def of(
        texts: Sequence[str], prompt: object, bounds: RequestBounds, first: int = 0
    ) -> "TextBatches":
        """Cut texts into requests of at most so many, each text behind a prompt.

        Parameters
        ----------
        texts
            Some of all texts.
        prompt
            Put before each.
        bounds
            How much a request may have.
        first
            The place of the first text among all.
        """
        spoken = [position for position, text in enumerate(texts) if text.strip()]
        sent = encodable_texts([texts[position] for position in spoken], prompt)
        if not sent and texts:
            sent = ["blank"]  # the vector of some word tells how many values a zero vector has
        batches = []
        done = 0
        for batch in _cut(sent, bounds):
            places = spoken[done : done + len(batch)] or [0]
            batches.append(TextBatch(batch, range(first + places[0], first + places[-1] + 1)))
            done += len(batch)
        return TextBatches(len(texts), spoken, batches)

    def joined(self, found: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the vectors of all texts from those of each request; zero for blank ones.

        Raises
        ------
        ExecutionError
            The answers differ in how many values a vector has.
        """
        lengths = {part.shape[1] for part in found}
        if len(lengths) > 1:
            raise ExecutionError(
                f"{SERVER}: expected vectors of one length, found {min(lengths)} and {max(lengths)}"
            )
        vectors = np.zeros((self.rows, lengths.pop()), np.float32)
        vectors[self.spoken] = np.concatenate(found)[: len(self.spoken)]
        return vectors


def _cut(texts: list[str], bounds: RequestBounds) -> Iterator[list[str]]:
    """Yield requests of so many texts, fewer where they are long; one without texts if there are none."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == bounds.texts or characters + len(text) > bounds.characters):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    yield batch

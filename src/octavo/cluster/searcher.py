"""What a worker holds: an index, opened by itself, and the settings of a job."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from octavo.batch.answer import AnsweredBlock, SearchSettings, answer
from octavo.corpus.searchable import SearchableCorpus
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.errors import CorpusFormatError
from octavo.shards.opening import open_index
from octavo.strategies.columnar import ColumnarStrategy


@dataclass(frozen=True, slots=True)
class IndexState:
    """A state of an index that other processes are to open.

    Parameters
    ----------
    path
        A directory that every machine sees under this name.
    fingerprint
        Of the state; a worker that finds another refuses to search.
    embedding
        The caller's own function for query texts, if the corpus was opened with one.
    """

    path: Path
    fingerprint: str
    embedding: EmbeddingFunction | None = None

    @staticmethod
    def of(corpus: SearchableCorpus) -> "IndexState":
        """Return the state that a corpus is in."""
        return IndexState(corpus.path.resolve(), corpus.fingerprint, corpus.embedding_function)

    def open(self) -> SearchableCorpus:
        """Open the index.

        Raises
        ------
        CorpusFormatError, CorpusCorruptError
            It is not there, damaged, or in another state by now.
        """
        corpus = open_index(self.path, embedding=self.embedding)
        if corpus.fingerprint != self.fingerprint:
            raise CorpusFormatError(
                f"{self.path}: changed while the job ran; run it again on the new state"
            )
        return corpus


class Searcher:
    """Answers blocks of queries from its own copy of an opened index: what runs as a Ray actor.

    Parameters
    ----------
    state
        The index.
    settings
        What is asked of it.
    """

    def __init__(self, state: IndexState, settings: SearchSettings) -> None:
        self._state, self._settings = state, settings

    # Opened by the first call: what fails in a constructor reaches the caller as a lost actor.
    @cached_property
    def _strategy(self) -> ColumnarStrategy:
        return self._state.open().strategy(self._settings.strategy, **self._settings.options)

    def answer(self, queries: pa.RecordBatch) -> AnsweredBlock:
        """Answer a block."""
        return answer(self._strategy, self._settings, queries)

"""What a worker holds: an index, opened by itself, and the settings of a job."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from octavo.batch.answer import AnsweredBlock, SearchSettings, answer
from octavo.cluster.parcel import Parcel
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
    sent
        An :class:`IndexState`, and the :class:`SearchSettings` of what is asked of it.
    """

    def __init__(self, sent: Parcel) -> None:
        self._sent = sent

    # Opened by the first call: what fails in a constructor reaches the caller as a lost actor.
    @cached_property
    def _opened(self) -> tuple[ColumnarStrategy, SearchSettings]:
        state, settings = self._sent.open()
        return state.open().strategy(settings.strategy, **settings.options), settings

    def answer(self, queries: pa.RecordBatch) -> AnsweredBlock:
        """Answer a block."""
        strategy, settings = self._opened
        return answer(strategy, settings, queries)

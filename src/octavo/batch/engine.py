"""Where the blocks of a batch job are searched."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Protocol

import pyarrow as pa

from octavo.batch.answer import AnsweredBlock, SearchSettings, answer
from octavo.corpus.searchable import SearchableCorpus
from octavo.parallel import checked_threads, ordered_map


class BatchEngine(Protocol):
    """Searches blocks of queries somewhere; see :class:`LocalEngine`."""

    def search(
        self,
        corpus: SearchableCorpus,
        settings: SearchSettings,
        blocks: Iterable[pa.RecordBatch],
    ) -> Iterator[AnsweredBlock]:
        """Yield what :func:`octavo.batch.answer.answer` gives for each block, in their order.

        Blocks are taken as there is room for them, so that memory holds a bounded number.

        Parameters
        ----------
        corpus
            One state of an index.
        settings
            What is asked of it.
        blocks
            Queries, as :func:`octavo.batch.answer.query_batch` makes them.
        """
        ...


class LocalEngine:
    """Search on threads of this process.

    Parameters
    ----------
    threads
        Unset, one for each processor.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = checked_threads(threads)

    def search(
        self,
        corpus: SearchableCorpus,
        settings: SearchSettings,
        blocks: Iterable[pa.RecordBatch],
    ) -> Iterator[AnsweredBlock]:
        """Yield the answers in the order of the blocks."""
        strategy = corpus.strategy(settings.strategy, **settings.options)
        return ordered_map(partial(answer, strategy, settings), blocks, threads=self._threads)

"""What was written back, searched beside everything else that KEYWORD finds (S76)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.declarative.declarations.write_back import WriteBack
from octavo.declarative.runtime.attribution import KNOWLEDGE
from octavo.declarative.runtime.shared_statistics import rank_beside
from octavo.engines.keyword import KeywordIndex
from octavo.memory.bm25_index import KeywordSnapshot
from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.keyword import KeywordRAGStrategy
from octavo.strategies.queries import Queries

WRITTEN_BACK: Final = "octavo.writtenBack"
"""The metadata key by which a document says that it was written back; its value is ``true``."""

_MARKS: Final = {WRITTEN_BACK: "true", KNOWLEDGE: WriteBack.SOURCE}
_APART: Final = "\0write-back\0"  # an entry is nothing else, whatever its id


class WrittenDocuments:
    """Entries as documents that say that they were written back.

    Parameters
    ----------
    entries
        Those of one scope.
    """

    def __init__(self, entries: KeywordSnapshot) -> None:
        self._entries = entries

    @property
    def rows(self) -> int:
        """The number of entries."""
        return self._entries.rows

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the entries that match every filter."""
        own = dict(filters)
        for key, value in _MARKS.items():
            if own.pop(key, value) != value:
                return Selection.of(np.zeros(self.rows, np.bool_), filters)
        return self._entries.select(own)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which entries come from an allowed source."""
        return self._entries.fence(allowed_sources)

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of entries."""
        return self._entries.ids(rows)

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return what no other document is known by."""
        return [_APART + each for each in self.ids(rows)]

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each identity, -1 where there is none."""
        own = [each[len(_APART) :] if each.startswith(_APART) else "" for each in identities]
        return self._entries.rows_of(own)

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return entries as documents."""
        found = self._entries.documents(rows)
        return [each._replace(metadata={**each.metadata, **_MARKS}) for each in found]


class WrittenStrategy(ColumnarStrategy):
    """Ranks entries by BM25, beside documents that another strategy ranks so.

    Parameters
    ----------
    entries
        The entries of one scope, by their words.
    words
        The words of those documents: they weigh what they weigh in all together, so that scores of a few
        entries can be compared with those of many documents. Without any: what they weigh in the
        entries.
    """

    name = KeywordRAGStrategy.name

    def __init__(self, entries: KeywordSnapshot, words: Sequence[KeywordIndex] = ()) -> None:
        self._entries = entries
        self._documents = WrittenDocuments(entries)
        self._words = words

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank entries alone."""
        entries, depth = self._entries, context.max_results
        selection = self._documents.select(context.metadata_filters)
        tokens = [entries.analyzer.tokens(text) for text in queries.texts]
        hits, _ = rank_beside(entries.index, self._words, tokens, depth, selection)
        return Ranking(hits.at_least(context.min_score), self._documents)

"""A keyword index in memory: BM25 over entries (S21, S31)."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from octavo.analysis import Analyzer
from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.keyword import KeywordIndex
from octavo.engines.report import SearchReport
from octavo.memory.changes import Edit
from octavo.memory.entries import EntrySnapshot, EntryTable
from octavo.memory.entry import MemoryEntry
from octavo.memory.postings import Run, edited_runs, open_runs
from octavo.memory.store import MemoryStore


@dataclass(frozen=True, eq=False)
class KeywordSnapshot(EntrySnapshot):
    """The entries of a :class:`BM25Index` at one time; never changes."""

    analyzer: Analyzer
    runs: Sequence[Run]
    index: KeywordIndex

    def rank_keyword(
        self, texts: Sequence[str], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query by BM25 (S21)."""
        return self.index.search([self.analyzer.tokens(text) for text in texts], depth, selection)


class BM25Index(MemoryStore[str, KeywordSnapshot]):
    """Entries ranked by their words, with the engine, formula and analyser of a corpus.

    Parameters
    ----------
    analyzer
        Turns entries and queries into tokens; by default neither stems nor drops words.

    Notes
    -----
    Results are at all times those of a fresh index of the entries that are there, BM25 statistics
    included. The first search after a change writes what changed: some 10 ms and 10 µs an entry
    added; an entry replaced or removed costs the writing of the entries stored beside it, at most
    16,384 of them or a sixteenth of all. The files are private, kept in memory where the system has
    a file system there, and go with the index.

    Examples
    --------
    >>> from octavo.memory.entry import MemoryTier
    >>> index = BM25Index()
    >>> index.add(MemoryEntry("a", "red fox", MemoryTier.WORKING))
    >>> index.add([MemoryEntry("b", "red red bird", MemoryTier.SEMANTIC)])
    >>> hits, report = index.rank_keyword(["red"], 10, index.select({}))
    >>> index.ids(hits.rows)
    ['b', 'a']
    """

    def __init__(self, *, analyzer: Analyzer | None = None) -> None:
        self._analyzer = Analyzer() if analyzer is None else analyzer
        super().__init__(KeywordSnapshot(EntryTable.of([]), self._analyzer, (), open_runs([])))

    def rank_keyword(
        self, texts: Sequence[str], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query by BM25 (S21)."""
        return self.snapshot().rank_keyword(texts, depth, selection)

    def _prepare(self, entries: Sequence[MemoryEntry]) -> list[str]:
        if len(entries) == 1:
            return [" ".join(self._analyzer.tokens(entries[0].content))]
        encoded = [entry.content.encode("utf-8", "replace") for entry in entries]
        texts = pa.array(encoded, pa.large_binary()).cast(pa.large_string())
        return [text or "" for text in self._analyzer.analyze_batch(texts).to_pylist()]

    def _changed(
        self, before: KeywordSnapshot, table: EntryTable, edit: Edit[str]
    ) -> KeywordSnapshot:
        runs = edited_runs(before.runs, edit)
        return KeywordSnapshot(table, self._analyzer, runs, open_runs(runs))

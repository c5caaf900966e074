"""The keyword engine: batches of analysed queries against one composed tantivy index."""

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.keyword.block_max.files import BlockMaxPostings
from octavo.engines.keyword.collection import CollectionStatistics, CollectionTotals
from octavo.engines.keyword.damage import damage_reported
from octavo.engines.keyword.queries import known_terms
from octavo.engines.keyword.ranking import rank
from octavo.engines.keyword.tantivy_postings import TantivyPostings, open_tantivy
from octavo.engines.report import SearchReport
from octavo.errors import ConfigurationError, InvalidArgumentError

if TYPE_CHECKING:
    from octavo.engines.keyword.block_max.search import BlockMaxSearcher


class KeywordIndex:
    """BM25 over rows; read-only, and safe to share between threads, whose searches run side by side.

    Made by :meth:`open`; the formula is that of :mod:`octavo.engines.keyword.queries`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa
    >>> from octavo.engines.keyword import write_segment
    >>> with tempfile.TemporaryDirectory() as name:
    ...     segment = pathlib.Path(name)
    ...     info = write_segment(segment, [pa.array(["red fox", "red red bird", ""])])
    ...     hits, report = KeywordIndex.open([segment], info.rows).search([["red"]], depth=10)
    >>> hits.rows.tolist(), dict(report.plans)
    ([1, 0], {'keyword: full union': 1})
    """

    def __init__(
        self,
        segments: Sequence[Path],
        rows: int,
        *,
        first_rows: Sequence[int] | None = None,
        scratch: Path | None = None,
        champions: Sequence[Path] = (),
        block_max: Sequence[BlockMaxPostings | None] = (),
    ) -> None:
        self.rows = rows
        """The number of rows, empty documents included."""
        self._where = ", ".join(str(directory) for directory in segments) or "keyword index"
        self._open = partial(
            open_tantivy,
            segments,
            rows,
            self._where,
            first_rows=first_rows,
            scratch=scratch,
            champions=champions,
        )
        found = [postings for postings in block_max if postings is not None]
        self._block_max = found if found and len(found) == len(block_max) else None
        if self._block_max is None:
            _ = self._tantivy  # its files are held from now on

    @cached_property
    def _tantivy(self) -> TantivyPostings:
        return self._open()

    @classmethod
    def open(
        cls,
        segments: Sequence[Path],
        rows: int,
        *,
        first_rows: Sequence[int] | None = None,
        scratch: Path | None = None,
        champions: Sequence[Path] = (),
        block_max: Sequence[BlockMaxPostings | None] = (),
    ) -> "KeywordIndex":
        """Open segment directories, in row order, that hold ``rows`` rows together.

        Takes a few milliseconds whatever the size, and writes nothing beside the files. With
        block-max postings of all rows nothing is opened here: they answer alone.

        Parameters
        ----------
        segments
            Directories made by :func:`~octavo.engines.keyword.writer.write_segment`.
        rows
            The number of rows in all of them.
        first_rows
            For each directory, what is added to the row numbers that it was written with, so that
            files stay as they are when rows before them go; ``None`` adds nothing.
        scratch
            Where a temporary directory of links is made; ``None`` for the system's place.
        champions
            Files made by :func:`~octavo.engines.keyword.champion_file.write_champions`, of which
            those count that were made for just these segments.
        block_max
            The block-max postings of the same rows, in order. Where none is missing they answer
            all searches: with the same hits, faster.

        Raises
        ------
        CorpusCorruptError
            A file is missing or damaged, or the rows are not 0 to ``rows`` - 1.
        CorpusFormatError
            A directory holds a tantivy index of another schema.
        OSError
            No temporary directory can be made.
        """
        return cls(
            segments,
            rows,
            first_rows=first_rows,
            scratch=scratch,
            champions=champions,
            block_max=block_max,
        )

    @property
    def segments(self) -> int:
        """The number of tantivy segments; each costs every search of tantivy some time."""
        return self._tantivy.segments

    @property
    def totals(self) -> CollectionTotals:
        """The number of rows and tokens.

        Raises
        ------
        ConfigurationError
            There are no block-max postings, which tell them.
        """
        return self._counted().totals

    def frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return how many rows, live or not, hold each term.

        Raises
        ------
        ConfigurationError
            There are no block-max postings.
        """
        return self._counted().frequencies(terms)

    def document_frequency(self, term: str) -> int:
        """Return the number of documents that hold a term."""
        return self._tantivy.frequency(term)

    def search(
        self,
        queries: Sequence[Sequence[str]],
        depth: int,
        selection: Selection | None = None,
        statistics: CollectionStatistics | None = None,
    ) -> tuple[Hits, SearchReport]:
        """Return the best ``depth`` admitted rows of each query that hold one of its terms.

        Parameters
        ----------
        queries
            The tokens of each query, from the analyser that made the index. An unknown token finds
            nothing; a repeated token counts once per repetition.
        depth
            The largest number of hits of a query, at least 1.
        selection
            The rows that may be returned; ``None`` for all.
        statistics
            Those of a collection that this index is a part of, with every token of the queries;
            ``None`` scores by the index's own. Only with block-max postings.

        Returns
        -------
        Hits
            By (score descending, row ascending), every score above 0. A larger depth only adds
            hits at the end.
        SearchReport
            The plans of :class:`~octavo.engines.keyword.ranking.Plan`, and the counters ``terms``
            (distinct and known), ``unknown terms``, ``passes`` (searches), ``essential terms``
            (searched for in these passes), ``optional terms`` (only looked up in what was found)
            and ``hits``; with block-max postings those of :meth:`octavo.engines.keyword.block_max.search.BlockMaxSearcher.search`.

        Raises
        ------
        InvalidArgumentError
            ``depth`` is below 1, a query is a plain string, or the selection does not fit.
        ConfigurationError
            Statistics were given, and there are no block-max postings.
        CorpusCorruptError
            tantivy came upon a damaged file.
        """
        selection = selection or Selection.everything(self.rows)
        self._check(queries, depth, selection)
        if self._block_max is not None or statistics is not None:
            return self._counted().search(queries, depth, selection, statistics)
        tantivy = self._tantivy
        plans: Counter[str] = Counter()
        known = unknown = passes = essential = optional = 0
        offsets, rows, scores = array("q", [0]), array("q"), array("d")
        with damage_reported(self._where):
            for tokens in queries:
                terms = known_terms(tokens, tantivy.frequency)
                ranking = rank(tantivy.searcher, terms, min(depth, self.rows), selection)
                rows.extend(ranking.rows)
                scores.extend(ranking.scores)
                offsets.append(len(rows))
                plans[ranking.plan.value] += 1
                known += len(terms)
                unknown += len(set(tokens)) - len(terms)
                passes += ranking.passes
                essential += ranking.essential
                optional += ranking.optional
        counters = {
            "terms": known,
            "unknown terms": unknown,
            "passes": passes,
            "essential terms": essential,
            "optional terms": optional,
            "hits": len(rows),
        }
        hits = Hits(np.array(offsets), np.array(rows), np.array(scores))
        return hits, SearchReport(plans, Counter(counters))

    @cached_property
    def _block_max_searcher(self) -> "BlockMaxSearcher":
        # The kernels load at the first search.
        from octavo.engines.keyword.block_max.search import BlockMaxSearcher  # noqa: PLC0415

        return BlockMaxSearcher(self._block_max or ())

    def _counted(self) -> "BlockMaxSearcher":
        """Return the block-max postings, which know what they hold; tantivy does not tell."""
        if self._block_max is None:
            raise ConfigurationError(
                f"{self._where}: a part of a collection needs block-max postings; build it with them"
            )
        return self._block_max_searcher

    def _check(self, queries: Sequence[Sequence[str]], depth: int, selection: Selection) -> None:
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
            raise InvalidArgumentError(f"depth: expected an integer of at least 1, found {depth!r}")
        for query in (queries, *queries):
            if isinstance(query, str):
                raise InvalidArgumentError(f"queries: expected lists of tokens, found {query!r}")
        if selection.admitted is None:
            if selection.filters:
                raise InvalidArgumentError("selection: expected admitted rows beside the filters")
        elif len(selection.admitted) != self.rows:
            raise InvalidArgumentError(
                f"selection: expected {self.rows} rows, found {len(selection.admitted)}"
            )

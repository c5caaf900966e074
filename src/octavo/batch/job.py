"""What a batch job is asked to do, and what it says of itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from octavo.batch.query_columns import QueryColumns
from octavo.batch.result_format import ResultFormat
from octavo.columns.sources import Input
from octavo.corpus.searchable import SearchableCorpus
from octavo.engines.report import SearchReport


@dataclass(frozen=True, kw_only=True, eq=False)
class BatchJob:
    """Search an index for every query of some inputs and write the hits to one file.

    Parameters
    ----------
    index
        A corpus, in shards or not, or the directory of one.
    queries
        Files, directories, globs or tables, as for :meth:`octavo.Corpus.build`; also URIs of files
        and directories, such as ``s3://bucket/queries/``.
    out
        The file to write, or its URI. It appears when the job is done, whole, in place of what was
        there.
    strategy
        Name of a strategy; unset, the default of the corpus.
    max_results, min_score, filters
        As in :class:`octavo.RAGContext`, for every query.
    options
        Options of the strategy, such as ``{"candidate_depth": 200}``.
    query_text, query_id, query_vector
        Column names. Text and id are found among common names where unset; a query vector, which
        stands in for embedding the text, is used only where it is named.
    format
        Unset, what the ending of ``out`` tells; parquet where it has none.
    threads
        Threads that search, where this process does; unset, one for each processor. The result does
        not depend on it.
    resume
        Go on with a job that was stopped, from what it had finished. Without this, such a rest is
        thrown away.
    """

    index: SearchableCorpus | str | PathLike[str]
    queries: Input | Sequence[Input]
    out: str | PathLike[str]
    strategy: str | None = None
    max_results: int = 10
    min_score: float = 0.0
    filters: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    query_text: str | None = None
    query_id: str | None = None
    query_vector: str | None = None
    format: ResultFormat | str | None = None
    threads: int | None = None
    resume: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchProgress:
    """How far a job has come.

    Parameters
    ----------
    columns
        The columns that the queries are read from.
    strategy
        The strategy that answers them.
    queries
        Queries answered, those of an earlier run included.
    resumed
        How many of them an earlier run had answered.
    total
        Estimated number of all queries; ``None`` where the inputs do not tell.
    seconds
        Time since the search began.
    """

    columns: QueryColumns
    strategy: str
    queries: int
    resumed: int
    total: int | None
    seconds: float


ProgressListener = Callable[[BatchProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSummary:
    """What a finished job did.

    Parameters
    ----------
    out
        The file written, or its URI, without secrets that it held.
    format
        Its format.
    strategy
        Name of the strategy.
    columns
        The columns that the queries were read from.
    queries, hits
        Numbers of both in the output.
    resumed
        How many of the queries an earlier run had answered.
    seconds
        Wall time of this run.
    report
        Plans that ran and work done, of all queries.
    """

    out: Path | str
    format: ResultFormat
    strategy: str
    columns: QueryColumns
    queries: int
    hits: int
    resumed: int
    seconds: float
    report: SearchReport

    @property
    def rate(self) -> float:
        """Queries answered a second in this run."""
        return (self.queries - self.resumed) / self.seconds if self.seconds > 0 else 0.0

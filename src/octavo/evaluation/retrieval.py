"""Runs of an index's strategies, by the job that answers files of queries."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from octavo.batch import BatchJob, BatchProgress, run_batch
from octavo.corpus.searchable import SearchableCorpus
from octavo.errors import InvalidArgumentError
from octavo.evaluation.run import Run, read_run

DEFAULT_DEPTH: Final = 100
"""Results a query. More would widen what hybrid and others fuse beyond what a search fuses (S14)."""

Listener = Callable[[str, BatchProgress], None]


@dataclass(frozen=True, slots=True)
class StrategyRun:
    """A strategy to evaluate.

    Parameters
    ----------
    strategy
        Its name.
    options
        Its options, as for :meth:`octavo.Corpus.strategy`.
    label
        What the report calls it; unset, the name. Of two runs of one strategy one needs a label.
    """

    strategy: str
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str | None = None

    @property
    def name(self) -> str:
        """What the report calls it."""
        return self.label or self.strategy.lower()


def applicable_strategies(corpus: SearchableCorpus, *, query_vectors: bool) -> tuple[str, ...]:
    """Return the strategies to compare where none is named: keyword, and vector and hybrid.

    Parameters
    ----------
    corpus
        What is searched.
    query_vectors
        Whether the queries bring vectors; else texts must be embeddable.
    """
    can_compare = corpus.dimensions is not None and (query_vectors or corpus.embeds_queries)
    return ("keyword", "vector", "hybrid") if can_compare else ("keyword",)


def retrieve_runs(
    corpus: SearchableCorpus,
    queries: pa.Table,
    strategies: Sequence[StrategyRun],
    *,
    max_results: int = DEFAULT_DEPTH,
    min_score: float = 0.0,
    filters: Mapping[str, str] | None = None,
    threads: int | None = None,
    listener: Listener | None = None,
    keep: Path | None = None,
) -> list[Run]:
    """Answer queries by several strategies; a run each, in the order of the strategies.

    Parameters
    ----------
    corpus
        What is searched; one state of it, whatever is committed meanwhile.
    queries
        From :func:`~octavo.evaluation.read_queries`.
    strategies
        What to ask.
    max_results, min_score, filters
        As in :class:`octavo.RAGContext`.
    threads
        Unset, one for each processor.
    listener
        Told the strategy and how far it has come.
    keep
        A directory where the results stay, with the parts of every score: a file for each strategy,
        by its position (:func:`kept_results`).

    Raises
    ------
    InvalidArgumentError
        A strategy is unknown, an option does not fit it, or two are called alike; before any is
        asked.
    ConfigurationError
        The index cannot be searched by a strategy.
    """
    corpus = corpus.pinned()
    check_runs(corpus, strategies)
    runs = []
    with nullcontext(keep) if keep is not None else _scratch() as directory:
        for number, each in enumerate(strategies):
            # Keyword retrieval would refuse vectors, for it has no use for them.
            vectors = "vector" in queries.schema.names and each.strategy.lower() != "keyword"
            job = BatchJob(
                index=corpus,
                queries=queries,
                out=kept_results(directory, number),
                strategy=each.strategy,
                max_results=max_results,
                min_score=min_score,
                filters=filters or {},
                options=each.options,
                query_text="text",
                query_id="id",
                query_vector="vector" if vectors else None,
                threads=threads,
            )
            told = None if listener is None else _listening(listener, each.name)
            runs.append(read_run(run_batch(job, told).out, name=each.name))
    return runs


def check_runs(corpus: SearchableCorpus, strategies: Sequence[StrategyRun]) -> None:
    """Refuse, before any work, what could not be asked or told apart.

    Raises
    ------
    InvalidArgumentError
        A strategy is unknown, an option does not fit it, or two are called alike: files are called
        by their names, and some file systems do not tell case.
    ConfigurationError
        The index cannot be searched by a strategy.
    """
    names: set[str] = set()
    for each in strategies:
        if each.name.casefold() in names:
            raise InvalidArgumentError(
                f"strategies: expected a label of its own for each, found {each.name!r} again; "
                f"give it one (label=; --strategy 'LABEL = {each.strategy} ...')"
            )
        names.add(each.name.casefold())
        corpus.strategy(each.strategy, **each.options)


def kept_results(directory: Path, position: int) -> Path:
    """Return the file in which a strategy's results are kept."""
    return directory / f"{position}.parquet"


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as directory:
        yield Path(directory)


def _listening(listener: Listener, name: str) -> Callable[[BatchProgress], None]:
    return lambda event: listener(name, event)

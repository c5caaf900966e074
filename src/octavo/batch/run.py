"""Running a batch job: queries in, results out, in blocks."""

import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from octavo.batch.answer import SearchSettings, query_batch
from octavo.batch.engine import BatchEngine, LocalEngine
from octavo.batch.job import BatchJob, BatchProgress, BatchSummary, ProgressListener
from octavo.batch.job_record import check_resumable, job_record
from octavo.batch.output import checked_output, write_output
from octavo.batch.query_columns import QueryColumns, choose_query_columns
from octavo.batch.query_model import check_query_model
from octavo.batch.query_stream import QueryStream
from octavo.batch.remote_job import localised
from octavo.batch.result_format import ResultFormat, format_of
from octavo.batch.stored_block import BlockTotals, StoredBlock
from octavo.batch.work_directory import WorkDirectory, recorded_option, work_directory
from octavo.columns.row_count import estimated_rows
from octavo.columns.sources import input_schema, resolve_inputs
from octavo.columns.uris import is_remote, shown_uri
from octavo.corpus.options import has_option
from octavo.corpus.searchable import SearchableCorpus
from octavo.errors import InvalidArgumentError
from octavo.shards.opening import open_index
from octavo.spi import RAGContext
from octavo.storage.format.durable import errors_naming
from octavo.strategies.clock import system_clock
from octavo.strategies.queries import Queries

PART_QUERIES = 4_096
PART_SECONDS = 5.0
"""A part ends after so many queries or so much time, whichever comes first: what a kill can cost.
The output depends on neither, since it is put together block by block."""


def run_batch(
    job: BatchJob,
    progress: ProgressListener | None = None,
    *,
    engine: BatchEngine | None = None,
) -> BatchSummary:
    """Answer every query of a job and write the hits to its output file.

    Queries are read and results written in blocks, so memory does not depend on the number of
    queries. Same index, same queries, same bytes, for any engine and number of threads and however
    often the job was stopped and resumed. Finished parts lie in a directory beside the output until the job
    is done; the output itself appears whole, at the end, by a rename.

    Parameters
    ----------
    job
        What to do.
    progress
        Called once before the search, then after each block, from the calling thread.
    engine
        Where blocks are searched; unset, on ``job.threads`` threads of this process.

    Raises
    ------
    InvalidArgumentError
        Something about the job, the queries or their ids does not fit; nothing was written.
    SourceLoadingError
        An input is missing or damaged.
    CorpusLockedError
        Another job is writing the same output.
    OSError
        The output cannot be written, such as when the disk is full; names the path. What was
        finished stays for ``resume``.
    """
    with localised(job) as local:
        summary = _run(local, progress, LocalEngine(job.threads) if engine is None else engine)
    return replace(summary, out=shown_uri(str(job.out))) if is_remote(job.out) else summary


def _run(job: BatchJob, progress: ProgressListener | None, engine: BatchEngine) -> BatchSummary:
    started = time.perf_counter()
    run = _Run(job, engine)
    with work_directory(run.out) as work, errors_naming(work.path):
        before = run.prepare(work)
        done = run.search(work, before, progress)
        write_output(
            (block.hits for block in work.blocks()),
            run.out,
            temporary=work.scratch("output.tmp"),
            schema=run.schema,
            format=run.format,
            tag=f"octavo-{run.strategy.name}",
        )
        work.remove()
    return BatchSummary(
        out=Path(job.out),
        format=run.format,
        strategy=run.strategy.name,
        columns=run.columns,
        queries=done.queries,
        hits=done.hits,
        resumed=before.queries,
        seconds=time.perf_counter() - started,
        report=done.report,
    )


class _Run:
    """A job with everything it names opened and checked; nothing is written yet."""

    def __init__(self, job: BatchJob, engine: BatchEngine) -> None:
        self.job = job
        self.engine = engine
        self.context = RAGContext(job.max_results, job.min_score, job.filters)
        self.format: ResultFormat = format_of(Path(job.out), job.format)
        given = (
            job.index if isinstance(job.index, SearchableCorpus) else open_index(Path(job.index))
        )
        # One state for the whole job, whatever is committed to the index meanwhile.
        self.corpus = given.pinned()
        self.options = dict(job.options)
        name = job.strategy or self.corpus.default_strategy
        if has_option(name, "now") and self.options.get("now") is None:
            # All blocks, those of a resumed run too, count ages from one moment.
            recorded = recorded_option(Path(job.out), "now") if job.resume else None
            self.options["now"] = recorded or system_clock().isoformat()
        self.strategy = self.corpus.strategy(name, **self.options)
        self.sources = resolve_inputs(job.queries)
        if job.resume:
            check_resumable(self.sources)
        self.out = checked_output(Path(job.out), self.sources)
        requested = QueryColumns(job.query_text, job.query_id, job.query_vector)
        schema = input_schema(self.sources, requested.columns())
        self.columns = choose_query_columns(schema, requested)
        check_query_model(self.sources, self.columns.vector, self.corpus)
        self.schema = self._result_schema()

    def prepare(self, work: WorkDirectory) -> BlockTotals:
        """Begin, or find what an earlier run of the job has finished."""
        record = job_record(
            replace(self.job, options=self.options),
            index=self.corpus.fingerprint,
            strategy=self.strategy.name,
            columns=self.columns,
            sources=self.sources,
        )
        if self.job.resume:
            return work.resume(record, self.schema)
        work.begin(record)
        return BlockTotals()

    def search(
        self, work: WorkDirectory, done: BlockTotals, progress: ProgressListener | None
    ) -> BlockTotals:
        """Search the blocks that are not done and keep them as parts."""
        reporter = _Reporter(self, done.queries, progress)
        stream = QueryStream(self.sources, self.columns, self.corpus.dimensions)
        # Queries that are done are read again, since ids must be distinct over all of them.
        blocks = map(query_batch, islice(stream.blocks(work.path), done.blocks, None))
        settings = SearchSettings(
            strategy=self.strategy.name,
            options=self.options,
            context=self.context,
            schema=self.schema,
        )
        part = None
        deadline = 0.0
        reporter.report(done)
        for found in self.engine.search(self.corpus, settings, blocks):
            self.format.check(found.hits)
            block = StoredBlock(done.blocks, found.hits, found.queries, found.report)
            if part is None:
                part = work.new_part(self.schema)
                deadline = time.monotonic() + PART_SECONDS
            part.write(block)
            done += block.totals()
            if part.queries >= PART_QUERIES or time.monotonic() >= deadline:
                part.finish()
                part = None
            reporter.report(done)
        if part is not None:
            part.finish()
        return done

    def _result_schema(self) -> pa.Schema:
        """Return the schema of the hits: that of a search for nothing."""
        if self.columns.vector is not None and self.strategy.name == "keyword":
            raise InvalidArgumentError("query_vector: keyword retrieval uses no vectors, found one")
        given = self.columns.vector is not None
        vectors = np.zeros((0, self.corpus.dimensions or 0), np.float32) if given else None
        return self.strategy.retrieve_batch(Queries((), vectors), self.context).schema


class _Reporter:
    """Tells a listener how far the job has come."""

    def __init__(self, run: _Run, resumed: int, listener: ProgressListener | None) -> None:
        self._run = run
        self._resumed = resumed
        self._listener = listener
        self._total = estimated_rows(run.sources) if listener is not None else None
        self._started = time.perf_counter()

    def report(self, done: BlockTotals) -> None:
        """Call the listener, if there is one."""
        if self._listener is None:
            return
        self._listener(
            BatchProgress(
                columns=self._run.columns,
                strategy=self._run.strategy.name,
                queries=done.queries,
                resumed=self._resumed,
                total=self._total,
                seconds=time.perf_counter() - self._started,
            )
        )

"""Running an embedding job: rows in, the same rows with vectors out, in blocks."""

import time
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from octavo.analysis import Analyzer
from octavo.batch.embedding.embedder import BLANK, EMBEDDED, REPEATED, Embedder
from octavo.batch.embedding.job import EmbedJob, EmbedListener, EmbedProgress, EmbedSummary
from octavo.batch.embedding.row_blocks import BLOCK_ROWS, row_blocks, rows_schema
from octavo.batch.embedding.text_columns import choose_text_columns
from octavo.batch.job_record import check_resumable, fingerprint
from octavo.batch.output import checked_output, write_rows
from octavo.batch.stored_block import BlockTotals, StoredBlock
from octavo.batch.work_directory import WorkDirectory, work_directory
from octavo.batch.writers.parquet import ParquetWriter
from octavo.columns.encodable import encodable
from octavo.columns.remote_inputs import local_inputs
from octavo.columns.row_count import estimated_rows
from octavo.columns.sources import RowOrigins, input_schema, resolve_inputs
from octavo.columns.vector_notes import with_note
from octavo.embeddings.model_embedding import ModelEmbedding
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.embeddings.specification import parse_specification, resolve
from octavo.embeddings.vector_model import ADDRESS
from octavo.embeddings.vector_record import VectorRecord
from octavo.errors import (
    ConfigurationError,
    DimensionMismatchError,
    InvalidArgumentError,
    checked_count,
    shown,
)
from octavo.storage.format.durable import errors_naming
from octavo.version import __version__

if TYPE_CHECKING:
    from octavo.batch.parts import PartWriter

PART_ROWS: Final = 8_192
PART_SECONDS: Final = 5.0
"""A part ends after so many rows or so much time, whichever comes first: what a kill can cost."""

ROW_GROUP_BYTES: Final = 64 << 20
"""About how much a row group takes, which is held in memory while it is written."""


def run_embedding(job: EmbedJob, progress: EmbedListener | None = None) -> EmbedSummary:
    """Embed every row of a job's inputs and write rows and vectors to its output file.

    Rows are read and written in blocks, so memory does not depend on their number. A text that comes
    again in its block of 1,024 rows is embedded once; a row without text has a null vector. Finished
    parts lie in a directory beside the output until the job is done; the output itself appears
    whole, at the end, by a rename, and the metadata of the new column say which model made it. A job
    that was stopped and resumed gives the bytes of one that was not, where the model gives the same
    vectors for the same block.

    Parameters
    ----------
    job
        What to do.
    progress
        Called once before the work, then after each block.

    Raises
    ------
    InvalidArgumentError
        Something about the job or its inputs does not fit, or the model's vectors are not as they
        must be (S42).
    ConfigurationError
        The model cannot be had.
    ExecutionError, RetrievalTimeoutError
        The model failed; what was finished stays for ``resume``.
    SourceLoadingError
        An input is missing or damaged.
    CorpusLockedError
        Another job is writing the same output.
    OSError
        The output cannot be written, such as when the disk is full; names the path.
    """
    with local_inputs(job.inputs) as inputs:
        return _run(replace(job, inputs=inputs), progress)


def _run(job: EmbedJob, progress: EmbedListener | None) -> EmbedSummary:
    started = time.perf_counter()
    run = _Run(job)
    with work_directory(run.out) as work, errors_naming(work.path):
        before = run.prepare(work)
        done = run.embed(work, before, progress)
        write_rows(
            (block.hits for block in work.blocks()),
            run.out,
            temporary=work.scratch("output.tmp"),
            opened=run.writer,
        )
        work.remove()
    counters = done.report.counters
    return EmbedSummary(
        out=Path(job.out),
        columns=run.columns,
        dimensions=run.dimensions,
        rows=done.queries,
        embedded=counters[EMBEDDED],
        repeated=counters[REPEATED],
        blank=counters[BLANK],
        resumed=before.queries,
        seconds=time.perf_counter() - started,
    )


class _Run:
    """A job with everything it names opened and checked; nothing is written yet."""

    def __init__(self, job: EmbedJob) -> None:
        self.job = job
        self.sources = resolve_inputs(job.inputs)
        if job.resume:
            check_resumable(self.sources)
        self.out = checked_output(Path(job.out), self.sources)
        named = [name for name in (job.text, job.title) if isinstance(name, str)]
        self.columns = choose_text_columns(input_schema(self.sources, named), job.text, job.title)
        self.input_schema, self.left_out = rows_schema(self.sources, job.keep, named)
        if not (isinstance(job.column, str) and job.column and encodable(job.column)):
            raise InvalidArgumentError(f"column: expected a name, found {shown(job.column)}")
        if job.column in self.input_schema.names:
            raise InvalidArgumentError(
                f"column: the input has a column {job.column!r} already; name another one for the "
                "vectors, or keep only some of the input's"
            )
        most = job.max_characters
        if most is not None:
            checked_count("max_characters", most, 1, 2**31 - 1)
        self.model, function = _function(job.model)
        options: dict[str, Any] = function.options if isinstance(function, ModelEmbedding) else {}
        embedder = Embedder(function, job.queries, job.unit_length, most)
        self.dimensions = embedder.probed()
        asked = options.get("dimensions", self.dimensions)
        if asked != self.dimensions:  # it cannot give shorter vectors, and does not say so
            raise DimensionMismatchError(f"dimensions of {self.model}", asked, self.dimensions)
        self.embedder = replace(embedder, dimensions=self.dimensions)
        self.record = VectorRecord(
            column=job.column,
            model=self.model,
            options=options,
            dimensions=self.dimensions,
            unit_length=job.unit_length,
            queries=job.queries,
            text=self.columns.text,
            title=self.columns.title,
            max_characters=most,
        )
        vectors = pa.field(job.column, self.embedder.type())
        self.schema = self.input_schema.append(vectors)

    def prepare(self, work: WorkDirectory) -> BlockTotals:
        """Begin, or find what an earlier run of the job has finished."""
        # A server that moved is the same.
        options = {name: set_to for name, set_to in self.record.options.items() if name != ADDRESS}
        embedding = replace(self.record, options=options).to_json()
        record: dict[str, Any] = {
            "octavo version": __version__,
            "arrow version": pa.__version__,
            "rows a block": BLOCK_ROWS,
            "embedding": embedding,
            "columns": self.schema.to_string(),
            "inputs": [fingerprint(source) for source in self.sources],
        }
        if self.job.resume:
            return work.resume(record, self.schema)
        work.begin(record)
        return BlockTotals()

    def embed(
        self, work: WorkDirectory, done: BlockTotals, progress: EmbedListener | None
    ) -> BlockTotals:
        """Embed the blocks that are not done and keep them as parts."""
        resumed = done.queries
        total = estimated_rows(self.sources) if progress is not None else None

        def report() -> None:
            if progress is not None:
                progress(
                    EmbedProgress(
                        columns=self.columns,
                        left_out=self.left_out,
                        dimensions=self.dimensions,
                        rows=done.queries,
                        resumed=resumed,
                        total=total,
                    )
                )

        report()
        parts = _Parts(work, self.schema)
        origins = RowOrigins()
        blocks = row_blocks(self.sources, self.input_schema, self.columns, origins)
        left = islice(blocks, done.blocks, None)
        try:
            # Closed, since an error ends what is under way.
            with closing(self.embedder.embedded(left, origins.describe)) as found:
                for each in found:
                    arrays = [*each.block.rows.columns, each.vectors]
                    rows = pa.RecordBatch.from_arrays(arrays, schema=self.schema)
                    stored = StoredBlock(done.blocks, rows, len(each.block), each.report)
                    parts.write(stored)
                    done += stored.totals()
                    report()
        except BaseException:
            with suppress(Exception):  # what went wrong matters more
                parts.finish()
            raise
        parts.finish()
        return done

    def writer(self, path: Path) -> ParquetWriter:
        """Return the writer of the output."""
        schema = with_note(self.schema, self.job.column, self.record.metadata())
        return ParquetWriter(path, schema, ROW_GROUP_BYTES)


class _Parts:
    """Part files, one after the other; what a failure of the model has left is finished too."""

    def __init__(self, work: WorkDirectory, schema: pa.Schema) -> None:
        self._work = work
        self._schema = schema
        self._part: PartWriter | None = None
        self._deadline = 0.0

    def write(self, block: StoredBlock) -> None:
        """Append a block."""
        if self._part is None:
            self._part = self._work.new_part(self._schema)
            self._deadline = time.monotonic() + PART_SECONDS
        self._part.write(block)
        if self._part.queries >= PART_ROWS or time.monotonic() >= self._deadline:
            self.finish()

    def finish(self) -> None:
        """Complete the part that was begun, if one was."""
        part, self._part = self._part, None
        if part is not None:
            part.finish()


def _function(model: str | EmbeddingFunction) -> tuple[str, EmbeddingFunction]:
    """Return what the record calls a model, and its function."""
    if isinstance(model, str):
        specification = parse_specification(model)
        found = resolve(specification, Analyzer())
        if found is None:
            raise ConfigurationError(f"model: expected one that embeds texts, found {model!r}")
        return str(specification), found
    if not callable(model):
        raise InvalidArgumentError(
            f"model: expected a specification or a function, found {type(model).__name__}"
        )
    if isinstance(model, ModelEmbedding):
        return model.specification, model
    return "function", model

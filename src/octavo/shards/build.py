"""Building a sharded index: documents are cut into shards, and each shard is built by itself."""

import inspect
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from octavo.columns.array_file import save_array
from octavo.columns.schema import NO_TITLE, ColumnChoice
from octavo.columns.sources import Input, input_schema, resolve_inputs
from octavo.columns.uris import refuse_uri
from octavo.corpus.corpus import Corpus
from octavo.errors import CorpusFormatError, InvalidArgumentError, checked_count
from octavo.shards import layout
from octavo.shards.assignment import LARGEST_SHARDS
from octavo.shards.contents import contents_digest
from octavo.shards.partition import ShardInput, partition
from octavo.storage.build.build_request import BuildProgress, Listener
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format.durable import errors_naming, make_directory, sync_directory, sync_file
from octavo.storage.format.layout import LOCK, LOCK_HOLDER
from octavo.storage.format.manifest import read_manifest

CUT, BUILT = "cut into shards", "shards built"
"""Stages of a build: documents that were given to shards, and documents in shards that are built."""

_NOT_OVER_SHARDS = {"parents": "hierarchies", "edges": "graphs"}


@dataclass(frozen=True, slots=True)
class ShardBuild:
    """Everything that building one shard takes; plain values, so that it can be sent.

    Parameters
    ----------
    documents
        What the shard holds.
    generation
        The directory of the shards.
    options
        As for :meth:`octavo.Corpus.build`.
    """

    documents: ShardInput
    generation: Path
    options: Mapping[str, Any]

    def with_threads(self, threads: int) -> "ShardBuild":
        """Return the same build on so many threads, which change nothing about the result."""
        return replace(self, options={**self.options, "threads": threads})

    def run(self) -> int:
        """Build the shard, flush it, and return its number of documents."""
        number = self.documents.number
        directory = layout.shard_directory(self.generation, number)
        shutil.rmtree(directory, ignore_errors=True)  # of a worker that was killed
        corpus = Corpus.build(self.documents.sources(), directory, **self.options)
        positions = layout.positions_file(self.generation, number)
        save_array(positions, self.documents.positions())
        sync_file(positions)
        return len(corpus)


class ShardBuilder(Protocol):
    """Runs builds of shards somewhere."""

    def run(self, builds: Iterable[ShardBuild]) -> Iterator[int]:
        """Run each build, and yield the numbers of documents in the order of the builds."""
        ...


class LocalBuilder:
    """One shard after the other in this process; each uses all threads."""

    def run(self, builds: Iterable[ShardBuild]) -> Iterator[int]:
        """Run each build."""
        return (build.run() for build in builds)


def build_shards(
    inputs: Input,
    out: Path,
    *,
    shards: int,
    options: Mapping[str, Any],
    overwrite: bool,
    builder: ShardBuilder,
    listener: Listener,
) -> None:
    """Build a sharded index of ``inputs`` at ``out``.

    Raises
    ------
    InvalidArgumentError
        The number of shards, an option, an input or a document is not acceptable.
    CorpusFormatError
        ``out`` holds something else, or an index and ``overwrite`` is off.
    CorpusLockedError
        Another process builds there.
    OSError
        The disk is full, or ``out`` cannot be written; what was there stays.
    """
    checked_count("shards", shards, 1, LARGEST_SHARDS)
    _check_options(options)
    _check_target(out, overwrite=overwrite)
    sources = resolve_inputs(inputs)
    choice = _tried(input_schema(sources, _named(options)), options)
    listener(choice)
    with errors_naming(out):
        if not out.exists():
            make_directory(out)
        with writer_lock(out):
            _check_target(out, overwrite=overwrite)
            before = layout.read_description(out) if layout.is_sharded(out) else None
            number = 1 if before is None else before.generation + 1
            _remove_others(out, before)
            # Absolute: a worker may run in another directory.
            generation = layout.generation_directory(out.resolve(), number)
            scratch = generation / layout.SCRATCH
            try:
                scratch.mkdir(parents=True)
                parts = partition(
                    sources, choice, shards, scratch, lambda n: listener(BuildProgress(CUT, n))
                )
                counts = _run(
                    builder,
                    [_build(part, generation, options, choice, parts) for part in parts],
                    listener,
                )
                shutil.rmtree(scratch)
                sync_directory(generation)
                sync_directory(out)
                after = layout.ShardsDescription(
                    layout.VERSION, number, tuple(counts), _contents(generation, shards)
                )
                after.write(out)
            except BaseException:
                shutil.rmtree(generation, ignore_errors=True)
                raise
            _remove_others(out, after)


def _contents(generation: Path, shards: int) -> tuple[str, ...]:
    directories = [layout.shard_directory(generation, number) for number in range(shards)]
    return tuple(contents_digest(read_manifest(each)) for each in directories)


def _run(builder: ShardBuilder, builds: list[ShardBuild], listener: Listener) -> list[int]:
    counts: list[int] = []
    for count in builder.run(builds):
        counts.append(count)
        listener(BuildProgress(BUILT, sum(counts)))
    return counts


def _build(
    part: ShardInput,
    generation: Path,
    options: Mapping[str, Any],
    choice: ColumnChoice,
    parts: list[ShardInput],
) -> ShardBuild:
    """Return the build of a shard, by the columns that were chosen for all."""
    chosen = {"id": choice.id, "text": choice.text, "title": choice.title}
    given = {**options, **{name: value for name, value in chosen.items() if value is not None}}
    if choice.title is None:
        given["title"] = NO_TITLE
    if choice.embedding is not None and not part.vectors and any(each.vectors for each in parts):
        given["embedding"] = "none"  # vectors came, but none to this shard
    return ShardBuild(part, generation, given)


def _tried(schema: Any, options: Mapping[str, Any]) -> ColumnChoice:  # noqa: ANN401 - a schema
    """Build an index of no documents, so that options are checked before anything is read."""
    chosen: list[ColumnChoice] = []

    def listen(event: object) -> None:
        if isinstance(event, ColumnChoice):
            chosen.append(event)

    with tempfile.TemporaryDirectory() as directory:
        Corpus.build(schema.empty_table(), Path(directory) / "index", progress=listen, **options)
    return chosen[0]


def _named(options: Mapping[str, Any]) -> list[str]:
    names = [options.get(each) for each in ("id", "text", "title", "source", "timestamp", "parent")]
    return [name for name in (*names, *options.get("metadata", ())) if isinstance(name, str)]


def _check_options(options: Mapping[str, Any]) -> None:
    known = inspect.signature(Corpus.build).parameters.keys()
    unknown = sorted(set(options) - known)
    if unknown:
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}")
    for name, what in _NOT_OVER_SHARDS.items():
        if options.get(name) is not None:
            raise InvalidArgumentError(
                f"{name}: expected none with shards: {what} join documents of different shards; "
                "build a single index"
            )
    if not options.get("block_max", True):
        raise InvalidArgumentError(
            "block_max: expected True with shards, found False: the postings hold the statistics "
            "that shards are scored by together"
        )


def _check_target(out: Path, *, overwrite: bool) -> None:
    if not out.exists():
        refuse_uri(out)
        return
    if not out.is_dir():
        raise CorpusFormatError(f"{out}: expected a directory for the index, found a file")
    if layout.is_sharded(out):
        if not overwrite:
            raise CorpusFormatError(
                f"{out}: holds a sharded index; to replace it say overwrite=True or --overwrite"
            )
        return
    names = {entry.name for entry in out.iterdir()} - {LOCK, LOCK_HOLDER}
    if not all(name.startswith("generation-") for name in names):
        raise CorpusFormatError(
            f"{out}: expected an empty directory or a sharded index, found other files"
        )


def _remove_others(out: Path, kept: layout.ShardsDescription | None) -> None:
    """Remove the shards of builds that are not the present one."""
    name = None if kept is None else layout.generation_directory(out, kept.generation).name
    for entry in out.glob("generation-*"):
        if entry.name != name and entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)

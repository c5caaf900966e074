"""Building a sharded index: documents are cut into shards, and each shard is built by itself."""

import inspect
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.columns.schema import NO_TITLE, ColumnChoice
from octavo.columns.sources import Input, input_schema, resolve_inputs
from octavo.corpus.corpus import Corpus
from octavo.errors import InvalidArgumentError, checked_count
from octavo.shards import layout
from octavo.shards.assignment import LARGEST_SHARDS
from octavo.shards.contents import contents_digest
from octavo.shards.partition import ShardInput, partition
from octavo.shards.shard_build import ShardBuild, ShardBuilder
from octavo.shards.target import check_target, present_description, remove_others
from octavo.storage.build.build_request import VECTORS_REUSED, BuildProgress, Listener
from octavo.storage.build.target import create_target
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format.durable import errors_naming, sync_directory
from octavo.storage.format.manifest import read_manifest

CUT, BUILT = "cut into shards", "shards built"
"""Stages of a build: documents that were given to shards, and documents in shards that are built."""

_NOT_OVER_SHARDS = {"parents": "hierarchies", "edges": "graphs"}


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
    check_target(out, overwrite=overwrite)
    sources = resolve_inputs(inputs)
    choice = _tried(input_schema(sources, _named(options)), options)
    listener(choice)
    with errors_naming(out):
        created = create_target(out)
        with writer_lock(out):
            check_target(out, overwrite=overwrite)
            before = present_description(out)
            if before is not None or not layout.is_sharded(out):
                remove_others(out, before)
            number = layout.next_generation(out)
            # Absolute: a worker may run in another directory.
            generation = layout.generation_directory(out.resolve(), number)
            scratch = generation / layout.SCRATCH
            try:
                scratch.mkdir(parents=True)
                parts = partition(
                    sources, choice, shards, scratch, lambda n: listener(BuildProgress(CUT, n))
                )
                builds = [
                    ShardBuild(
                        part,
                        generation,
                        _options(part, options, choice, parts),
                        _shard_before(out, before, part.number, shards),
                    )
                    for part in parts
                ]
                counts = _run(builder, builds, listener)
                shutil.rmtree(scratch)
                sync_directory(generation)
                sync_directory(out)
                after = layout.ShardsDescription(
                    layout.VERSION, number, tuple(counts), _contents(generation, shards)
                )
                after.write(out)
            except BaseException:
                shutil.rmtree(generation, ignore_errors=True)
                if created and not layout.is_sharded(out):
                    shutil.rmtree(out, ignore_errors=True)
                raise
            remove_others(out, after)


def _contents(generation: Path, shards: int) -> tuple[str, ...]:
    directories = [layout.shard_directory(generation, number) for number in range(shards)]
    return tuple(contents_digest(read_manifest(each)) for each in directories)


def _run(builder: ShardBuilder, builds: list[ShardBuild], listener: Listener) -> list[int]:
    counts: list[int] = []
    reused: list[int] = []
    for built in builder.run(builds):
        counts.append(built.documents)
        listener(BuildProgress(BUILT, sum(counts)))
        if built.reused is not None:
            reused.append(built.reused)
    if reused:
        listener(BuildProgress(VECTORS_REUSED, sum(reused)))
    return counts


def _shard_before(
    out: Path, before: layout.ShardsDescription | None, number: int, shards: int
) -> Path | None:
    """Return the shard that held the documents of the same ids, where the shards are as many."""
    if before is None or len(before.documents) != shards:
        return None
    return layout.shard_directory(
        layout.generation_directory(out.resolve(), before.generation), number
    )


def _options(
    part: ShardInput, options: Mapping[str, Any], choice: ColumnChoice, parts: list[ShardInput]
) -> Mapping[str, Any]:
    """Return the options of a shard's build, by the columns that were chosen for all."""
    chosen = {"id": choice.id, "text": choice.text, "title": choice.title}
    given = {**options, **{name: value for name, value in chosen.items() if value is not None}}
    if choice.title is None:
        given["title"] = NO_TITLE
    if choice.embedding is not None and not part.vectors and any(each.vectors for each in parts):
        given["embedding"] = "none"  # vectors came, but none to this shard
    return given


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

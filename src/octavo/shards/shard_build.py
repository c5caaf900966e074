"""The build of one shard, and what runs such builds."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from octavo.columns.array_file import save_array
from octavo.corpus.building import build_request
from octavo.shards import layout
from octavo.shards.partition import ShardInput
from octavo.storage.build.build import build_index
from octavo.storage.build.build_request import VECTORS_REUSED, BuildProgress
from octavo.storage.format.durable import sync_file
from octavo.storage.format.manifest import read_manifest


@dataclass(frozen=True, slots=True)
class BuiltShard:
    """What is told of a shard that was built.

    Parameters
    ----------
    documents
        How many it holds.
    reused
        How many of them have a vector of the shard before; ``None`` where that lent none.
    """

    documents: int
    reused: int | None


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
    before
        The shard of the same number in the index that is replaced, of as many shards: its vectors
        are used again.
    """

    documents: ShardInput
    generation: Path
    options: Mapping[str, Any]
    before: Path | None

    def with_threads(self, threads: int) -> "ShardBuild":
        """Return the same build on so many threads, which change nothing about the result."""
        return replace(self, options={**self.options, "threads": threads})

    def run(self) -> BuiltShard:
        """Build the shard, flush it, and say what it holds."""
        number = self.documents.number
        directory = layout.shard_directory(self.generation, number)
        shutil.rmtree(directory, ignore_errors=True)  # of a worker that was killed
        reused: list[int] = []

        def listen(event: object) -> None:
            if isinstance(event, BuildProgress) and event.stage == VECTORS_REUSED:
                reused.append(event.rows)

        request = replace(
            build_request(**self.options, progress=listen),
            vectors_of=self.before,
            describe_row=self.documents.describe_row,
        )
        build_index(self.documents.sources(), directory, request)
        positions = layout.positions_file(self.generation, number)
        save_array(positions, self.documents.positions())
        sync_file(positions)
        return BuiltShard(read_manifest(directory).documents, sum(reused) if reused else None)


class ShardBuilder(Protocol):
    """Runs builds of shards somewhere."""

    def run(self, builds: Iterable[ShardBuild]) -> Iterator[BuiltShard]:
        """Run each build, and yield what was built in their order."""
        ...


class LocalBuilder:
    """One shard after the other in this process; each uses all threads."""

    def run(self, builds: Iterable[ShardBuild]) -> Iterator[BuiltShard]:
        """Run each build."""
        return (build.run() for build in builds)

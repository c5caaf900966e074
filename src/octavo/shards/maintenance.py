"""What is done to every shard of an index: tuning and repair, one shard after the other.

Each shard commits by itself, so that whatever stops the work, every shard is in its old state or in
the new one. Neither moves a row, so all of these states go together.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from octavo.embeddings.protocol import EmbeddingFunction
from octavo.errors import ConfigurationError, CorpusCorruptError
from octavo.shards import layout
from octavo.shards.verify import position_problems
from octavo.storage.build.work import Work
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format.durable import errors_naming
from octavo.storage.format.manifest import read_manifest
from octavo.storage.maintenance.repair import Repair, repair_index
from octavo.storage.maintenance.tune import TuneRequest, tune_index

TUNED = "shards tuned"
"""Stage of a tuning: documents in shards that are tuned."""


def tune_shards(index: Path, request: TuneRequest) -> None:
    """Tune the vector search of every shard that has vectors.

    Parameters
    ----------
    index
        The directory of the sharded index.
    request
        As for a single index; told how many documents lie in shards that are tuned.

    Raises
    ------
    ConfigurationError
        No shard has vectors, or query texts cannot be embedded.
    InvalidArgumentError
        There are fewer than 20 queries, or their vectors do not fit; nothing is changed.
    CorpusLockedError
        Another process builds, tunes or repairs the index.
    CorpusFormatError, CorpusCorruptError, OSError
        A shard cannot be read or written; those before it stay tuned.
    """
    with _at_work(index) as description:
        generation = layout.generation_directory(index, description.generation)
        shards = [
            (layout.shard_directory(generation, number), documents)
            for number, documents in enumerate(description.documents)
        ]
        with_vectors = [each for each in shards if read_manifest(each[0]).embedding is not None]
        if not with_vectors:
            raise ConfigurationError(f"{index}: the index has no vectors, so nothing can be tuned")
        done = 0
        for directory, documents in with_vectors:
            tune_index(directory, replace(request, progress=lambda _stage, _rows: None))
            done += documents
            request.progress(TUNED, done)


def repair_shards(index: Path, work: Work, embedding: EmbeddingFunction | None = None) -> Repair:
    """Build the damaged parts of every shard again from its documents.

    Raises
    ------
    CorpusCorruptError
        Positions of documents are damaged, which nothing else tells, and nothing is changed; or
        documents of a shard are, and the shards before it stay repaired.
    CorpusLockedError
        Another process builds, tunes or repairs the index.
    CorpusFormatError, OctavoError, OSError
        See :func:`octavo.storage.maintenance.repair.repair_index`.
    """
    with _at_work(index) as description:
        lost = position_problems(index, description, description.documents)
        if lost:
            raise CorpusCorruptError(
                f"{index}: cannot be repaired, and stays as it is; build the index again: "
                f"{'; '.join(map(str, lost))}"
            )
        generation = layout.generation_directory(index, description.generation)
        found = [
            repair_index(layout.shard_directory(generation, number), work, embedding)
            for number in range(len(description.documents))
        ]
    return Repair(
        tuple(problem for each in found for problem in each.problems),
        tuple(
            f"{part} of shard {number}"
            for number, each in enumerate(found)
            for part in each.rebuilt
        ),
        sum(each.segments for each in found),
    )


@contextmanager
def _at_work(index: Path) -> Iterator[layout.ShardsDescription]:
    """Hold the index against other work, and give its present state."""
    layout.read_description(index)  # or the lock would be made where there is no index
    with errors_naming(index), writer_lock(index):
        yield layout.read_description(index)

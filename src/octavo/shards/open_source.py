"""Opening the shards of an index in this process, all of one build."""

from contextlib import suppress
from pathlib import Path

from octavo.corpus.searchable import state_fingerprint
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.shards import layout
from octavo.shards.shard import Shard, ShardPlace
from octavo.shards.shards import LocalShards
from octavo.shards.source import ShardedSource
from octavo.storage.format.manifest import Manifest, read_manifest
from octavo.storage.snapshot.snapshot import open_snapshot


def open_source(index: Path, embedding: EmbeddingFunction | None = None) -> ShardedSource:
    """Open every shard in its present state.

    What is committed meanwhile is no error: a shard that is tuned just then is opened in one of its
    two states, and an index that is replaced is opened anew.

    Raises
    ------
    CorpusFormatError
        No sharded index, or one of a newer format.
    CorpusCorruptError
        A file is missing or damaged.
    ConfigurationError
        ``embedding`` is another model than the one that made the vectors.
    """
    while True:
        found = layout.read_description(index)
        try:
            return _opened(index, found, embedding)
        except (CorpusFormatError, CorpusCorruptError):
            if layout.read_description(index) == found:
                raise  # else it was replaced meanwhile


def present_source(source: ShardedSource) -> ShardedSource:
    """Return the present state of the shards: this very source, if nothing was committed."""
    with suppress(CorpusFormatError, CorpusCorruptError):  # of a state that is gone just now
        found = layout.read_description(source.path)
        directories = [
            layout.shard_directory(_generation(source.path, found), number)
            for number in range(len(found.documents))
        ]
        manifests = [read_manifest(directory) for directory in directories]
        if _places(source.path, found, manifests) == source.places:
            return source
    return open_source(source.path, source.function)


def _opened(
    index: Path, found: layout.ShardsDescription, embedding: EmbeddingFunction | None
) -> ShardedSource:
    generation = _generation(index, found)
    snapshots = [
        open_snapshot(layout.shard_directory(generation, number))
        for number in range(len(found.documents))
    ]
    manifests = [snapshot.manifest for snapshot in snapshots]
    places = _places(index, found, manifests)
    held: list[Shard] = []
    for place, snapshot, contents in zip(places, snapshots, found.contents, strict=True):
        place.check(snapshot.manifest, contents)
        if snapshot.manifest.documents:
            held.append(place.shard(snapshot))
    return ShardedSource(index, LocalShards(held), places, manifests, embedding)


def _places(
    index: Path, found: layout.ShardsDescription, manifests: list[Manifest]
) -> tuple[ShardPlace, ...]:
    generation, shards = _generation(index, found), len(manifests)
    return tuple(
        ShardPlace(generation, number, shards, state_fingerprint(manifest))
        for number, manifest in enumerate(manifests)
    )


def _generation(index: Path, found: layout.ShardsDescription) -> Path:
    """Return the directory of the shards; absolute, since workers of a cluster open them too."""
    return layout.generation_directory(index.resolve(), found.generation)

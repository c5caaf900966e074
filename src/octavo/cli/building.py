"""Building an index, single or in shards, in this process or on a cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from octavo.cli.cluster_options import Engine, cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from octavo.cluster import RaySession
    from octavo.columns.sources import Source
    from octavo.corpus.corpus import Corpus
    from octavo.shards import ShardedCorpus
    from octavo.shards.shard_build import ShardBuilder


@dataclass(frozen=True, slots=True)
class Spread:
    """How an index is spread: over how many shards, and where they are built.

    Parameters
    ----------
    shards
        ``None`` for a single index.
    engine, workers, address
        The options of a cluster.
    """

    shards: int | None
    engine: Engine
    workers: int | None
    address: str | None


def build_corpus(
    sources: "Sequence[Source]",
    out: Path,
    spread: Spread,
    **options: Any,  # noqa: ANN401 - those of Corpus.build
) -> "Corpus | ShardedCorpus":
    """Build an index.

    Raises
    ------
    typer.BadParameter
        A cluster was asked for without shards.
    """
    from octavo.corpus.corpus import Corpus  # noqa: PLC0415
    from octavo.shards import ShardedCorpus  # noqa: PLC0415

    if spread.shards is None:
        if spread.engine is Engine.RAY:
            raise typer.BadParameter("--engine ray: expected --shards beside it")
        with cluster(spread.engine, spread.workers, spread.address):
            return Corpus.build(sources, out, **options)
    with cluster(spread.engine, spread.workers, spread.address) as session:
        builder = _builder(session, spread.workers)
        return ShardedCorpus.build(sources, out, spread.shards, builder=builder, **options)


def _builder(session: "RaySession | None", workers: int | None) -> "ShardBuilder | None":
    if session is None:
        return None
    from octavo.cluster import RayBuilder  # noqa: PLC0415

    return RayBuilder(session, workers)

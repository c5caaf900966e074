"""Options of the commands that can run on a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from octavo.cluster import RaySession


class Engine(StrEnum):
    """Where a command runs."""

    LOCAL = "local"
    RAY = "ray"


EngineName = Annotated[Engine, typer.Option(help="This process, or workers of a Ray cluster.")]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="With --engine ray. Unset: one for each processor of the cluster."
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="With --engine ray: auto, or HOST:PORT of a cluster. Unset: what RAY_ADDRESS says, "
        "else this machine.",
    ),
]


@contextmanager
def cluster(
    engine: Engine, workers: int | None, address: str | None
) -> "Iterator[RaySession | None]":
    """Connect to a cluster for the time of a block; ``None`` where the engine is this process.

    Raises
    ------
    typer.BadParameter
        Options of a cluster were given without one.
    """
    if engine is Engine.LOCAL:
        if workers is not None or address is not None:
            raise typer.BadParameter("--workers, --ray-address: expected --engine ray beside them")
        yield None
        return
    from octavo.cluster import ray_session  # noqa: PLC0415

    with ray_session(address, processors=workers) as session:
        yield session

"""A connection to a Ray cluster, and what its failures mean."""

import logging
import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from octavo.cluster.calls import Call, Losses
from octavo.cluster.parcel import Parcel
from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    OctavoError,
    checked_count,
    told,
)
from octavo.importing import optional

ATTEMPTS = 4
"""How often a piece of work is tried where its worker ends."""
ABANDON_SECONDS = 1.0
"""How long calls that are given up may take to end; most are as short as a block."""
CONNECT_SECONDS = 10.0
"""How long a machine may take to answer at all."""


@dataclass(frozen=True, slots=True)
class RaySession:
    """A connection of this process to a cluster; made by :func:`ray_session`.

    Parameters
    ----------
    ray
        The module.
    losses
        What waits where workers are lost.
    """

    ray: Any
    losses: Losses = field(default_factory=Losses)

    @property
    def processors(self) -> int:
        """The number of processors of the cluster, at least 1."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    @contextmanager
    def actors(self, kind: type, arguments: Sequence[object]) -> Iterator[list[Any]]:
        """Hold actors for the time of a block; one that ends is started again.

        Parameters
        ----------
        kind
            Their class, made of a :class:`Parcel`.
        arguments
            What each is sent in it.

        Raises
        ------
        ConfigurationError
            Something among the arguments cannot be sent to another process.
        """
        # Without num_cpus an actor needs a processor to be placed and keeps none: where a machine
        # was lost, one that is started again would else wait for a place that may never be free.
        actor = self.ray.remote(
            max_restarts=-1,
            max_task_retries=ATTEMPTS // 2 - 1,  # the rest is made by `answer`
            scheduling_strategy="SPREAD",
        )(kind)
        parcels = [Parcel.of(each) for each in arguments]
        made = [actor.remote(each) for each in parcels]
        try:
            yield made
        finally:
            for each in made:
                self.ray.kill(each)

    def answer(self, call: Call) -> Any:  # noqa: ANN401 - a worker's
        """Wait for a call of an actor; where its worker is lost, pause and make it again."""
        try:
            return self.ray.get(call.reference)
        except self.ray.exceptions.RayTaskError:
            raise
        except self.ray.exceptions.RayError:
            self.losses.wait(call.asked)
        return self.ray.get(call.ask())

    def abandon(self, calls: Iterable[Call]) -> None:
        """Give calls up, so that Ray neither makes them again nor prints how they failed."""
        given_up = [call.reference for call in calls]
        for each in given_up:
            self.ray.cancel(each)
        if given_up:
            self.ray.wait(given_up, num_returns=len(given_up), timeout=ABANDON_SECONDS)
        for each in given_up:
            with suppress(self.ray.exceptions.RayError):
                self.ray.get(each, timeout=0)  # what was looked at is not printed

    @contextmanager
    def failures(self, work: str) -> Iterator[None]:
        """Raise what failed on a worker as it would have been raised here.

        Parameters
        ----------
        work
            What was done, for messages.

        Raises
        ------
        OctavoError, OSError
            As the worker raised it.
        ExecutionError
            The worker raised something else, or ended again and again.
        """
        errors = self.ray.exceptions
        try:
            yield
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, OctavoError | OSError):
                raise cause from None
            raise ExecutionError(f"{work}: a worker failed with {told(cause or error)}") from error
        except errors.RayError as error:
            raise ExecutionError(
                f"{work}: a worker was lost, and so was each that took its place: {told(error)}"
            ) from error


@contextmanager
def ray_session(
    address: str | None = None, *, processors: int | None = None
) -> Iterator[RaySession]:
    """Connect to a cluster for the time of a block.

    A process that is connected already stays so, and ``address`` must be unset then.

    Parameters
    ----------
    address
        Of a running cluster: ``"auto"`` for the one that this machine is part of, or
        ``"host:port"``; unset, what the environment names (``RAY_ADDRESS``), else a cluster of this
        machine alone, ended with the block.
    processors
        How many processors a cluster of this machine has; unset, those there are.

    Raises
    ------
    InvalidArgumentError
        ``processors`` is no integer of at least 1.
    ConfigurationError
        Ray is not installed, no cluster answers or starts, or this process is connected to another.
    """
    if processors is not None:
        checked_count("processors", processors)
    ray = optional("ray", "ray", "a cluster")
    if ray.is_initialized():
        if address is not None:
            raise ConfigurationError(
                f"ray address: expected none in a process that is connected, found {address!r}"
            )
        yield RaySession(ray)
        return
    remote = address or os.environ.get("RAY_ADDRESS")
    own: dict[str, Any] = {}
    if not remote:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # octavo sends nothing to anybody
        # Ray would else join whatever cluster it finds on this machine.
        own = {"address": "local", "num_cpus": processors, "include_dashboard": False}
    else:
        _check_answers(remote)
    try:
        ray.init(**(own or {"address": remote}), logging_level=logging.WARNING, log_to_driver=False)
    except Exception as error:  # a plain one among them, where a machine is slow to start
        what = f"ray address {remote!r}" if remote else "ray: starting a cluster of this machine"
        raise ConfigurationError(f"{what}: {told(error)}") from error
    try:
        yield RaySession(ray)
    finally:
        ray.shutdown()


def _check_answers(address: str) -> None:
    """Find out whether anything listens at ``HOST:PORT``, since Ray would try for many minutes.

    Raises
    ------
    ConfigurationError
        Nothing does.
    """
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or "/" in host:
        return  # another form, or none: Ray says so
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise ConfigurationError(
            f"ray address {address!r}: expected a cluster, nothing answers: {told(error)}"
        ) from error

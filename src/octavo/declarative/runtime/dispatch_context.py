"""What one request brings along: for whom it is, until when, and what it may see (S71)."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Self

from octavo.errors import InvalidArgumentError, RetrievalTimeoutError, real_number, shown
from octavo.spi import CancellationToken

_TEXTS = (
    "tenant",
    "session",
    "run_id",
    "agent",
    "simulation",
    "episode",
    "source_revision",
    "turn_message",
    "conversation_id",
)


@dataclass(frozen=True, slots=True)
class DispatchContext:
    """The request-local context of one action, chat turn, stream or event.

    Build a fresh one for each request, with :meth:`builder`. Texts are blank where they are left out.

    Parameters
    ----------
    tenant, session
        The scope: nothing that is cached, or kept in a cursor, crosses it.
    run_id, agent, simulation, episode, source_revision
        Whose request it is; told to retrievers, and part of what documents are filtered by.
    cancellation
        The flag by which the caller stops the request.
    deadline
        The instant of :func:`time.monotonic` by which the retrieval must be done; ``None``: none.
    metadata_filters
        Exact, case-sensitive values by metadata key; every entry must match. Copied.
    turn_message
        The raw message of a chat's turn; searched in place of the query where it is not blank.
    conversation_id
        The conversation that the turn belongs to.
    source_paths
        Locations of DIRECT sources by name, in place of the declared ones. Copied.

    Raises
    ------
    InvalidArgumentError
        A member is of another type, or a filter's or location's text is blank.

    Examples
    --------
    >>> context = (
    ...     DispatchContext.builder()
    ...     .scope("tenant-a", "conversation-42")
    ...     .run_id("run-7")
    ...     .current_episode("episode-3")
    ...     .timeout(timedelta(seconds=3))
    ...     .metadata_filters({"tier": "approved"})
    ...     .build()
    ... )
    >>> context.tenant, context.episode, dict(context.metadata_filters)
    ('tenant-a', 'episode-3', {'tier': 'approved'})
    """

    tenant: str = ""
    session: str = ""
    run_id: str = ""
    agent: str = ""
    simulation: str = ""
    episode: str = ""
    source_revision: str = ""
    cancellation: CancellationToken | None = None
    deadline: float | None = None
    metadata_filters: Mapping[str, str] = field(default_factory=dict, hash=False)
    turn_message: str = ""
    conversation_id: str = ""
    source_paths: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in _TEXTS:
            value = getattr(self, name)
            if not isinstance(value, str):
                raise InvalidArgumentError(f"{name}: expected a string, found {shown(value)}")
        if self.cancellation is not None and not isinstance(self.cancellation, CancellationToken):
            raise InvalidArgumentError(
                f"cancellation: expected a CancellationToken, found {shown(self.cancellation)}"
            )
        if self.deadline is not None:
            number = real_number(self.deadline)
            if number is None or number != number:  # noqa: PLR0124
                raise InvalidArgumentError(
                    "deadline: expected an instant of time.monotonic(), found "
                    f"{shown(self.deadline)}"
                )
            object.__setattr__(self, "deadline", number)
        for name in ("metadata_filters", "source_paths"):
            object.__setattr__(self, name, _texts_by_name(name, getattr(self, name)))

    @staticmethod
    def builder() -> "DispatchContextBuilder":
        """Return a builder of a context in which everything is left out."""
        return DispatchContextBuilder()

    def filled(self, *, tenant: str = "", session: str = "", agent: str = "") -> "DispatchContext":
        """Return a copy in which an agent's own scope and name stand where there were none."""
        if self.tenant or self.session:
            tenant, session = self.tenant, self.session
        return replace(self, tenant=tenant, session=session, agent=self.agent or agent)

    def remaining(self) -> float | None:
        """Return the seconds until the deadline, negative after it; ``None`` without one."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    def check(self) -> None:
        """Stop here if the request was cancelled, or its time is over; between stages.

        Raises
        ------
        CancelledError
            The caller cancelled it.
        RetrievalTimeoutError
            Its deadline has passed.
        """
        if self.cancellation is not None:
            self.cancellation.raise_if_cancelled()
        remaining = self.remaining()
        if remaining is not None and remaining <= 0:
            raise RetrievalTimeoutError("the retrieval was not done by the deadline of its request")


class DispatchContextBuilder:
    """Puts a :class:`DispatchContext` together, member by member, in the reference's words."""

    def __init__(self) -> None:
        self._members: dict[str, Any] = {}

    def scope(self, tenant: str, session: str) -> Self:
        """Set the tenant, and the session or conversation inside it."""
        self._set("tenant", tenant)
        return self._set("session", session)

    def run_id(self, run_id: str) -> Self:
        """Set the run."""
        return self._set("run_id", run_id)

    def agent(self, agent: str) -> Self:
        """Set the name of the agent."""
        return self._set("agent", agent)

    def simulation(self, simulation: str) -> Self:
        """Set the simulation."""
        return self._set("simulation", simulation)

    def current_episode(self, episode: str) -> Self:
        """Set the episode."""
        return self._set("episode", episode)

    def source_revision(self, source_revision: str) -> Self:
        """Set the revision of the sources that the request speaks of."""
        return self._set("source_revision", source_revision)

    def cancellation_token(self, token: CancellationToken) -> Self:
        """Set the flag by which the request is stopped."""
        return self._set("cancellation", token)

    def timeout(self, duration: timedelta | float) -> Self:
        """Set the deadline: a duration, or seconds, from now on.

        Raises
        ------
        InvalidArgumentError
            Not a duration above zero.
        """
        seconds = duration.total_seconds() if isinstance(duration, timedelta) else duration
        number = real_number(seconds)
        if number is None or not number > 0:
            raise InvalidArgumentError(
                f"timeout: expected a duration above zero, found {shown(duration)}"
            )
        return self._set("deadline", time.monotonic() + number)

    def deadline(self, instant: datetime) -> Self:
        """Set the deadline: an instant with a time zone; one that has passed is legal.

        Raises
        ------
        InvalidArgumentError
            Not an instant, or one without a zone.
        """
        if not isinstance(instant, datetime) or instant.tzinfo is None:
            raise InvalidArgumentError(
                f"deadline: expected a datetime with a time zone, found {shown(instant)}"
            )
        seconds = (instant - datetime.now(UTC)).total_seconds()
        return self._set("deadline", time.monotonic() + seconds)

    def metadata_filters(self, filters: Mapping[str, str]) -> Self:
        """Set what documents' metadata must equal."""
        return self._set("metadata_filters", filters)

    def turn_message(self, message: str) -> Self:
        """Set the raw message of a chat's turn."""
        return self._set("turn_message", message)

    def conversation_id(self, conversation_id: str) -> Self:
        """Set the conversation of a chat's turn."""
        return self._set("conversation_id", conversation_id)

    def source_paths(self, paths: Mapping[str, str]) -> Self:
        """Set the locations of DIRECT sources by name."""
        return self._set("source_paths", paths)

    def build(self) -> DispatchContext:
        """Return the context.

        Raises
        ------
        InvalidArgumentError
            A member that was set is not possible.
        """
        return DispatchContext(**self._members)

    def _set(self, name: str, value: object) -> Self:
        self._members[name] = value
        return self


def _texts_by_name(name: str, given: object) -> Mapping[str, str]:
    if not isinstance(given, Mapping):
        raise InvalidArgumentError(f"{name}: expected a mapping of strings, found {shown(given)}")
    for key, value in given.items():
        for text in (key, value):
            if not isinstance(text, str) or not text.strip():
                raise InvalidArgumentError(
                    f"{name}: expected non-blank strings, found {shown(key)}: {shown(value)}"
                )
    return MappingProxyType(dict(given))

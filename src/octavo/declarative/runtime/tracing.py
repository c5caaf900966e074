"""Spans of OpenTelemetry, for applications that set a tracer provider; others pay nothing for them.

Whoever sets a provider has imported the API, so nothing is imported here.
"""

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, Final

from octavo.version import __version__

PREFIX: Final = "octavo."
"""Begins the names of spans and of their attributes; a stage, or a field of its event, follows."""

_API: Final = "opentelemetry.trace"


class StageSpan:
    """The span of one stage.

    Parameters
    ----------
    api
        The module ``opentelemetry.trace``.
    span
        Of a tracer.
    """

    __slots__ = ("_api", "_span")

    def __init__(self, api: Any, span: Any) -> None:  # noqa: ANN401 - of an extra
        self._api = api
        self._span = span

    def current(self) -> AbstractContextManager[object]:
        """Make the span the parent of those that start inside."""
        entered: AbstractContextManager[object] = self._api.use_span(
            self._span, end_on_exit=False, record_exception=False, set_status_on_exception=False
        )
        return entered

    def end(self, event: Mapping[str, Any]) -> None:
        """End the span, with the stage's event as attributes, and a failure as its status.

        Messages of errors are left out: they may quote what an application's provider was given.
        """
        self._span.set_attributes(attributes_of(event))
        if "failure" in event:
            self._span.add_event("exception", {"exception.type": event["error"]})
            self._span.set_status(
                self._api.Status(self._api.StatusCode.ERROR, str(event["failure"]))
            )
        self._span.end()


def started_span(event: Mapping[str, Any]) -> StageSpan | None:
    """Start the span of a stage, inside the current one; ``None`` where nobody set a provider."""
    api = _api()
    tracer = None if api is None else _tracer(api, api.get_tracer_provider())
    if tracer is None:
        return None
    name, attributes = PREFIX + event["stage"], attributes_of(event)
    return StageSpan(api, tracer.start_span(name, attributes=attributes, record_exception=False))


def tell_span(event: Mapping[str, Any]) -> None:
    """Add something that takes no time to the current span."""
    api = _api()
    if api is not None and _tracer(api, api.get_tracer_provider()) is not None:
        api.get_current_span().add_event(PREFIX + event["stage"], attributes_of(event))


def attributes_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event's fields as attributes of a span; a mapping as a list of its entries.

    Examples
    --------
    >>> attributes_of({"stage": "retrieval", "documents": 2, "plan": {"vector: exact scan": 1}})
    {'octavo.stage': 'retrieval', 'octavo.documents': 2, 'octavo.plan': ('vector: exact scan = 1',)}
    """
    return {PREFIX + key: _plain(value) for key, value in event.items()}


def _plain(value: object) -> str | bool | int | float | tuple[str, ...]:
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return tuple(f"{name} = {each}" for name, each in value.items())
    if isinstance(value, Sequence):
        return tuple(map(str, value))
    return str(value)


def _api() -> Any:  # noqa: ANN401 - of an extra
    api = sys.modules.get(_API)
    return api if hasattr(api, "use_span") else None  # not what another thread is still importing


@lru_cache(maxsize=2)
def _tracer(api: Any, provider: Any) -> Any:  # noqa: ANN401 - of an extra
    if isinstance(provider, api.ProxyTracerProvider | api.NoOpTracerProvider):
        return None
    return provider.get_tracer("octavo.declarative", __version__)

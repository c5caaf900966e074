"""One structured event a stage, through standard logging; nothing is sent anywhere."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from octavo.errors import FailureReason, OctavoError

LOGGER: Final = logging.getLogger("octavo.declarative")

Event = dict[str, Any]


class Events:
    """Tells of one dispatch, stage by stage.

    Each is a record of the logger ``octavo.declarative``, at level INFO, or WARNING where the stage
    failed. Its attribute ``octavo_event`` is a mapping: ``stage``, ``milliseconds``, the dispatch's
    ``role`` and ``action``, what the stage counted, and ``failure`` (a reason of S50) where it
    failed. Queries, documents and scopes are never part of it.

    Parameters
    ----------
    **common
        What every event of the dispatch says.
    """

    def __init__(self, **common: Any) -> None:  # noqa: ANN401 - any value that can be logged
        self._common = common

    @contextmanager
    def stage(self, name: str, **known: Any) -> Iterator[Event]:  # noqa: ANN401
        """Time a stage; what it puts into the mapping is part of its event."""
        event: Event = {"stage": name, **self._common, **known}
        start = time.perf_counter()
        level = logging.INFO
        try:
            yield event
        except BaseException as error:
            level = logging.WARNING
            event["failure"] = str(reason_of(error))
            event["error"] = type(error).__name__
            raise
        finally:
            event["milliseconds"] = round(1000 * (time.perf_counter() - start), 3)
            self._tell(level, event)

    def tell(self, name: str, **known: Any) -> None:  # noqa: ANN401
        """Tell of something that takes no time."""
        self._tell(logging.INFO, {"stage": name, **self._common, **known})

    @staticmethod
    def _tell(level: int, event: Event) -> None:
        if LOGGER.isEnabledFor(level):
            told = " ".join(f"{key}={value}" for key, value in event.items() if key != "stage")
            LOGGER.log(level, "%s %s", event["stage"], told, extra={"octavo_event": event})


def reason_of(error: BaseException) -> FailureReason:
    """Return why something failed; what is no error of octavo's is a failed execution.

    Examples
    --------
    >>> reason_of(ValueError()).name
    'EXECUTION'
    """
    return error.reason if isinstance(error, OctavoError) else FailureReason.EXECUTION

"""What follows a failed retrieval (S67), and what no policy softens (S50)."""

from collections.abc import Callable
from typing import Final, NamedTuple

from octavo.declarative.declarations.enums import FailureAction
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import ExecutionError, FailureReason, OctavoError, told
from octavo.spi import RetrievedDocument

Documents = tuple[RetrievedDocument, ...]

_NEVER_SOFTENED: Final = frozenset({FailureReason.CONFIGURATION, FailureReason.CANCELLED})


class Outcome(NamedTuple):
    """Documents, and how they came about."""

    documents: Documents
    stale: bool = False
    fallback: FailureAction | None = None
    """What was done about a failure; ``None`` where there was none."""
    failure: OctavoError | None = None


class Fallbacks(NamedTuple):
    """Where documents come from when a retrieval failed."""

    cached: Callable[[], tuple[Documents, bool] | None]
    retried: Callable[[], Documents] | None
    """One keyword retrieval; ``None`` where none is possible."""


def retrieved_or_else(
    retrieve: Callable[[], Documents],
    action: FailureAction,
    fallbacks: Fallbacks,
    context: DispatchContext,
) -> Outcome:
    """Retrieve, and do what a policy says where that fails.

    Raises
    ------
    OctavoError
        The failure, where the policy is FAIL, or has nothing else to give: USE_CACHE without a
        usable result, RETRY_SIMPLE whose retry failed, or past the deadline. A configuration error
        and a cancellation, whatever the policy.
    """
    try:
        return Outcome(_typed(retrieve))
    except OctavoError as error:
        failure = error
    if failure.reason in _NEVER_SOFTENED:
        raise failure
    if context.cancellation is not None:
        context.cancellation.raise_if_cancelled()
    match action:
        case FailureAction.CONTINUE:
            return Outcome((), fallback=action, failure=failure)
        case FailureAction.USE_CACHE:
            cached = fallbacks.cached()
            if cached is not None:
                return Outcome(*cached, action, failure)
        case FailureAction.RETRY_SIMPLE:
            remaining = context.remaining()
            if fallbacks.retried is not None and (remaining is None or remaining > 0):
                return Outcome(
                    _retried(fallbacks.retried, failure), fallback=action, failure=failure
                )
    raise failure


def _retried(retry: Callable[[], Documents], failure: OctavoError) -> Documents:
    try:
        return _typed(retry)
    except OctavoError as error:
        raise error from failure


def _typed(retrieve: Callable[[], Documents]) -> Documents:
    """Retrieve; what is no error of octavo's becomes a failed execution."""
    try:
        return retrieve()
    except OctavoError:
        raise
    except Exception as error:
        raise ExecutionError(f"retrieval raised {told(error)}") from error

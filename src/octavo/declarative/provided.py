"""What is not octavo's own, and fails, is an execution failure with its cause (S43)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from octavo.errors import ExecutionError, OctavoError, RetrievalError, told

Answer = TypeVar("Answer")

_OWN: Final = __name__.rpartition(".")[0] + "."


@contextmanager
def failing_as_execution(what: str, provider: object = None) -> Iterator[None]:
    """Ask a provider inside; its own retrieval errors stay, all else is a failed execution.

    Providers that come with octavo, and classes derived from them, keep all typed errors: a bundled
    loader tells a wrong declaration, a bundled client a wrong key.

    Parameters
    ----------
    what
        How the message calls the provider.
    provider
        Who is asked; ``None``: somebody of the application's.

    Raises
    ------
    RetrievalError
        The provider's.
    ExecutionError
        It raised something else, which is its cause.
    """
    try:
        yield
    except RetrievalError:
        raise
    except Exception as error:
        if isinstance(error, OctavoError) and is_own(provider):
            raise
        raise ExecutionError(f"{what} raised {told(error)}") from error


def answered(what: str, call: Callable[[], Answer], provider: object = None) -> Answer:
    """Return what a provider answers; errors as of :func:`failing_as_execution`.

    Examples
    --------
    >>> answered("the reranker", lambda: 1 / 0)
    Traceback (most recent call last):
    octavo.errors.ExecutionError: the reranker raised ZeroDivisionError: division by zero
    """
    with failing_as_execution(what, provider):
        return call()


def is_own(provider: object) -> bool:
    """Whether a provider comes with octavo, or is derived from one that does; protocols do not count."""
    return any(kind.__module__.startswith(_OWN) for kind in type(provider).__mro__)

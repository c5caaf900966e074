"""Every error octavo raises on purpose, under one root.

A message names the argument, column or file, what was expected and what came. Errors about
arguments are raised before any native code runs.
"""

import errno
import operator
from decimal import Decimal
from enum import StrEnum
from numbers import Integral, Real


class FailureReason(StrEnum):
    """Why a call failed; carried by every error as ``reason`` (S50)."""

    CONFIGURATION = "CONFIGURATION"
    PROVIDER_UNAVAILABLE = "PROVIDER_UNAVAILABLE"
    SOURCE_LOADING = "SOURCE_LOADING"
    EXECUTION = "EXECUTION"
    CANCELLED = "CANCELLED"
    TIMEOUT = "TIMEOUT"
    VALIDATION = "VALIDATION"


class OctavoError(Exception):
    """Root of every error that octavo raises on purpose."""

    reason: FailureReason = FailureReason.EXECUTION
    texts: range | None = None
    """Which of the texts that were to be embedded the error concerns, where it does and that is known."""


class ConfigurationError(OctavoError):
    """Something was put together in a way that can never work."""

    reason = FailureReason.CONFIGURATION


class InvalidArgumentError(OctavoError, ValueError):
    """An argument, column or file content has a value that is not allowed."""

    reason = FailureReason.VALIDATION


class DimensionMismatchError(InvalidArgumentError):
    """A vector has another number of dimensions than the store it meets.

    Parameters
    ----------
    what
        The argument or column that holds the vector.
    expected, found
        Numbers of dimensions.
    """

    def __init__(self, what: str, expected: int, found: int) -> None:
        super().__init__(f"{what}: expected vectors of {expected} dimensions, found {found}")
        self.what = what
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[type, tuple[str, int, int]]:
        # An error must come out of another process as it went in.
        return type(self), (self.what, self.expected, self.found)


class NonFiniteVectorError(InvalidArgumentError):
    """A vector holds NaN or an infinity."""


class CorpusFormatError(OctavoError):
    """The directory is not an octavo index, or one that this version cannot read."""

    reason = FailureReason.VALIDATION


class CorpusCorruptError(OctavoError):
    """A file of the index is missing, damaged or does not fit the others."""

    reason = FailureReason.EXECUTION


class CorpusLockedError(OctavoError):
    """Another process is writing to the index, or to the same output."""

    reason = FailureReason.EXECUTION


class HierarchyError(ConfigurationError):
    """Hierarchy ids repeat, parents are missing, or parents form a cycle."""


class TemporalError(ConfigurationError):
    """A timestamp is invalid, has no zone, or lies too far in the future."""


class RetrievalError(OctavoError):
    """A retrieval failed while it ran.

    Parameters
    ----------
    message
        What went wrong, in one sentence.
    reason
        The class of failure; a subclass has its own.
    """

    def __init__(self, message: str, reason: FailureReason | None = None) -> None:
        super().__init__(message)
        if reason is not None:
            self.reason = reason


class ProviderUnavailableError(RetrievalError):
    """No installed provider serves the configured model."""

    reason = FailureReason.PROVIDER_UNAVAILABLE


class SourceLoadingError(RetrievalError):
    """A source is missing, unreadable or not what its name says."""

    reason = FailureReason.SOURCE_LOADING


class ExecutionError(RetrievalError):
    """An engine or a provider failed while it worked."""

    reason = FailureReason.EXECUTION


class CancelledError(RetrievalError):
    """The caller cancelled the retrieval."""

    reason = FailureReason.CANCELLED


class RetrievalTimeoutError(RetrievalError):
    """The deadline passed before the retrieval was done."""

    reason = FailureReason.TIMEOUT


class ContextValidationError(RetrievalError):
    """The retrieved context cannot be used as it is."""

    reason = FailureReason.VALIDATION


class GraphCapabilityError(RetrievalError):
    """Graph retrieval was asked for and no graph store serves it."""

    reason = FailureReason.CONFIGURATION


def checked_count(name: str, value: object, lowest: int = 1, highest: int | None = None) -> int:
    """Return ``value`` if it is an integer within the bounds and no boolean (S29).

    Raises
    ------
    InvalidArgumentError
        Naming the argument, what was expected and what came.
    """
    # NumPy registers its integers with `numbers`; its booleans and arrays, rank 0 too, are none.
    if isinstance(value, Integral) and not isinstance(value, bool):
        count = operator.index(value)
        if lowest <= count and (highest is None or count <= highest):
            return count
    bounds = f"of at least {lowest}" if highest is None else f"from {lowest} to {highest}"
    raise InvalidArgumentError(f"{name}: expected an integer {bounds}, found {shown(value)}")


def checked_fraction(name: str, value: object) -> float:
    """Return ``value`` if it is a number from 0 to 1 and no boolean (S29).

    Raises
    ------
    InvalidArgumentError
        Naming the argument, what was expected and what came.
    """
    number = real_number(value)
    if number is not None and 0.0 <= number <= 1.0:
        return number
    raise InvalidArgumentError(f"{name}: expected a number from 0 to 1, found {shown(value)}")


def real_number(value: object) -> float | None:
    """Return a real number as a float, ``None`` for all else.

    Booleans, arrays and text are no numbers here, nor is what lies beyond the range of a float.
    NumPy's scalars are: NumPy registers them with :mod:`numbers`, its booleans excepted.
    """
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        try:
            return float(value)
        except (ArithmeticError, ValueError):  # 10**400; a signalling NaN
            return None
    return None


def plain_text(value: object) -> str | None:
    """Return text as an exact ``str``, ``None`` for all else; runs no code of the value's type."""
    return str.__str__(value) if issubclass(type(value), str) else None


def told(error: BaseException) -> str:
    """Return an error's type and message, the type alone where it has no message to give."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - whatever the error's own ``__str__`` does
        return type(error).__name__


def shown(value: object) -> str:
    """Return ``repr(value)`` for a message, or the type's name where a value has none."""
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - an integer of 5000 digits, or anything a user's object does
        return f"a value of type {type(value).__name__}"


def is_exhausted(error: BaseException) -> bool:
    """Whether the process, or the system, ran out of descriptors or memory; that is no damage of a file.

    Examples
    --------
    >>> is_exhausted(OSError(errno.EMFILE, "Too many open files"))
    True
    """
    return isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOMEM}

"""What a check raises, and how to run the checks of a contract without a test runner."""

from collections.abc import Mapping
from typing import NoReturn
from unittest import SkipTest


class ContractViolationError(AssertionError):
    """An implementation breaks a rule of its contract.

    Parameters
    ----------
    rule
        The number of the rule, such as ``"S7"``.
    message
        What was expected and what came.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(f"{rule}: {message}")
        self.rule = rule
        self.message = message

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        # An error must come out of another process as it went in.
        return type(self), (self.rule, self.message)


def require(holds: object, rule: str, message: str) -> None:
    """Raise unless ``holds`` is true."""
    if not holds:
        raise ContractViolationError(rule, message)


def refuse(rule: str, message: str) -> NoReturn:
    """Raise whatever holds: what should not have happened did."""
    raise ContractViolationError(rule, message)


def does_not_apply(reason: str) -> SkipTest:
    """Return what marks a check as skipped, under pytest and unittest alike."""
    return SkipTest(reason)


def check_names(contract: type) -> tuple[str, ...]:
    """Return the names of a contract's checks, sorted."""
    return tuple(name for name in sorted(dir(contract)) if name.startswith("test_"))


def violations(contract: type) -> Mapping[str, Exception]:
    """Run every check of a contract and return the failures by the name of the check.

    Parameters
    ----------
    contract
        A class that inherits a contract and supplies its hooks; made anew for each check.

    Examples
    --------
    >>> class Sums:
    ...     def test_one(self):
    ...         require(1 + 1 == 3, "S0", "expected 3, found 2")
    >>> violations(Sums)
    {'test_one': ContractViolationError('S0: expected 3, found 2')}
    """
    found: dict[str, Exception] = {}
    for name in check_names(contract):
        try:
            getattr(contract(), name)()
        except SkipTest:
            continue
        except Exception as error:  # noqa: BLE001 - whatever an implementation raises is a failure
            found[name] = error
    return found

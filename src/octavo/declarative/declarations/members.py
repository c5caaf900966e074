"""Members of a declaration: what each means where it is unset, and how a given value is checked."""

from dataclasses import field, fields
from typing import Any, TypeVar, cast

from octavo.declarative.declarations.checks import Check
from octavo.declarative.declarations.unset import UNSET, Unset

T = TypeVar("T")

CHECK = "check"
DEFAULT = "default"


def member(default: T, check: Check) -> T:
    """Return a dataclass field that is unset where it is not given, and then has the default.

    The type is that of the value, as in the signature of :func:`dataclasses.field`.
    """
    return cast("T", field(default=UNSET, metadata={DEFAULT: default, CHECK: check}))


def settle(
    declaration: Any,  # noqa: ANN401 - any frozen dataclass
    copied: frozenset[str] | Unset = UNSET,
) -> frozenset[str]:
    """Check the given members of a new declaration, apply the defaults of others; return the given.

    Parameters
    ----------
    declaration
        A frozen dataclass, in the making.
    copied
        Where it is a copy made by :func:`dataclasses.replace`, which passes every member: those
        that were given before. A member of a copy is given if it was, or if it is no default.

    Raises
    ------
    ConfigurationError
        Naming the member, what was expected and what came.
    """
    given = set()
    for each in fields(declaration):
        if CHECK not in each.metadata:
            continue
        value = getattr(declaration, each.name)
        kept = copied is not UNSET and each.name not in copied and value == each.metadata[DEFAULT]
        if value is UNSET or kept:
            value = each.metadata[DEFAULT]
        else:
            value = each.metadata[CHECK](each.name, value)
            given.add(each.name)
        object.__setattr__(declaration, each.name, value)
    return frozenset(given)


def represented(declaration: Any, given: frozenset[str]) -> str:  # noqa: ANN401
    """Return the call that makes the declaration: its given members, in order."""
    names = [each.name for each in fields(declaration) if each.name in given]
    members = ", ".join(f"{name}={getattr(declaration, name)!r}" for name in names)
    return f"{type(declaration).__name__}({members})"

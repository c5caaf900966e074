"""Finding an input column by the name a user gave, or by a common name."""

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import pyarrow as pa

from octavo.errors import InvalidArgumentError, shown

Fits: TypeAlias = Callable[[pa.DataType], bool]


def check_unique_names(names: Iterable[str], origin: str) -> None:
    """Refuse column names that repeat: nobody could say which one is meant."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InvalidArgumentError(
            f"{origin}: expected distinct column names, found {listed(repeated)} more than once"
        )


def check_exists(option: str, name: str, names: Sequence[str]) -> None:
    """Refuse a named column that the input does not have, naming those it has and the nearest."""
    if not isinstance(name, str):
        raise InvalidArgumentError(f"{option}: expected the name of a column, found {shown(name)}")
    if name in names:
        return
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    folded = [other for other in names if other.casefold() == name.casefold()]
    hint = f"; did you mean {(folded or near)[0]!r}?" if folded or near else ""
    raise InvalidArgumentError(
        f"{option}: no column {name!r}; the columns are {listed(names)}{hint}"
    )


def check_column(
    schema: pa.Schema, option: str, name: str | None, fits: Fits, expected: str
) -> None:
    """Refuse a named column that is missing or of a type that does not fit.

    Parameters
    ----------
    schema
        The input's schema.
    option
        What the user set, for the message.
    name
        The column; ``None`` is fine.
    fits
        Whether a type is acceptable.
    expected
        What the types are, for the message.
    """
    if name is None:
        return
    check_exists(option, name, schema.names)
    if not fits(schema.field(name).type):
        raise InvalidArgumentError(
            f"{option}: expected column {name!r} to hold {expected}, "
            f"found {schema.field(name).type}"
        )


def find_column(
    schema: pa.Schema, candidates: Sequence[str], fits: Fits, taken: Sequence[str] = ()
) -> str | None:
    """Return the first candidate that exists with a fitting type, or nothing.

    Exactly spelled names come first, then names that differ in case; ``taken`` columns are left out.
    """
    free = [field.name for field in schema if field.name not in taken and fits(field.type)]
    folded = {name.casefold(): name for name in reversed(free)}
    for candidate in candidates:
        if candidate in free:
            return candidate
    for candidate in candidates:
        if candidate in folded:
            return folded[candidate]
    return None


def none_found(
    option: str, candidates: Sequence[str], names: Sequence[str]
) -> InvalidArgumentError:
    """Return the error for a part that no column was found for."""
    flag = option.replace("_", "-")
    return InvalidArgumentError(
        f"{option}: no column is called {', '.join(candidates[:-1])} or {candidates[-1]} with a "
        f"fitting type; the columns are {listed(names)}; name one with {option}= or --{flag}"
    )


def listed(names: Sequence[str], limit: int = 20) -> str:
    """Return names as a message shows them."""
    shown = ", ".join(repr(name) for name in names[:limit])
    return f"{shown}, ... ({len(names)} columns)" if len(names) > limit else shown or "(none)"

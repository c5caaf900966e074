"""Configuration errors that say where, and what was probably meant."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from octavo.errors import ConfigurationError

LISTED: Final = 30


@contextmanager
def naming(where: str) -> Iterator[None]:
    """Put ``where`` before the message of a configuration error that is raised inside."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from error.__cause__


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the known names, and the nearest one where there is one, for the end of a message."""
    from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

    names = sorted(set(known))
    listed = ", ".join(map(repr, names[:LISTED])) or "none"
    if len(names) > LISTED:
        listed += f" and {len(names) - LISTED} more"
    by_fold = {each.casefold(): each for each in reversed(names)}
    near = get_close_matches(name.casefold(), by_fold, n=1)
    hint = f"; did you mean {by_fold[near[0]]!r}?" if near else ""
    return f"known: {listed}{hint}"

"""Reading strategy options that come as text, as they do on the command line."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from octavo.errors import ConfigurationError, InvalidArgumentError
from octavo.graph.corpus_seeds import GraphSeeds
from octavo.importing import import_target
from octavo.strategies.lexical_navigator import LexicalNavigator
from octavo.strategies.synonym_expander import SynonymExpander

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*")


def duration(name: str, value: timedelta | str) -> timedelta:
    """Return a duration given as such or as text: ``30d``, ``12h``, ``1.5w``.

    Examples
    --------
    >>> duration("half_life", "30d").days
    30
    """
    if isinstance(value, timedelta):
        return value
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise InvalidArgumentError(
            f"{name}: expected a duration such as 30d, 12h or 90m, found {value!r}"
        )
    try:
        return timedelta(seconds=float(match[1]) * _UNITS[match[2]])
    except OverflowError:
        raise InvalidArgumentError(f"{name}: {value!r} is too long a time") from None


def fixed_clock(value: datetime | str) -> Callable[[], datetime]:
    """Return a clock that always says ``value``, an instant with its zone."""
    try:
        instant = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise InvalidArgumentError(
            f"now: expected an instant such as 2026-01-31T12:00:00Z, found {value!r}"
        ) from None
    if not isinstance(instant, datetime) or instant.tzinfo is None:
        raise InvalidArgumentError(f"now: expected an instant with a zone, found {value!r}")
    moment = instant.astimezone(UTC)
    return lambda: moment


def navigator(value: Any) -> Any:  # noqa: ANN401 - a navigator, a function or its name
    """Return a navigator given as an object, as ``lexical`` or as ``MODULE:ATTR``."""
    if value == "lexical":
        return LexicalNavigator()
    return import_target("navigator", value) if isinstance(value, str) else value


def expander(value: Any) -> Any:  # noqa: ANN401 - an expander, a function or its name
    """Return an expander given as an object, as ``table:FILE`` (JSON) or as ``MODULE:ATTR``."""
    if isinstance(value, str) and value.startswith("table:"):
        return SynonymExpander(_synonyms(Path(value.removeprefix("table:"))))
    return import_target("expander", value) if isinstance(value, str) else value


def graph_seeds(value: GraphSeeds | str | None) -> GraphSeeds | None:
    """Return how seeds are found, given as such or as text; ``None`` leaves it to the corpus.

    Examples
    --------
    >>> graph_seeds("hybrid")
    <GraphSeeds.HYBRID: 'hybrid'>
    """
    try:
        return None if value is None else GraphSeeds(value)
    except ValueError:
        names = ", ".join(seeds.value for seeds in GraphSeeds)
        raise InvalidArgumentError(f"seeds: expected one of {names}, found {value!r}") from None


def stream_weights(value: Mapping[str, float] | str | None) -> Mapping[str, float] | None:
    """Return the weights of streams, given as such or as text.

    Examples
    --------
    >>> stream_weights("keyword=1,vector=0.5")
    {'keyword': 1.0, 'vector': 0.5}
    """
    if not isinstance(value, str):
        return value
    weights: dict[str, float] = {}
    for each in value.split(","):
        name, _, number = (part.strip() for part in each.partition("="))
        try:
            known = name in weights
            weights[name] = float(number)
        except ValueError:
            known = True
        if known or not name:
            raise InvalidArgumentError(
                f"weights: expected such as keyword=1,vector=0.5, found {value!r}"
            )
    return weights


def _synonyms(path: Path) -> dict[str, list[str]]:
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"expander: {path} cannot be read as JSON: {error}") from error
    if not isinstance(table, dict):
        raise ConfigurationError(f"expander: {path}: expected an object of lists of texts")
    return {
        word: [synonyms] if isinstance(synonyms, str) else synonyms
        for word, synonyms in table.items()
    }

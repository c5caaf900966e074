"""A strategy as its results tell of it: settings, and the columns that hold its parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from octavo.errors import InvalidArgumentError, real_number, shown
from octavo.strategies.inner import free_names
from octavo.strategies.settings import StageSettings


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One strategy of those that made a score.

    Parameters
    ----------
    settings
        What :meth:`octavo.strategies.columnar.ColumnarStrategy.settings` gave.
    columns
        The column of each part, by the part's own name.
    child
        The strategy inside it, whose scores it takes further.
    path
        How messages call its settings, such as ``strategy.child``.
    """

    settings: StageSettings
    columns: Mapping[str, str]
    child: "Stage | None"
    path: str = "strategy"

    @property
    def formula(self) -> str:
        """The name of the formula."""
        return str(self.settings["formula"])

    def number(self, name: str) -> float:
        """Return a number among the settings.

        Raises
        ------
        InvalidArgumentError
            It is missing or no number.
        """
        value = self.settings.get(name)
        number = real_number(value)
        if number is None:
            raise InvalidArgumentError(
                f"settings: expected a number as {self.path}.{name}, found {shown(value)}"
            )
        return number

    def streams(self) -> tuple[str, ...]:
        """Return the names of the streams of a fusion."""
        return _streams(self.settings, self.path)

    def weights(self) -> dict[str, float] | None:
        """Return the weight of each stream of a fusion; ``None`` where there are none."""
        given = self.settings.get("weights")
        if given is None:
            return None
        streams = self.streams()
        if not isinstance(given, Mapping) or set(given) != set(streams):
            raise InvalidArgumentError(
                f"settings: expected a weight for each of {', '.join(streams)} as "
                f"{self.path}.weights, found {given!r}"
            )
        weighed = Stage(dict(given), {}, None, f"{self.path}.weights")
        return {stream: weighed.number(stream) for stream in streams}


def stage_of(settings: StageSettings) -> Stage:
    """Return a strategy with those inside it, their columns named as results name them.

    Raises
    ------
    InvalidArgumentError
        The settings are incomplete.
    """
    names = _all_parts(settings, "strategy")
    return _stage(settings, {name: name for name in names}, "strategy")


def _stage(settings: StageSettings, columns: Mapping[str, str], path: str) -> Stage:
    """Return the stage whose parts, those from inside included, lie in ``columns``."""
    own = _own_parts(settings, path)
    inner = settings.get("child")
    child = None
    if inner is not None:
        below = f"{path}.child"
        named = free_names(_all_parts(inner, below), str(inner["strategy"]), own)
        child = _stage(inner, {name: columns[free] for name, free in named.items()}, below)
    return Stage(settings, {name: columns[name] for name in own}, child, path)


def _all_parts(settings: StageSettings, path: str) -> tuple[str, ...]:
    own = _own_parts(settings, path)
    inner = settings.get("child")
    if inner is None:
        return own
    names = free_names(_all_parts(inner, f"{path}.child"), str(inner["strategy"]), own)
    return (*own, *names.values())


_WALKED = ("hops", "seed_score", "node_id")

_OWN_PARTS = {
    "graph": _WALKED,
    "multi-query": ("variant_ranks", "variant_streams"),
    "hierarchical": ("level", "from_id", "child_score"),
    "temporal": ("child_score", "multiplier", "age_seconds"),
    "reasoning": ("stop_reason",),
}


def _own_parts(settings: StageSettings, path: str) -> tuple[str, ...]:
    """Return the parts that a strategy adds, in its own order."""
    if settings["formula"] != "hybrid":
        return _OWN_PARTS.get(str(settings["formula"]), ())
    return (
        "voting_streams",
        *(() if settings.get("weights") is None else ("voting_weight",)),
        *(f"{stream}_{what}" for stream in _streams(settings, path) for what in ("rank", "score")),
        *(() if settings.get("graph") is None else _WALKED),
    )


def _streams(settings: StageSettings, path: str) -> tuple[str, ...]:
    found: Any = settings.get("streams")
    if isinstance(found, list) and found and all(isinstance(each, str) for each in found):
        return tuple(found)
    raise InvalidArgumentError(
        f"settings: expected names of streams as {path}.streams, found {found!r}"
    )

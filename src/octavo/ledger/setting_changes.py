"""What was asked otherwise of two results."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from octavo.ledger.stage import Stage
from octavo.strategies.settings import RunSettings


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting that differs.

    Parameters
    ----------
    name
        Its path, such as ``strategy.child.rrf_k``.
    before, after
        Plain JSON values; ``None`` where there is none.
    """

    name: str
    before: Any
    after: Any


def setting_changes(
    before: RunSettings | None, after: RunSettings | None
) -> tuple[SettingChange, ...]:
    """Return the settings that differ, the strategy's first; of unknown settings one entry."""
    if before is None or after is None:
        if before is after:
            return ()
        known = ("unknown" if each is None else "known" for each in (before, after))
        return (SettingChange("settings", *known),)
    one, other = (dict(_flat(settings)) for settings in (before, after))
    names = dict.fromkeys([*one, *other])
    return tuple(
        SettingChange(name, one.get(name), other.get(name))
        for name in names
        if one.get(name) != other.get(name)
    )


def _flat(settings: RunSettings) -> Iterator[tuple[str, Any]]:
    yield from _leaves("strategy", settings.strategy)
    yield "max_results", settings.max_results
    yield "min_score", settings.min_score
    yield from ((f"filters.{key}", value) for key, value in settings.filters.items())
    yield "octavo", settings.version


def _leaves(path: str, stage: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield path, stage["strategy"]
    for name, value in stage.items():
        if name in ("child", "graph") and isinstance(value, Mapping):
            yield from _leaves(f"{path}.{name}", value)
        elif name != "strategy":
            yield f"{path}.{name}", value


def shape_change(before: Stage, after: Stage) -> str | None:
    """Return what makes the parts of two stages another kind of parts; ``None`` where nothing does."""
    if before.formula != after.formula:
        return "strategy"
    if before.formula == "hybrid":
        if before.streams() != after.streams():
            return "streams"
        if (before.weights() is None) != (after.weights() is None):
            return "weights"
    if before.child is None or after.child is None:
        return None if before.child is after.child else "child"
    found = shape_change(before.child, after.child)
    return None if found is None else f"child.{found}" if found != "strategy" else "child"

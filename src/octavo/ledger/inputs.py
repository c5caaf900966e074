"""What the score of a strategy depends on: parts, which are columns, and settings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.ledger.formulas import has_parts
from octavo.ledger.hit_columns import HitColumns
from octavo.ledger.stage import Stage
from octavo.strategies.settings import StageSettings


@dataclass(frozen=True, slots=True)
class PartInput:
    """A column that a score depends on."""

    column: str

    @property
    def name(self) -> str:
        """How it is called where it is shown."""
        return self.column


@dataclass(frozen=True, slots=True)
class SettingInput:
    """A setting that a score depends on, of the strategy so many levels inside.

    Columns that say the same again, such as the divisor that weights make, go with it.
    """

    level: int
    setting: str
    columns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How it is called where it is shown."""
        return "child." * self.level + self.setting

    def differs(self, settings: StageSettings, other: StageSettings) -> bool:
        """Whether the setting is another in ``other``."""
        return self.taken_over(settings, other) != settings

    def taken_over(self, settings: StageSettings, other: StageSettings) -> dict[str, Any]:
        """Return ``settings`` with this one from ``other``."""
        if self.level == 0:
            return {**settings, self.setting: other.get(self.setting)}
        inner = SettingInput(self.level - 1, self.setting, self.columns)
        return {**settings, "child": inner.taken_over(settings["child"], other["child"])}


Input = PartInput | SettingInput

_PARTS: Mapping[str, tuple[str, ...]] = {
    "multi-query": ("variant_ranks", "variant_streams"),
    "graph": ("seed_score", "hops"),
    "hierarchical": ("level",),
    "temporal": ("age_seconds",),
    "reasoning": (),
}

_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "hybrid": ("rrf_k", "weights"),
    "multi-query": ("rrf_k",),
    "graph": ("decay",),
    "hierarchical": ("decay",),
    "temporal": ("half_life_seconds", "floor"),
    "reasoning": ("selected_score",),
}


def inputs_of(stage: Stage, level: int = 0) -> Iterator[Input]:
    """Yield all that the score of a stage depends on: innermost first, parts before settings."""
    if stage.child is not None and stage.formula in ("hierarchical", "temporal"):
        if has_parts(stage.child):
            yield from inputs_of(stage.child, level + 1)
        else:
            yield PartInput(stage.columns["child_score"])
    if not has_parts(stage):
        yield PartInput("score")
        return
    for part in _fusion_parts(stage) if stage.formula == "hybrid" else _PARTS[stage.formula]:
        yield PartInput(stage.columns[part])
    for setting in _SETTINGS[stage.formula]:
        weighed = setting == "weights" and stage.weights() is not None
        columns = (stage.columns["voting_weight"],) if weighed else ()
        yield SettingInput(level, setting, columns)


def _fusion_parts(stage: Stage) -> list[str]:
    divisor = "voting_streams" if stage.weights() is None else "voting_weight"
    return [*(f"{stream}_rank" for stream in stage.streams()), divisor]


def carriers(stage: Stage, hits: HitColumns) -> list[str]:
    """Return for each hit the part that carries its score most.

    Of a fusion that is the rank in the stream with the largest vote (the first of equals); of a
    strategy that takes another's scores further, what carries these; else what its formula starts
    from.
    """
    if stage.formula == "hybrid":
        names = [stage.columns[f"{stream}_rank"] for stream in stage.streams()]
        best = _votes(stage, hits).argmax(axis=0)
        return [names[place] for place in best.tolist()]
    if stage.child is not None and stage.formula in ("hierarchical", "temporal"):
        if has_parts(stage.child):
            return carriers(stage.child, hits)
        return [stage.columns["child_score"]] * len(hits)
    starts = {"graph": "seed_score", "multi-query": "variant_ranks", "reasoning": "stop_reason"}
    start = starts.get(stage.formula)
    return [stage.columns[start] if start else "score"] * len(hits)


def _votes(stage: Stage, hits: HitColumns) -> NDArray[np.float64]:
    weights, k = stage.weights(), stage.number("rrf_k")
    votes = []
    for stream in stage.streams():
        rank, present = hits.counts(stage.columns[f"{stream}_rank"], 1)
        weight = 1.0 if weights is None else weights[stream]
        votes.append(np.where(present, weight / (k + np.maximum(rank, 1)), 0.0))
    return np.stack(votes)

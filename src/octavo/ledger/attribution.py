"""Which part moved a hit.

The rule, for a hit that both results have:

1. Its score is the same, or went the other way than its rank: *others* moved it, hits that came,
   went or changed.
2. Else the part, or the setting, that moves its score furthest in the direction it went, when it
   alone is exchanged: of everything that the score depends on, one thing after another gets the
   value that it has after, all else staying as before, and the score is recomputed. Weights that
   changed bring the divisor that they make. Equal effects: the first in the order of the formula,
   from the innermost stage outwards.
3. Where no single one does it, *several* together.
4. Where the strategies have other parts altogether, what makes them so.

A hit that only one result has: ``max_results`` or ``min_score``, where its rank or score would not
have passed the other's; else the part that carries its score most.
"""

import numpy as np
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError
from octavo.ledger.formulas import recomputed_scores
from octavo.ledger.hit_columns import HitColumns
from octavo.ledger.inputs import Input, SettingInput, carriers, inputs_of
from octavo.ledger.setting_changes import shape_change
from octavo.ledger.stage import stage_of
from octavo.strategies.settings import RunSettings, StageSettings

OTHERS = "others"
SEVERAL = "several"
UNKNOWN = "unknown"


class Attribution:
    """Says which part moved hits from one result to another.

    Parameters
    ----------
    before, after
        How the two were asked for. Where that is unknown, so is what moved a hit by its own score.
    """

    def __init__(self, before: RunSettings | None, after: RunSettings | None) -> None:
        self._before = before
        self._after = after

    def moved(
        self,
        before: HitColumns,
        after: HitColumns,
        change: NDArray[np.int64],
        rises: NDArray[np.int64],
    ) -> list[str]:
        """Return what moved hits that both results have.

        Parameters
        ----------
        before, after
            The hits, row by row the same.
        change
            1 where the score went up, -1 where it went down, 0 where it is the same.
        rises
            By how many ranks each went up; negative is down.
        """
        found = np.full(len(change), OTHERS, np.object_)
        own = (change != 0) & (change * np.sign(rises) >= 0)
        if own.any():
            found[own] = self._by_own_score(before, after, change)[own]
        return [str(name) for name in found]

    def _by_own_score(
        self, before: HitColumns, after: HitColumns, change: NDArray[np.int64]
    ) -> NDArray[np.object_]:
        if self._before is None or self._after is None:
            return np.full(len(change), UNKNOWN, np.object_)
        settings = (self._before.strategy, self._after.strategy)
        stage, other = map(stage_of, settings)
        shape = shape_change(stage, other)
        if shape is not None:
            return np.full(len(change), shape, np.object_)
        try:
            start = recomputed_scores(stage, before)
            exchanged = {
                each.name: _exchanged(each, before, after, settings)
                for each in _told_apart(list(inputs_of(stage)), settings)
            }
        except InvalidArgumentError:  # parts are missing: of these hits nothing is known
            return np.full(len(change), UNKNOWN, np.object_)
        with np.errstate(invalid="ignore"):  # of two infinite scores
            effect = np.stack([(scores - start) * change for scores in exchanged.values()])
        effect = np.nan_to_num(effect)
        names = np.array(list(exchanged), np.object_)[effect.argmax(axis=0)]
        moved: NDArray[np.object_] = np.where(effect.max(axis=0) > 0.0, names, SEVERAL)
        return moved

    def alone(self, hits: HitColumns, scores: NDArray[np.float64], *, entered: bool) -> list[str]:
        """Return what let hits in that only the second result has, or kept those of the first out.

        Parameters
        ----------
        hits, scores
            The hits and their scores, in the result that has them.
        entered
            Whether that is the second.
        """
        own, other = (self._after, self._before) if entered else (self._before, self._after)
        if own is None or other is None:
            return [UNKNOWN] * len(hits)
        try:
            names = carriers(stage_of(own.strategy), hits)
        except InvalidArgumentError:
            names = [UNKNOWN] * len(hits)
        ranks = hits.all_counts("rank", 1)
        for place in np.flatnonzero(scores < other.min_score).tolist():
            names[place] = "min_score"
        for place in np.flatnonzero(ranks > other.max_results).tolist():
            names[place] = "max_results"
        return names


def _told_apart(inputs: list[Input], settings: tuple[StageSettings, StageSettings]) -> list[Input]:
    """Return the inputs but for columns that a changed setting brings with it."""
    brought = {
        column
        for each in inputs
        if isinstance(each, SettingInput) and each.differs(*settings)
        for column in each.columns
    }
    return [each for each in inputs if each.name not in brought]


def _exchanged(
    changed: Input,
    before: HitColumns,
    after: HitColumns,
    settings: tuple[StageSettings, StageSettings],
) -> NDArray[np.float64]:
    """Return the scores before, with one thing as it is after."""
    if isinstance(changed, SettingInput):
        for column in changed.columns:
            before = before.with_column(column, after)
        return recomputed_scores(stage_of(changed.taken_over(*settings)), before)
    return recomputed_scores(stage_of(settings[0]), before.with_column(changed.column, after))

"""What each strategy makes of its parts: the formulas of the contract, over columns.

Every operation is the one that the strategy's kernel does, in the same order, so that the result
has the same bits.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError
from octavo.kernels.temporal_decay import decay_by_age
from octavo.ledger.hit_columns import HitColumns
from octavo.ledger.stage import Stage

Scores: TypeAlias = NDArray[np.float64]
Formula: TypeAlias = Callable[[Stage, HitColumns], Scores]


def recomputed_scores(stage: Stage, hits: HitColumns) -> Scores:
    """Return the score that a stage gave each hit, from the parts.

    A score of a stage inside is recomputed too, where that has parts; what an engine measured (a
    keyword or vector score, or that of an application's own strategy) is taken from ``child_score``.

    Raises
    ------
    InvalidArgumentError
        A part is missing or damaged, naming its column, or the formula is unknown.
    """
    return formula_of(stage)(stage, hits)


def formula_of(stage: Stage) -> Formula:
    """Return the formula of a stage.

    Raises
    ------
    InvalidArgumentError
        There is none of this name, as for an application's own strategy.
    """
    formula = FORMULAS.get(stage.formula)
    if formula is None:
        raise InvalidArgumentError(
            f"settings: expected one of {', '.join(FORMULAS)} as {stage.path}.formula, found "
            f"{stage.formula!r}: of such a strategy no parts are known"
        )
    return formula


def _measured(_stage: Stage, hits: HitColumns) -> Scores:
    """S20, S21: what an engine measured is its own and only part."""
    return hits.all_numbers("score")


def _fused(stage: Stage, hits: HitColumns) -> Scores:
    """S22: ``sum of (k + 1) / (k + rank)``, divided by the number of non-empty streams.

    With weights each term is multiplied by its stream's, and the divisor is ``voting_weight``.
    """
    weights = stage.weights() or dict.fromkeys(stage.streams(), 1.0)
    # At equal ranks the heavier vote is added first.
    streams = sorted(weights, key=lambda stream: -weights[stream])
    ranks = np.stack([hits.counts(stage.columns[f"{each}_rank"], 1)[0] for each in streams], axis=1)
    factors = np.array([weights[stream] for stream in streams])
    weighted = stage.settings.get("weights") is not None
    divisor = (
        hits.all_numbers(stage.columns["voting_weight"])
        if weighted
        else hits.all_counts(stage.columns["voting_streams"], 1).astype(np.float64)
    )
    return _votes(ranks, factors, stage.number("rrf_k")) / divisor


def _of_variants(stage: Stage, hits: HitColumns) -> Scores:
    """S25: as S22, a stream being what was found for one variant of the query."""
    ranks = hits.count_lists(stage.columns["variant_ranks"])
    divisor = hits.all_counts(stage.columns["variant_streams"], 1)
    return _votes(ranks, np.ones(ranks.shape[1]), stage.number("rrf_k")) / divisor


def _votes(ranks: NDArray[np.int64], factors: Scores, k: float) -> Scores:
    """Add up the terms of each line of ranks in ascending order of rank; 0 is no rank."""
    last = np.iinfo(np.int64).max
    order = np.argsort(np.where(ranks > 0, ranks, last), axis=1, kind="stable")
    sorted_ranks = np.take_along_axis(ranks, order, axis=1)
    total = np.zeros(len(ranks))
    for place in range(ranks.shape[1]):
        rank = sorted_ranks[:, place]
        voting = rank > 0
        total[voting] += (k + 1.0) / (k + rank[voting]) * factors[order[voting, place]]
    return total


def _walked(stage: Stage, hits: HitColumns) -> Scores:
    """S24: ``seed_score * decay^hops``, multiplied hop by hop."""
    seeds = hits.all_numbers(stage.columns["seed_score"])
    hops = hits.all_counts(stage.columns["hops"], 0)
    decay = stage.number("decay")
    return _stepped(seeds, hops, lambda scores: scores * decay + 0.0)  # never minus zero


def _climbed(stage: Stage, hits: HitColumns) -> Scores:
    """S26: ``child_score * decay^level``, multiplied level by level."""
    levels = hits.all_counts(stage.columns["level"], 0)
    decay = stage.number("decay")
    return _stepped(
        _child_scores(stage, hits),
        levels,
        lambda scores: scores * decay if decay > 0.0 else np.zeros(len(scores)),
    )


def _weighed(stage: Stage, hits: HitColumns) -> Scores:
    """S27: ``child_score * multiplier``, the multiplier from age, half-life and floor."""
    ages, dated = hits.numbers(stage.columns["age_seconds"])
    half_life, floor = stage.number("half_life_seconds"), stage.number("floor")
    if not (half_life > 0.0 and 0.0 <= floor <= 1.0):
        raise InvalidArgumentError(
            f"settings: expected {stage.path}.half_life_seconds above 0 and .floor from 0 to 1, "
            f"found {half_life} and {floor}"
        )
    children = _child_scores(stage, hits)
    return decay_by_age(children, ages, dated, half_life=half_life, floor=floor)[0]


def _landed(stage: Stage, hits: HitColumns) -> Scores:
    """S28: a node landed on has one score; ``stop_reason`` says why the descent ended there."""
    hits.texts(stage.columns["stop_reason"])
    return np.full(len(hits), stage.number("selected_score"))


def _child_scores(stage: Stage, hits: HitColumns) -> Scores:
    """Return the scores of the stage inside: from its parts, where it has some."""
    if stage.child is None or not has_parts(stage.child):
        return hits.all_numbers(stage.columns["child_score"])
    return recomputed_scores(stage.child, hits)


def _stepped(scores: Scores, steps: NDArray[np.int64], step: Callable[[Scores], Scores]) -> Scores:
    """Apply ``step`` to each score as often as ``steps`` says."""
    found = scores.copy()
    for done in range(int(steps.max(initial=0))):
        pending = np.flatnonzero(steps > done)
        before = found[pending]
        after = step(before)
        if np.array_equal(before, after):  # and so it stays, however many steps a damaged table has
            break
        found[pending] = after
    return found


FORMULAS: Mapping[str, Formula] = {
    "keyword": _measured,
    "vector": _measured,
    "hybrid": _fused,
    "graph": _walked,
    "multi-query": _of_variants,
    "hierarchical": _climbed,
    "temporal": _weighed,
    "reasoning": _landed,
}


def has_parts(stage: Stage) -> bool:
    """Whether the score of a stage follows from parts, rather than being measured."""
    return FORMULAS.get(stage.formula, _measured) is not _measured

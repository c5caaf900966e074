"""How a composing strategy asks the strategies inside it (S10, S14)."""

import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from octavo.columns.hits import Part
from octavo.errors import InvalidArgumentError, checked_count, shown
from octavo.spi import RAGContext

LOWEST_SCORE = -sys.float_info.max
"""The threshold of an inner stage: none, so that no stage loses what a later one could use."""

DEFAULT_CANDIDATE_DEPTH = 100


def candidate_depth(context: RAGContext, configured: int | None = None) -> int:
    """Return how many hits an inner stream gives: ``max(100, max_results)`` unless configured."""
    return max(configured or DEFAULT_CANDIDATE_DEPTH, context.max_results)


def checked_depth(configured: object) -> int | None:
    """Return a configured candidate depth; ``None`` where none is (S29).

    Raises
    ------
    InvalidArgumentError
        It is no integer of at least 1.
    """
    return None if configured is None else checked_count("candidate_depth", configured)


def inner_context(context: RAGContext, depth: int) -> RAGContext:
    """Return the context of an inner stage: the same filters, ``depth`` results, no threshold."""
    return RAGContext(depth, LOWEST_SCORE, context.metadata_filters)


def checked_sources(allowed_sources: Collection[str]) -> frozenset[str]:
    """Return the sources of a fence; empty allows every source.

    Raises
    ------
    InvalidArgumentError
        They are no collection of strings; one string is a mistake, not its letters.
    """
    if isinstance(allowed_sources, str) or not isinstance(allowed_sources, Collection):
        raise InvalidArgumentError(
            f"allowed_sources: expected a collection of sources, found {shown(allowed_sources)}"
        )
    for source in allowed_sources:
        if not isinstance(source, str):
            raise InvalidArgumentError(f"allowed_sources: expected strings, found {shown(source)}")
    return frozenset(allowed_sources)


def carried(inner: Mapping[str, Part], strategy: str, own: Mapping[str, Part]) -> dict[str, Part]:
    """Return a stage's own parts and, beside them, those of the stage inside it.

    An inner part whose name the outer stage uses too is kept as ``<inner strategy>_<name>``, so
    that every score can still be recomputed from its parts; where both would show the same
    metadata key, the outer stage's shows.
    """
    parts = dict(own)
    keys = {part.key for part in own.values()}
    for name, free in free_names(inner, strategy, own).items():
        part = inner[name]
        parts[free] = replace(part, key=None) if part.key in keys else part
    return parts


def free_names(inner: Iterable[str], strategy: str, taken: Iterable[str]) -> dict[str, str]:
    """Return the name that each inner part gets beside those of the outer stage.

    Examples
    --------
    >>> free_names(["child_score", "level"], "hierarchical", ["child_score"])
    {'child_score': 'hierarchical_child_score', 'level': 'level'}
    """
    used = set(taken)
    names: dict[str, str] = {}
    for name in inner:
        free = name
        while free in used:
            free = f"{strategy.replace('-', '_')}_{free}"
        used.add(free)
        names[name] = free
    return names

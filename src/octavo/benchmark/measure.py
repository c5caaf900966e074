"""What a measure is: a name, a unit, a thing and the baseline it is measured beside."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from octavo.benchmark.timing import Sampler

if TYPE_CHECKING:
    from octavo.benchmark.bench import Bench

Facts = Mapping[str, float]
"""What a check found out beside right or wrong, such as the recall."""


class Unit(StrEnum):
    """What a figure counts, for one item."""

    QUERY = "s/query"
    DOCUMENT = "s/document"
    CALL = "s"
    BYTES = "bytes"


class Group(StrEnum):
    """What a measure is about; the order in which groups are run and shown."""

    MICRO = "micro"
    ENGINE = "engine"
    STRATEGY = "strategy"
    BATCH = "batch"
    STORAGE = "storage"
    MEMORY = "memory"
    START = "start"
    GROWTH = "growth"
    PEER = "peer"


def nothing_to_check() -> Facts:
    """Check nothing: there is no result but the figure itself."""
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A subject and its baseline, ready to be measured in turn.

    Parameters
    ----------
    subject, baseline
        Both give a figure for one item, so they may do different numbers of them.
    check
        Compares the subject's results with what the harness works out by itself, and returns facts
        such as the recall; raises :class:`~octavo.benchmark.checks.IncorrectResultError`.
    """

    subject: Sampler
    baseline: Sampler
    check: Callable[[], Facts] = nothing_to_check


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measure:
    """One line of a report.

    Parameters
    ----------
    name
        Unique, beginning with the group, such as ``engine.keyword.batch``.
    what
        What is measured, in a few words.
    unit
        What the figures count.
    baseline
        What it is measured beside, in a few words.
    prepare
        Makes both from what the run has.
    rounds
        The most rounds; 1 for what does not vary.
    """

    name: str
    what: str
    unit: Unit
    baseline: str
    prepare: "Callable[[Bench], Pair]"
    rounds: int = 31

    @property
    def group(self) -> Group:
        """What its name begins with."""
        return Group(self.name.partition(".")[0])

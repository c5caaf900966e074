"""Two things timed in turn, so that whatever slows the machine slows both."""

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

Work = Callable[[], object]

_FEWEST_ROUNDS = 3
_LONG = 1.0
_DEVIATION = 1.4826  # of a normal distribution from its median absolute deviation


class Sampler(Protocol):
    """One figure of a thing measured; each call measures anew."""

    def prepare(self, shortest: float) -> None:
        """Warm up; make a sample last about ``shortest`` seconds where it can."""
        ...

    def sample(self) -> float:
        """Measure once, in the measure's unit for one item."""
        ...


class Timed:
    """Seconds an item of ``work``, which does ``items`` of them in one call."""

    def __init__(self, work: Work, items: int = 1) -> None:
        self.work = work
        self.items = items
        self._repeats = 1

    def prepare(self, shortest: float) -> None:
        """Warm up; repeat within a sample what is too short for the clock."""
        seconds = _seconds(self.work)
        if seconds < _LONG:  # else the first call's own cost hardly shows
            seconds = _seconds(self.work)
        self._repeats = max(1, round(shortest / seconds))

    def sample(self) -> float:
        """Return seconds an item."""
        started = time.perf_counter()
        for _ in range(self._repeats):
            self.work()
        return (time.perf_counter() - started) / (self._repeats * self.items)


class Observed:
    """A figure that ``observe`` finds out by itself, such as the memory of a process."""

    def __init__(self, observe: Callable[[], float]) -> None:
        self._observe = observe

    def prepare(self, shortest: float) -> None:
        """Do nothing: each observation starts anew."""

    def sample(self) -> float:
        """Return one observation."""
        return self._observe()


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to measure.

    Parameters
    ----------
    seconds
        Once this time is used no further round begins; there are at least three.
    rounds
        The most rounds.
    shortest
        Seconds that a sample should last at least.
    """

    seconds: float
    rounds: int = 31
    shortest: float = 0.01


@dataclass(frozen=True, slots=True)
class Rounds:
    """Samples of a subject and of its baseline, pairs from the same moment."""

    subject: tuple[float, ...]
    baseline: tuple[float, ...]

    @property
    def value(self) -> float:
        """The median of the subject."""
        return statistics.median(self.subject)

    @property
    def baseline_value(self) -> float:
        """The median of the baseline."""
        return statistics.median(self.baseline)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Subject over baseline, round by round."""
        return tuple(
            ours / theirs for ours, theirs in zip(self.subject, self.baseline, strict=True)
        )

    @property
    def ratio(self) -> float:
        """The median of the ratios."""
        return statistics.median(self.ratios)

    @property
    def noise(self) -> float:
        """Relative standard deviation of the ratio of one round, robust against outliers.

        Examples
        --------
        >>> round(Rounds((1.0, 1.1, 9.0), (1.0, 1.0, 1.0)).noise, 3)
        0.135
        """
        middle = self.ratio
        spread = statistics.median(abs(ratio - middle) for ratio in self.ratios)
        return _DEVIATION * spread / middle


def interleaved(subject: Sampler, baseline: Sampler, budget: Budget) -> Rounds:
    """Measure both in turn until the budget is used up.

    Each is warmed up first. Rounds begin with the one and the other alternately, and the collection
    of garbage is off within them.
    """
    for sampler in (subject, baseline):
        sampler.prepare(budget.shortest)
    samples: tuple[list[float], list[float]] = ([], [])
    started = time.perf_counter()
    with _without_collection():
        for number in range(budget.rounds):
            used = time.perf_counter() - started
            if number >= _FEWEST_ROUNDS and used * (number + 1) / number > budget.seconds:
                break
            order = ((0, subject), (1, baseline))
            for place, sampler in order if number % 2 == 0 else order[::-1]:
                samples[place].append(sampler.sample())
    return Rounds(tuple(samples[0]), tuple(samples[1]))


def _seconds(work: Work) -> float:
    started = time.perf_counter()
    work()
    return max(time.perf_counter() - started, 1e-9)


@contextmanager
def _without_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()

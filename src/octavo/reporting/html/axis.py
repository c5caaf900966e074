"""Where values stand on an axis, and which of them are written beside it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_STEPS: Final = (1, 2, 5, 10)
_MOST_TICKS: Final = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """Values along a line of the drawing.

    Parameters
    ----------
    low, high
        The values at its ends, ``low`` below ``high``; of a logarithmic one above 0.
    start, stop
        Where its ends are drawn.
    logarithmic
        Whether equal factors are equally long.
    """

    low: float
    high: float
    start: float
    stop: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Return where a value is drawn, to a tenth of a unit; beyond an end, at the end.

        Examples
        --------
        >>> Axis(0.0, 2.0, 100.0, 0.0).place(0.5), Axis(1, 100, 0, 10, logarithmic=True).place(10)
        (75.0, 5.0)
        """
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.logarithmic:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return round(self.start + (at - low) / (high - low) * (self.stop - self.start), 1)

    def ticks(self) -> list[float]:
        """Return the round values within, at most six where the axis is linear.

        Examples
        --------
        >>> Axis(0.0, 0.93, 0, 1).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8]
        >>> Axis(1e3, 2e5, 0, 1, logarithmic=True).ticks()
        [1000.0, 10000.0, 100000.0]
        >>> Axis(0.03, 0.4, 0, 1, logarithmic=True).ticks()
        [0.05, 0.1, 0.2]
        >>> Axis(2.6, 3.4, 0, 1, logarithmic=True).ticks()
        [2.6, 2.8, 3.0, 3.2, 3.4]
        """
        return self._log_ticks() if self.logarithmic else self._linear_ticks()

    def _linear_ticks(self) -> list[float]:
        rough = (self.high - self.low) / (_MOST_TICKS - 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{number * step:.6g}") for number in range(first, last + 1)]

    def _log_ticks(self) -> list[float]:
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        decades = self._within(10.0**power for power in powers)
        if len(decades) > 2:
            return decades[:: 1 + len(decades) // 8]
        fine = self._within(each * 10.0**power for power in powers for each in (1, 2, 5))
        return fine if len(fine) > 2 else self._linear_ticks()

    def _within(self, values: Iterable[float]) -> list[float]:
        rounded = (float(f"{value:.6g}") for value in values)
        return [value for value in rounded if self.low <= value <= self.high]


def rounded_up(value: float) -> float:
    """Return the next value that an axis may end at: a round one.

    Examples
    --------
    >>> rounded_up(0.43), rounded_up(0.0), rounded_up(12.0)
    (0.5, 1.0, 15.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(
        float(f"{each * power:.6g}")
        for each in (1, 1.5, 2, 3, 5, 7.5, 10)
        if each * power >= value * (1 - 1e-9)
    )

"""Means with their confidence intervals, one line a system."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from octavo.reporting.html.axis import Axis, rounded_up
from octavo.reporting.html.drawing import drawing, fitted_apart, line, text_at
from octavo.reporting.html.element import Element, element

_WIDTH: Final = 356
_LABELS: Final = 124
_VALUES: Final = 52
_ROW: Final = 30
_TOP: Final = 8
_FOOT: Final = 26
_LONGEST_NAME: Final = 14


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with bounds, and whose it is; the one to compare with is drawn as a line too."""

    name: str
    value: float
    low: float
    high: float
    reference: bool = False


def interval_plot(identifier: str, title: str, intervals: Sequence[Interval]) -> Element:
    """Return a figure of values of at least 0 with their intervals, below each other.

    Parameters
    ----------
    identifier
        Unique on the page.
    title
        What the values are.
    intervals
        At least one.
    """
    bottom = _TOP + _ROW * len(intervals)
    highest = rounded_up(max(each.high for each in intervals))
    axis = Axis(0.0, highest, _LABELS, _WIDTH - _VALUES)
    parts = [
        line(axis.place(each), _TOP, axis.place(each), bottom, "grid") for each in axis.ticks()
    ]
    parts += [
        text_at(axis.place(each), bottom + 18, f"{each:g}", anchor="middle", class_="tick")
        for each in axis.ticks()
    ]
    parts += [
        line(axis.place(each.value), _TOP, axis.place(each.value), bottom, "reference")
        for each in intervals
        if each.reference
    ]
    names = fitted_apart([each.name for each in intervals], _LONGEST_NAME)
    for number, (name, each) in enumerate(zip(names, intervals, strict=True)):
        parts += _row(name, each, axis, _TOP + _ROW * number + _ROW / 2)
    said = "; ".join(
        f"{each.name} {each.value:.3f}, from {each.low:.3f} to {each.high:.3f}"
        for each in intervals
    )
    return element(
        "figure",
        element("figcaption", title),
        drawing(identifier, _WIDTH, bottom + _FOOT, title, said, *parts),
    )


def _row(name: str, shown: Interval, axis: Axis, y: float) -> list[Element]:
    return [
        text_at(_LABELS - 12, y + 4, name, anchor="end", class_="name"),
        line(axis.place(shown.low), y, axis.place(shown.high), y, "interval"),
        element("circle", cx=axis.place(shown.value), cy=y, r=4.5, class_="mean"),
        text_at(_WIDTH, y + 4, f"{shown.value:.3f}", anchor="end", class_="value"),
    ]

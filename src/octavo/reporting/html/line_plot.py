"""Points of several series on two axes, joined or not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from octavo.reporting.html.axis import Axis
from octavo.reporting.html.drawing import drawing, fitted_apart, line, text_at
from octavo.reporting.html.element import Element, element
from octavo.reporting.html.scrolling import scrolling

_WIDTH: Final = 740
_HEIGHT: Final = 400
_LEFT: Final = 84
_RIGHT: Final = 560
_TOP: Final = 14
_BOTTOM: Final = 346
_LABEL_STEP: Final = 18
_MARKS: Final = ("circle", "square", "diamond", "triangle")
_TONES: Final = 2
_LONGEST_NAME: Final = 14


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one name, in order; ``joined`` by a line."""

    name: str
    points: tuple[tuple[float, float], ...]
    joined: bool = True


@dataclass(frozen=True, slots=True)
class Scale:
    """What an axis measures; ``written`` makes the text of a tick."""

    name: str
    logarithmic: bool = False
    written: Callable[[float], str] = "{:g}".format


def line_plot(identifier: str, title: str, x: Scale, y: Scale, series: Sequence[Series]) -> Element:
    """Return a figure of series, told apart by marks, dashes and names, not by colour alone.

    Parameters
    ----------
    identifier
        Unique on the page.
    title
        What is to be seen.
    x, y
        What the axes measure; a logarithmic one takes values above 0 only.
    series
        At least one, each with a point.
    """
    across = _axis(x, [point[0] for each in series for point in each.points], _LEFT, _RIGHT)
    up = _axis(y, [point[1] for each in series for point in each.points], _BOTTOM, _TOP)
    parts = [*_ticks(x, y, across, up)]
    names = fitted_apart([each.name for each in series], _LONGEST_NAME)
    for number, (name, each) in enumerate(zip(names, series, strict=True)):
        parts.append(_drawn(each, number, across, up))
        parts += _legend(name, each, number)
    said = "; ".join(
        f"{each.name}: " + ", ".join(f"{x.written(a)} {y.written(b)}" for a, b in each.points)
        for each in series
    )
    said = f"{y.name} against {x.name}. {said}"
    return element(
        "figure",
        element("figcaption", title),
        scrolling(drawing(identifier, _WIDTH, _HEIGHT, title, said, *parts), title),
        class_="wide",
    )


def _axis(scale: Scale, values: Sequence[float], start: float, stop: float) -> Axis:
    """Return an axis with room beyond the values at both ends."""
    low, high = min(values), max(values)
    if scale.logarithmic:
        room = max(1.15, (high / low) ** 0.04)
        return Axis(low / room, high * room, start, stop, logarithmic=True)
    room = 0.05 * (high - low) or max(abs(high), 1.0) * 0.05
    return Axis(low - room, high + room, start, stop)


def _ticks(x: Scale, y: Scale, across: Axis, up: Axis) -> list[Element]:
    parts = []
    for value in across.ticks():
        at = across.place(value)
        parts.append(line(at, _TOP, at, _BOTTOM, "grid"))
        parts.append(text_at(at, _BOTTOM + 18, x.written(value), anchor="middle", class_="tick"))
    for value in up.ticks():
        at = up.place(value)
        parts.append(line(_LEFT, at, _RIGHT, at, "grid"))
        parts.append(text_at(_LEFT - 8, at + 4, y.written(value), anchor="end", class_="tick"))
    middle = (_TOP + _BOTTOM) / 2
    return [
        *parts,
        text_at((_LEFT + _RIGHT) / 2, _BOTTOM + 42, x.name, anchor="middle", class_="axis"),
        element(
            "text", y.name, transform=f"translate(14 {middle}) rotate(-90)",
            text_anchor="middle", class_="axis",
        ),
    ]  # fmt: skip


def _drawn(series: Series, number: int, across: Axis, up: Axis) -> Element:
    places = [(across.place(a), up.place(b)) for a, b in series.points]
    marks = [_mark(number, *place) for place in places]
    path = " ".join(f"{a},{b}" for a, b in places)
    joined = [element("polyline", points=path, class_="joined")] if series.joined else []
    return element("g", *joined, *marks, class_=_class(number))


def _legend(name: str, series: Series, number: int) -> list[Element]:
    y = _TOP + 12 + _LABEL_STEP * number
    left, right = _RIGHT + 14, _RIGHT + 42
    joined = [line(left, y - 4, right, y - 4, "joined")] if series.joined else []
    mark = element("g", *joined, _mark(number, left + 14, y - 4), class_=_class(number))
    return [mark, text_at(right + 8, y, name, class_="name")]


def _class(number: int) -> str:
    return f"series tone-{number % _TONES} dash-{number // _TONES % len(_MARKS)}"


def _mark(number: int, x: float, y: float) -> Element:
    kind = _MARKS[number % len(_MARKS)]
    if kind == "circle":
        return element("circle", cx=x, cy=y, r=4)
    shapes = {
        "square": f"M{x - 4} {y - 4}h8v8h-8z",
        "diamond": f"M{x} {y - 5}l5 5l-5 5l-5 -5z",
        "triangle": f"M{x} {y - 5}l5 9h-10z",
    }
    return element("path", d=shapes[kind])

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.reporting.html.drawing import fitted_apart
from octavo.reporting.html.element import render
from octavo.reporting.html.interval_plot import Interval, interval_plot
from octavo.reporting.html.line_plot import Scale, Series, line_plot


def read(figure):
    return ET.fromstring(render(figure))


def test_intervals_are_drawn_where_their_values_are():
    figure = read(
        interval_plot(
            "p", "AP", [Interval("a", 0.0, 0.0, 0.25), Interval("b", 1.0, 0.5, 1.0, True)]
        )
    )
    means = [float(each.get("cx")) for each in figure.iter("circle")]
    lines = [each for each in figure.iter("line") if each.get("class") == "interval"]
    (x1, x2), (x3, x4) = ((float(each.get("x1")), float(each.get("x2"))) for each in lines)
    width = means[1] - means[0]
    assert x1 == means[0]
    assert x4 == means[1]
    assert x2 - x1 == pytest.approx(width / 4, abs=0.2)
    assert x4 - x3 == pytest.approx(width / 2, abs=0.2)
    assert (
        figure.find("svg/desc").text == "a 0.000, from 0.000 to 0.250; b 1.000, from 0.500 to 1.000"
    )
    assert [each.get("class") for each in figure.iter("line")].count("reference") == 1


@pytest.mark.parametrize("value", [0.0, 1e-12, 1.0, 3.0])
def test_intervals_of_one_value(value):
    figure = read(interval_plot("p", "AP", [Interval("a" * 99, value, value, value)]))
    names = [each.text for each in figure.iter("text") if each.get("class") == "name"]
    assert names == ["a" * 13 + "…"]


def test_long_names_that_begin_alike_are_told_apart():
    names = [f"/corpora/me/runs/2026-11-{day}/keyword.trec" for day in (28, 29)] + ["other"]
    figures = (
        interval_plot("p", "AP", [Interval(name, 0.5, 0.4, 0.6) for name in names]),
        line_plot(
            "p", "t", Scale("x"), Scale("y"), [Series(name, ((1.0, 2.0),)) for name in names]
        ),
    )
    for figure in figures:
        shown = [each.text for each in read(figure).iter("text") if each.get("class") == "name"]
        assert shown == ["…8/keyword.tr…", "…9/keyword.tr…", "other"]


@given(st.lists(st.text("ab", max_size=30), unique=True, max_size=30), st.integers(8, 20))
def test_names_that_differ_are_shown_different(names, characters):
    shown = fitted_apart(names, characters)
    assert len(set(shown)) == len(names)
    assert all(len(each) <= characters for each in shown)


def test_series_are_told_apart_without_colour():
    series = [Series(f"s{n}", ((1.0, 1.0 + n), (10.0, 2.0 + n))) for n in range(9)]
    figure = read(line_plot("p", "title", Scale("x", logarithmic=True), Scale("y"), series))
    groups = [each.get("class") for each in figure.iter("g")][::2]
    assert len({each.split(" ", 1)[1] for each in groups[:8]}) == 8
    names = [each.text for each in figure.iter("text") if each.get("class") == "name"]
    assert names == [each.name for each in series]


@pytest.mark.parametrize("logarithmic", [False, True])
def test_one_point_is_a_plot(logarithmic):
    scale = Scale("x", logarithmic=logarithmic)
    figure = read(line_plot("p", "t", scale, scale, [Series("one", ((5.0, 5.0),), joined=False)]))
    assert figure.find("div/svg/desc").text == "x against x. one: 5 5"
    assert not list(figure.iter("polyline"))

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.reporting.html.axis import Axis, rounded_up

VALUES = st.floats(1e-12, 1e12)


@given(VALUES, st.floats(1.0001, 1e9), st.booleans())
def test_ticks_are_few_ascend_and_lie_within(low, factor, logarithmic):
    axis = Axis(low, low * factor, 0.0, 100.0, logarithmic)
    ticks = axis.ticks()
    assert len(ticks) <= 12
    assert ticks == sorted(set(ticks))
    room = 1e-5 * axis.high
    assert all(axis.low - room <= tick <= axis.high + room for tick in ticks)


@given(VALUES, st.floats(1.01, 1e6), st.booleans(), st.lists(VALUES))
def test_places_keep_the_order_and_stay_on_the_axis(low, factor, logarithmic, values):
    axis = Axis(low, low * factor, 300.0, 10.0, logarithmic)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places, reverse=True)
    assert all(10.0 <= place <= 300.0 for place in places)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.0, 7.0), (0.96, 1.01), (0.0, 1e-9)])
def test_a_linear_axis_has_several_ticks(low, high):
    assert 3 <= len(Axis(low, high, 0, 1).ticks()) <= 6


@given(VALUES, st.floats(1.1, 1e6))
def test_a_logarithmic_axis_has_ticks_however_short_it_is(low, factor):
    assert len(Axis(low, low * factor, 0, 1, logarithmic=True).ticks()) >= 2


@given(VALUES)
def test_an_axis_ends_at_or_after_the_value(value):
    assert value * (1 - 1e-5) <= rounded_up(value) <= 2 * value

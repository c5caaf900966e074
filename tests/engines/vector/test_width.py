"""How wide a search is."""

from hypothesis import given
from hypothesis import strategies as st

from octavo.engines.vector.width import SearchWidth

WIDTH = SearchWidth((10, 20, 40), 128)


def test_the_less_a_filter_admits_the_wider():
    shares = (1.0, 0.99, 2.0**-0.5, 0.51, 0.5, 0.3, 0.25, 0.1, 0.01, 0.0)
    efforts = [WIDTH.effort(share) for share in shares]
    assert efforts[:7] == [10, 11, 15, 20, 20, 40, 40]
    assert efforts == sorted(efforts)


@given(st.integers(1, 8192), st.integers(1, 8192))
def test_candidates_suffice_and_grow_by_doubling(depth, deeper):  # S12
    width, wider = (WIDTH.for_depth(each) for each in sorted((depth, deeper)))
    assert width is not None
    assert width.nominees >= min(depth, deeper)
    assert wider.nominees % width.nominees == 0
    assert width.efforts == wider.efforts == WIDTH.efforts


def test_a_very_deep_search_is_exact():
    assert WIDTH.for_depth(8193) is None


def test_widening_leaves_the_candidates():
    assert WIDTH.widened(4) == SearchWidth((40, 80, 160), 128)

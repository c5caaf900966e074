"""The model of costs keeps to what was measured, where it decides."""

import pytest

from octavo.engines.vector.search_cost import SearchCost, lists_cost, scan_cost


@pytest.mark.parametrize(
    ("rows", "dimensions", "compared", "nominees", "pays"),
    [
        # Measured on 886,323 hash vectors: 6.2 and 1.7 ms beside 10.5 and 0.47.
        (886_323, 128, 565_000, 512, False),
        # Real vectors in ten times as many rows, a twentieth of them compared.
        (1_000_000, 128, 50_000, 256, True),
        (60_000, 128, 12_000, 128, False),
    ],
)
def test_lists_pay_where_they_were_faster(rows, dimensions, compared, nominees, pays):
    lists = lists_cost(compared, nominees, dimensions)
    assert lists.pays_beside(scan_cost(rows, dimensions, coded=True)) is pays


def test_a_scan_without_codes_costs_more():
    coded, plain = (scan_cost(1000, 128, coded=coded) for coded in (True, False))
    assert coded.pays_beside(plain)
    assert not plain.pays_beside(coded)


def test_equal_costs_change_nothing():
    assert not SearchCost(2.0, 8.0).pays_beside(SearchCost(8.0, 2.0))


def test_a_nominee_of_three_times_the_dimensions_costs_less_than_three_times():
    """99,744 real vectors: lists took 0.94 ms alone, 0.30 in a batch; a scan 2.2 and 0.22."""
    lists = lists_cost(28_383, 128, 384)
    assert lists.alone == pytest.approx(0.94e6, rel=0.1)
    assert lists.batch == pytest.approx(0.30e6, rel=0.1)
    assert lists.pays_beside(scan_cost(99_744, 384, coded=True))

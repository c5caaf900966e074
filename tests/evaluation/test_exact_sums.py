import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.evaluation.exact_sums import summable

numbers = st.floats(-1e200, 1e200, allow_subnormal=True)


@given(st.lists(numbers, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_sums_are_exact_in_any_order(values, random):
    rounded = summable(np.array([values]), len(values))[0].tolist()
    for _ in range(5):
        terms = [random.choice(rounded) * random.choice([-1, 1]) for _ in values]
        one_by_one = 0.0
        for term in terms:
            one_by_one += term
        assert one_by_one == math.fsum(terms)


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=30))
def test_values_hardly_move(values):
    moved = np.abs(summable(np.array([values]), len(values))[0] - values)
    assert (moved <= max(map(abs, values)) * len(values) / 2**51).all()


def test_rows_are_rounded_each_on_its_own():
    rows = np.array([[1e-9 / 3, 1e-10 / 7], [1e9 / 3, 0.1], [0.0, 0.0]])
    alone = np.concatenate([summable(row[None], 2) for row in rows])
    assert summable(rows, 2).tobytes() == alone.tobytes()
    assert summable(rows, 2)[2].tolist() == [0.0, 0.0]


def test_no_values():
    assert summable(np.zeros((0, 3)), 3).shape == (0, 3)
    assert summable(np.zeros((2, 0)), 0).shape == (2, 0)

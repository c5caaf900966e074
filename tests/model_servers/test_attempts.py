"""When something is tried again."""

import pytest

from octavo.model_servers.attempts import Attempts


def test_waits_double_and_vary_by_a_quarter():
    for wait, longest in zip(Attempts(4, 1.0).waits(), (1, 2, 4, 8), strict=True):
        assert 0.75 * longest <= wait <= longest


def test_no_retries_no_waits():
    assert list(Attempts(0).waits()) == []


@pytest.mark.parametrize(
    ("wait", "asked", "left", "expected"),
    [
        (0.5, None, None, 0.5),
        (0.5, 2.0, None, 2.0),
        (0.5, 0.0, None, 0.5),
        (0.5, 61.0, None, None),
        (0.5, None, 10.0, 0.5),
        (0.5, 20.0, 10.0, None),
        (0.5, None, 0.1, None),
        (0.5, None, -1.0, None),
    ],
)
def test_a_wait_is_allowed_within_the_deadline(wait, asked, left, expected):
    assert Attempts().allowed(wait, asked, left) == expected

"""The worlds that octavo's own strategies are checked over."""

import pytest
from tests.conformance.world import build


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """Forty documents: fewer than any candidate depth."""
    return build(tmp_path_factory.mktemp("world") / "index", 40)

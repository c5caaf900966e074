"""The worlds that octavo's own strategies are checked over."""

import pytest

from tests.conformance.world import build, build_updated


@pytest.fixture(scope="session", params=[build, build_updated])
def world(request, tmp_path_factory):
    """Forty documents, fewer than any candidate depth: built at once, and after many updates."""
    return request.param(tmp_path_factory.mktemp("world") / "index", 40)

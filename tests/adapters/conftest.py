"""What every adapter is tested with, beside the corpus of all tests."""

import pytest

from octavo import RetrievedDocument


class Shelf:
    """A strategy of an application: two documents without ids."""

    name = "shelf"

    def retrieve(self, query, context):
        found = [
            RetrievedDocument("first", "a.md", 0.9, {"tier": "top"}),
            RetrievedDocument("second", "b.md", 0.5, {}),
        ]
        return found[: context.max_results]


@pytest.fixture
def shelf():
    return Shelf()

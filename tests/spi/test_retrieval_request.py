"""What a retrieval engine is asked cannot be changed under it."""

from dataclasses import FrozenInstanceError

import pytest

from octavo import RetrievalRequest


def test_mappings_are_copied():  # S71
    filters, paths = {"tier": "a"}, {"docs": "p"}
    request = RetrievalRequest("why", None, ["docs"], filters, None, source_paths=paths)
    filters["tier"] = paths["docs"] = "b"
    assert (request.filters, request.source_paths) == ({"tier": "a"}, {"docs": "p"})
    assert request.sources == ("docs",)
    with pytest.raises(TypeError):
        request.filters["tier"] = "b"
    with pytest.raises(FrozenInstanceError):
        request.query = "how"


def test_the_components_of_a_turn_are_blank_outside_a_chat():  # S71
    request = RetrievalRequest("why", None)
    assert (request.turn_message, request.conversation_id, request.source_paths) == ("", "", {})
    assert (request.sources, request.filters, request.context) == ((), {}, None)

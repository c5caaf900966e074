"""The request's own context: members, checks, deadline (S71, S50)."""

import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.request_token import RequestToken
from octavo.errors import CancelledError, InvalidArgumentError, RetrievalTimeoutError
from octavo.spi import CancellationToken


def test_the_builder_sets_every_member():  # S71
    token = CancellationToken()
    built = (
        DispatchContext.builder()
        .scope("tenant", "session")
        .run_id("run")
        .agent("agent")
        .simulation("simulation")
        .current_episode("episode")
        .source_revision("revision")
        .cancellation_token(token)
        .metadata_filters({"tier": "approved"})
        .turn_message("message")
        .conversation_id("conversation")
        .source_paths({"manual": "/p"})
        .build()
    )
    assert built == DispatchContext(
        "tenant", "session", "run", "agent", "simulation", "episode", "revision", token, None,
        {"tier": "approved"}, "message", "conversation", {"manual": "/p"},
    )  # fmt: skip


def test_what_is_left_out_is_empty():  # S71
    built = DispatchContext.builder().build()
    assert built == DispatchContext()
    assert (built.turn_message, built.conversation_id, dict(built.source_paths)) == ("", "", {})
    assert built.remaining() is None
    built.check()


def test_mappings_are_copied_and_read_only():  # S71
    filters = {"tier": "approved"}
    built = DispatchContext(metadata_filters=filters)
    filters["tier"] = "other"
    assert built.metadata_filters["tier"] == "approved"
    with pytest.raises(TypeError):
        built.metadata_filters["tier"] = "other"


@pytest.mark.parametrize(
    "members",
    [
        {"tenant": None},
        {"run_id": 7},
        {"turn_message": b"x"},
        {"cancellation": True},
        {"deadline": "soon"},
        {"deadline": float("nan")},
        {"deadline": True},
        {"metadata_filters": [("a", "b")]},
        {"metadata_filters": {"a": " "}},
        {"metadata_filters": {"": "b"}},
        {"metadata_filters": {"a": 1}},
        {"source_paths": {"a": None}},
    ],
    ids=repr,
)
def test_what_is_not_possible_is_refused_by_name(members):
    with pytest.raises(InvalidArgumentError, match=next(iter(members))):
        DispatchContext(**members)


@pytest.mark.parametrize("duration", [0, -1, timedelta(0), "1s", None, float("nan"), True])
def test_a_timeout_is_a_duration_above_zero(duration):
    with pytest.raises(InvalidArgumentError, match="timeout"):
        DispatchContext.builder().timeout(duration)


def test_a_deadline_is_an_instant_with_a_zone():  # S50
    for wrong in (datetime(2030, 1, 1), "2030-01-01", 7):  # noqa: DTZ001
        with pytest.raises(InvalidArgumentError, match="deadline"):
            DispatchContext.builder().deadline(wrong)
    soon = DispatchContext.builder().deadline(datetime.now(UTC) + timedelta(hours=1)).build()
    assert 3500 < soon.remaining() <= 3600
    past = DispatchContext.builder().deadline(datetime.now(UTC) - timedelta(hours=1)).build()
    with pytest.raises(RetrievalTimeoutError):
        past.check()


def test_cancellation_comes_before_the_deadline():  # S50
    token = CancellationToken()
    token.cancel()
    late = DispatchContext(cancellation=token, deadline=time.monotonic() - 1)
    with pytest.raises(CancelledError):
        late.check()


def test_an_agent_fills_only_what_is_missing():  # S71
    filled = DispatchContext().filled(tenant="t", session="s", agent="a")
    assert (filled.tenant, filled.session, filled.agent) == ("t", "s", "a")
    own = DispatchContext(session="own", agent="own").filled(tenant="t", session="s", agent="a")
    assert (own.tenant, own.session, own.agent) == ("", "own", "own")


def test_a_token_of_the_request_heeds_both():  # S50
    token = CancellationToken()
    request = RequestToken(DispatchContext(cancellation=token))
    assert not request.cancelled
    token.cancel()
    assert request.cancelled
    with pytest.raises(CancelledError):
        request.raise_if_cancelled()
    with pytest.raises(RetrievalTimeoutError):
        RequestToken(DispatchContext(deadline=0.0)).raise_if_cancelled()
    itself = RequestToken(DispatchContext())
    itself.cancel()
    assert itself.cancelled


# S50
@pytest.mark.parametrize("kind", [Decimal, Fraction, np.float32])
def test_a_deadline_may_be_any_real_number(kind):
    context = DispatchContext(deadline=kind(10))
    assert type(context.deadline) is float
    assert context.remaining() <= 10

"""Shards held by the workers of a cluster."""

from collections import deque
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, TypeVar

from octavo.cluster.calls import Call
from octavo.cluster.parcel import Parcel
from octavo.cluster.session import RaySession
from octavo.shards.questions import Question
from octavo.shards.shards import LocalShards

Answer = TypeVar("Answer")


class ShardHolder:
    """Holds some shards and answers about them: what runs as a Ray actor.

    Parameters
    ----------
    sent
        A :class:`octavo.shards.shard.ShardPlace` for each.
    """

    def __init__(self, sent: Parcel) -> None:
        self._sent = sent

    # Opened by the first call: what fails in a constructor reaches the caller as a lost actor.
    @cached_property
    def _shards(self) -> LocalShards:
        return LocalShards([place.open() for place in self._sent.open()])

    def ask(self, questions: Mapping[int, Question[Any]]) -> dict[int, Any]:
        """Answer the questions to shards of this holder."""
        return self._shards.ask(questions)


class RayShards:
    """Asks the holders of shards, all at once.

    Parameters
    ----------
    session
        The cluster.
    holders
        The actor that holds each shard, by the shard's number.
    """

    def __init__(self, session: RaySession, holders: Mapping[int, Any]) -> None:
        self._session, self._holders = session, holders

    def ask(self, questions: Mapping[int, Question[Answer]]) -> dict[int, Answer]:
        """Put a question to each of some shards and return the answers."""
        by_holder: dict[Any, dict[int, Question[Answer]]] = {}
        for number, question in questions.items():
            by_holder.setdefault(self._holders[number], {})[number] = question
        with self._session.failures("asking a shard"):
            calls = deque(
                Call(partial(holder.ask.remote, own)) for holder, own in by_holder.items()
            )
            answers: dict[int, Answer] = {}
            try:
                while calls:
                    answers |= self._session.answer(calls.popleft())
            finally:
                self._session.abandon(calls)  # one failed
            return answers

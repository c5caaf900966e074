"""All shards of an index, asked together."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from octavo.shards.questions import Question
from octavo.shards.shard import Shard

Answer = TypeVar("Answer")


class Shards(Protocol):
    """Shards that answer questions, in this process or elsewhere; safe to share between threads."""

    def ask(self, questions: Mapping[int, Question[Answer]]) -> dict[int, Answer]:
        """Put a question to each of some shards, by their numbers, and return the answers."""
        ...


class LocalShards:
    """Shards of this process, memory-mapped.

    Parameters
    ----------
    shards
        Those that hold documents.
    """

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._shards = {shard.number: shard for shard in shards}

    def ask(self, questions: Mapping[int, Question[Answer]]) -> dict[int, Answer]:
        """Ask one shard after the other: blocks of queries are what is spread over threads."""
        return {number: ask(self._shards[number]) for number, ask in questions.items()}

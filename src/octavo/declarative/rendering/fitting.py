"""Fitting documents into budgets of tokens: the best whole, one shortened, the rest dropped (S70)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from octavo.declarative.rendering.documents import DocumentFormat, Passage
from octavo.declarative.rendering.fence import escaped
from octavo.declarative.rendering.tokens import TokenCounter, counted
from octavo.visible import visible

_CHARACTERS: Final = 4  # of a token, about: where the search for a cut begins


class Outcome(Enum):
    """What became of a document."""

    WHOLE = "whole"
    SHORTENED = "shortened"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A document after fitting.

    Parameters
    ----------
    passage
        The document as it was.
    outcome
        What became of it.
    text
        What is left of it, in its format.
    tokens
        Those of the text.
    content_tokens
        Those of its content, without the format; counted only where they are bounded.
    """

    passage: Passage
    outcome: Outcome
    text: str = ""
    tokens: int = 0
    content_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Room:
    """Tokens that a document may have: of its text, and of its content; ``None``: any number."""

    text: int | None
    content: int | None

    def least(self) -> int | None:
        """Return the smaller of the two."""
        return min((each for each in (self.text, self.content) if each is not None), default=None)

    def overrun(self, one: Fitted) -> bool | None:
        """Return whether a document needs too many of its text, else of its content; ``None``: it fits."""
        if self.text is not None and one.tokens > self.text:
            return True
        return False if self.content is not None and one.content_tokens > self.content else None


@dataclass(slots=True)
class Budget:
    """Tokens that may be given: of all texts, and of contents by the names of sources.

    A document that does not fit closes what it overran: the window for all, or its own source.
    """

    window: int | None
    by_source: Mapping[str, int | None]
    _used: int = 0
    _used_by: dict[str, int] = field(default_factory=dict)
    _closed: set[str] = field(default_factory=set)
    _is_closed: bool = False

    def room(self, name: str) -> Room | None:
        """Return how much room there is for a document of this source; ``None``: it is closed."""
        if self._is_closed or name in self._closed:
            return None
        most = self.by_source.get(name)
        return Room(
            None if self.window is None else self.window - self._used,
            None if most is None else most - self._used_by.get(name, 0),
        )

    def spend(self, one: Fitted) -> None:
        """Take off what a document needs."""
        name = one.passage.name
        self._used += one.tokens
        self._used_by[name] = self._used_by.get(name, 0) + one.content_tokens

    def close(self, name: str, *, window: bool) -> None:
        """Give nothing more, or nothing more of this source."""
        if window:
            self._is_closed = True
        else:
            self._closed.add(name)


@dataclass(frozen=True, slots=True)
class Fitting:
    """Fits documents into a budget.

    Parameters
    ----------
    form
        How a document is written.
    budget
        What may be given; used up by fitting.
    counter
        Counts tokens. What is counted is escaped text, as the model reads it, each document by itself.
    """

    form: DocumentFormat
    budget: Budget
    counter: TokenCounter

    def fitted(self, passages: Iterable[Passage]) -> list[Fitted]:
        """Return each document with what is left of it.

        Documents come in order, the most important first. One that does not fit is shortened at the
        end of its content; those behind it are dropped, of its source where the source's own budget
        ran out, else all.
        """
        return [self._fitted(passage) for passage in passages]

    def next_units(self, passages: Iterable[Passage]) -> list[Fitted]:
        """Return the documents that fit, up to the first that does not, which can wait.

        Only where not even the first fits it is shortened, and stands alone: so something is given.
        Of the rest nothing is looked at.
        """
        given: list[Fitted] = []
        for passage in passages:
            one = self._whole(passage) if given else self._fitted(passage)
            if one is None or one.outcome is Outcome.DROPPED:
                break
            given.append(one)
            if one.outcome is Outcome.SHORTENED:
                break
        return given

    def _whole(self, passage: Passage) -> Fitted | None:
        room = self.budget.room(passage.name)
        if room is None:
            return None
        one = self._written(passage, len(passage.content), bounded=room.content is not None)
        if one is None or room.overrun(one) is not None:
            return None
        self.budget.spend(one)
        return one

    def _fitted(self, passage: Passage) -> Fitted:
        dropped = Fitted(passage, Outcome.DROPPED)
        room = self.budget.room(passage.name)
        if room is None:
            return dropped
        best, low, high = dropped, -1, len(passage.content)
        # Only as much of a long document is looked at as may fit.
        bounded = room.content is not None
        least = room.least()
        probe = high if least is None else min(high, _CHARACTERS * max(least, _CHARACTERS))
        overrun: bool | None = None
        while low < high:
            candidate = self._written(passage, probe, bounded=bounded)
            over = None if candidate is None else room.overrun(candidate)
            if over is None:
                low, best = probe, candidate or best
            else:
                high, overrun = probe - 1, over
            probe = min(high, 2 * low) if overrun is None else (low + high + 1) // 2
        if best.outcome is not Outcome.WHOLE and overrun is not None:
            self.budget.close(passage.name, window=overrun)
        self.budget.spend(best)
        return best

    def _written(self, passage: Passage, length: int, *, bounded: bool) -> Fitted | None:
        whole = length >= len(passage.content)
        part = passage if whole else passage.shortened(length)
        if part is None:
            return None
        text = self.form.written(part)
        return Fitted(
            passage,
            Outcome.WHOLE if whole else Outcome.SHORTENED,
            text,
            counted(self.counter, escaped(text)),
            counted(self.counter, escaped(visible(part.content))) if bounded else 0,
        )

"""Fitting documents into budgets of tokens: the best whole, one shortened, the rest dropped (S70)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from octavo.declarative.rendering.documents import DocumentFormat, Passage
from octavo.declarative.rendering.fence import escaped
from octavo.declarative.rendering.tokens import TokenCounter, counted


class Outcome(Enum):
    """What became of a document."""

    WHOLE = "whole"
    SHORTENED = "shortened"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A document after fitting: its passage, what became of it, and what is left of it."""

    passage: Passage
    outcome: Outcome
    text: str = ""
    tokens: int = 0


@dataclass(slots=True)
class Budget:
    """Tokens that may be given, altogether and by the names of sources; ``None``: any number."""

    window: int | None
    by_source: Mapping[str, int | None]
    _used: int = 0
    _used_by: dict[str, int] = field(default_factory=dict)
    _closed: set[str] = field(default_factory=set)
    _all_closed: bool = False

    def left(self, name: str) -> int | None:
        """Return how many tokens a document of this source may have."""
        if self._all_closed or name in self._closed:
            return 0
        return min(self._bounds(name), default=None)

    def spend(self, one: "Fitted") -> None:
        """Take off what a document needed; after one that did not fit whole, the budget is closed."""
        name = one.passage.name
        if one.outcome is not Outcome.WHOLE:
            most = self.by_source.get(name)
            own = None if most is None else most - self._used_by.get(name, 0)
            if own is not None and own == min(self._bounds(name)):
                self._closed.add(name)
            else:
                self._all_closed = True
        self._used += one.tokens
        self._used_by[name] = self._used_by.get(name, 0) + one.tokens

    def _bounds(self, name: str) -> list[int]:
        bounds = [] if self.window is None else [self.window - self._used]
        most = self.by_source.get(name)
        return bounds if most is None else [*bounds, most - self._used_by.get(name, 0)]


def fitted(
    passages: Iterable[Passage], form: DocumentFormat, budget: Budget, counter: TokenCounter
) -> list[Fitted]:
    """Return each document with what is left of it within the budget.

    Documents come in order, the most important first. One that does not fit is shortened at the end of
    its content; those behind it are dropped, of its source where the source's own budget ran out, else
    all. What is counted is the escaped text, as the model reads it, and each document by itself.
    """
    found = []
    for passage in passages:
        one = _fitted(passage, form, budget.left(passage.name), counter)
        budget.spend(one)
        found.append(one)
    return found


def _fitted(
    passage: Passage, form: DocumentFormat, room: int | None, counter: TokenCounter
) -> Fitted:
    def written(of: Passage) -> Fitted:
        text = form.written(of)
        outcome = Outcome.WHOLE if of is passage else Outcome.SHORTENED
        return Fitted(passage, outcome, text, counted(counter, escaped(text)))

    dropped = Fitted(passage, Outcome.DROPPED)
    if room is not None and room <= 0:
        return dropped
    whole = written(passage)
    if room is None or whole.tokens <= room:
        return whole
    best, low, high = dropped, 0, len(passage.content)
    while high - low > 1:
        middle = (low + high) // 2
        part = passage.shortened(middle)
        candidate = None if part is None else written(part)
        if candidate is None or candidate.tokens <= room:
            low = middle
            best = candidate or best
        else:
            high = middle
    return best

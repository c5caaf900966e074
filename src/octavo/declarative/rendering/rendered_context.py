"""The context of a dispatch as text, and what became of each document on the way (S69, S70)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from octavo.declarative.declarations.enums import KnowledgeUse
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.rendering.documents import DocumentFormat, Passage
from octavo.declarative.rendering.fence import escaped
from octavo.declarative.rendering.fitting import Budget, Fitted, Fitting, Outcome
from octavo.declarative.rendering.tokens import TokenCounter, counted, estimated_tokens
from octavo.declarative.rendering.usage import KnowledgeUsage
from octavo.declarative.runtime.attribution import RequestMetadata
from octavo.declarative.runtime.cursors import Reading
from octavo.declarative.runtime.retrieved import Retrieved, SourceGiven
from octavo.errors import ContextValidationError
from octavo.spi import RetrievedDocument, SourceDocument

SOURCE_NAME = RequestMetadata.SOURCE
"""The metadata key under which the engine says which declared source a document is from."""

LOCATION = "source"
"""The metadata key under which a loader says where a document is."""


@dataclass(frozen=True, slots=True)
class RenderedContext:
    """Retrieved documents as one text within its budget of tokens, not escaped yet.

    Parameters
    ----------
    text
        The documents, each in the action's format, without white space at the end.
    documents
        How many of them are in the text.
    stale
        Whether they are from an expired cache entry.
    truncated
        Whether one was shortened or dropped.
    usage
        One row for each enabled source.
    shortened, dropped
        Locations of the documents that were.
    """

    text: str
    documents: int
    stale: bool
    truncated: bool
    usage: tuple[KnowledgeUsage, ...]
    shortened: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def ended(self) -> tuple[str, ...]:
        """The sources of use SEQUENTIAL whose last unit is in the text."""
        return tuple(each.source for each in self.usage if each.exhausted and each.documents)

    def given(self, source: str) -> int:
        """Return how many documents of a source are in the text."""
        return sum(each.documents for each in self.usage if each.source == source)


def rendered(
    retrieved: Retrieved,
    knowledge: Iterable[Knowledge],
    counter: TokenCounter = estimated_tokens,
) -> RenderedContext:
    """Return the context of a dispatch.

    Units of DIRECT sources come first, then what is next of SEQUENTIAL ones, then the ranked documents:
    the best evidence for the question stands nearest to the question's end of the prompt's block, and
    what was asked for whole is cut last. ``context_window`` bounds everything where something is
    searched; ``max_tokens`` bounds the contents that one source gives. A SEQUENTIAL source gives the
    units that fit both, without moving its cursor.

    Parameters
    ----------
    retrieved
        What the runtime gave.
    knowledge
        The action's sources, for ``max_tokens``.
    counter
        Counts tokens; exact where it is the model's tokenizer.

    Raises
    ------
    ContextValidationError
        Documents were found, and the budget leaves none of them, or nothing of a unit that is next.
    ExecutionError
        The counter failed.
    """
    sources = tuple(knowledge)
    search = retrieved.search
    settings = search or ResolvedSearch()
    form = DocumentFormat(settings.context_format, settings.include_spec)
    window = None if search is None else search.context_window
    budget = Budget(window, {each.name: each.max_tokens for each in sources})
    fitting = Fitting(form, budget, counter)
    direct = fitting.fitted(_direct_passages(retrieved))
    parts = [fitting.next_units(_next_passages(each)) for each in retrieved.sequential]
    ranked = fitting.fitted(_ranked_passages(retrieved))
    found = [*direct, *chain.from_iterable(parts), *ranked]
    if counter is not estimated_tokens:
        found = _within(found, window, counter)
    _check(found[: len(direct)], window, "of DIRECT sources")
    _check(found[len(found) - len(ranked) :], window, "that matched")
    waiting = {each.source for each in retrieved.sequential}
    found = [
        each
        for each in found
        if each.outcome is not Outcome.DROPPED or each.passage.name not in waiting
    ]
    left = {each.source: len(each) for each in retrieved.sequential}
    _check_progress(left, found, window)
    kept = [each for each in found if each.outcome is not Outcome.DROPPED]
    return RenderedContext(
        text=_joined(kept),
        documents=len(kept),
        stale=retrieved.stale,
        truncated=any(each.outcome is not Outcome.WHOLE for each in found),
        usage=tuple(_usage(each, found, left.get(each.name)) for each in retrieved.sources),
        shortened=_locations(found, Outcome.SHORTENED),
        dropped=_locations(found, Outcome.DROPPED),
    )


def _direct_passages(retrieved: Retrieved) -> Iterable[Passage]:
    # Units stand in the order of their sources, as many as each source says it gave.
    names = [
        given.name
        for given in retrieved.sources
        if given.use is KnowledgeUse.DIRECT
        for _ in range(given.documents)
    ]
    for place, unit in enumerate(retrieved.direct):
        name = unit.metadata.get(SOURCE_NAME) or (names[place] if place < len(names) else "")
        yield Passage(name, unit.content, _location(unit))


def _next_passages(reading: Reading) -> Iterable[Passage]:
    return (Passage(reading.source, unit.content, _location(unit)) for unit in reading)


def _ranked_passages(retrieved: Retrieved) -> Iterable[Passage]:
    searched = [each.name for each in retrieved.sources if each.use is KnowledgeUse.SEARCH]
    for document in retrieved.documents:
        name = _named(document, searched)
        yield Passage(name, document.content, document.source, document.score)


def _named(document: RetrievedDocument, searched: list[str]) -> str:
    metadata: Mapping[str, str] = document.metadata
    name = metadata.get(SOURCE_NAME)
    if name in searched:
        return str(name)
    return searched[0] if searched else ""


def _location(unit: SourceDocument) -> str:
    return unit.metadata.get(LOCATION) or unit.id


def _within(found: list[Fitted], window: int | None, counter: TokenCounter) -> list[Fitted]:
    # A counter may find more in the whole than in its parts; then the last ones go.
    while window is not None:
        kept = [place for place, each in enumerate(found) if each.outcome is not Outcome.DROPPED]
        whole = _joined(found[place] for place in kept)
        if not kept or counted(counter, escaped(whole)) <= window:
            break
        found[kept[-1]] = Fitted(found[kept[-1]].passage, Outcome.DROPPED)
    return found


def _check(found: list[Fitted], window: int | None, which: str) -> None:
    if found and all(each.outcome is Outcome.DROPPED for each in found):
        raise ContextValidationError(
            f"{_bound(window)}: too small for any of the {len(found)} documents {which}; nothing would "
            f"ground the action"
        )


def _check_progress(left: Mapping[str, int], found: list[Fitted], window: int | None) -> None:
    # Whoever dispatches until a source is exhausted must not do so forever.
    given = {each.passage.name for each in found}
    for name, count in left.items():
        if count and name not in given:
            raise ContextValidationError(
                f"{_bound(window)}: too small for anything of the next unit of {name!r}"
            )


def _bound(window: int | None) -> str:
    return "max_tokens" if window is None else f"context_window {window} or max_tokens"


def _joined(kept: Iterable[Fitted]) -> str:
    return "".join(each.text for each in kept).rstrip()


def _usage(given: SourceGiven, found: list[Fitted], left: int | None) -> KnowledgeUsage:
    own = [each for each in found if each.passage.name == given.name]
    documents = sum(each.outcome is not Outcome.DROPPED for each in own)
    return KnowledgeUsage(
        source=given.name,
        use=given.use,
        documents=documents,
        tokens=sum(each.tokens for each in own),
        truncated=any(each.outcome is not Outcome.WHOLE for each in own),
        exhausted=documents == left,
    )


def _locations(found: list[Fitted], outcome: Outcome) -> tuple[str, ...]:
    return tuple(each.passage.location for each in found if each.outcome is outcome)

"""The context of a dispatch as text, and what became of each document on the way (S69, S70)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from octavo.declarative.declarations.enums import KnowledgeUse
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.rendering.documents import DocumentFormat, Passage
from octavo.declarative.rendering.fence import escaped
from octavo.declarative.rendering.fitting import Budget, Fitted, Fitting, Outcome
from octavo.declarative.rendering.tokens import TokenCounter, counted, estimated_tokens
from octavo.declarative.rendering.usage import KnowledgeUsage
from octavo.declarative.runtime.retrieved import Retrieved
from octavo.errors import ContextValidationError
from octavo.spi import RetrievedDocument, SourceDocument

SOURCE_NAME = "tnsai.source"
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


def rendered(
    retrieved: Retrieved,
    knowledge: Iterable[Knowledge],
    counter: TokenCounter = estimated_tokens,
) -> RenderedContext:
    """Return the context of a dispatch.

    Units of DIRECT and SEQUENTIAL sources come first, in their order, then the ranked documents: the
    best evidence for the question stands nearest to the question's end of the prompt's block, and what
    was asked for whole is cut last. ``context_window`` bounds everything where something is searched;
    ``max_tokens`` bounds the contents that one
    source gives.

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
        Documents were found, and the budget leaves none of them.
    ExecutionError
        The counter failed.
    """
    sources = tuple(knowledge)
    search = retrieved.search
    settings = search or ResolvedSearch()
    form = DocumentFormat(settings.context_format, settings.include_spec)
    window = None if search is None else search.context_window
    budget = Budget(window, {each.name: each.max_tokens for each in sources})
    direct = list(_direct_passages(retrieved))
    ranked = list(_ranked_passages(retrieved))
    found = Fitting(form, budget, counter).fitted([*direct, *ranked])
    if counter is not estimated_tokens:
        found = _within(found, window, counter)
    _check(found[: len(direct)], window, "of DIRECT and SEQUENTIAL sources")
    _check(found[len(direct) :], window, "that matched")
    kept = [each for each in found if each.outcome is not Outcome.DROPPED]
    return RenderedContext(
        text=_joined(kept),
        documents=len(kept),
        stale=retrieved.stale,
        truncated=any(each.outcome is not Outcome.WHOLE for each in found),
        usage=tuple(_usage(each.name, each.use, found) for each in retrieved.sources),
        shortened=_locations(found, Outcome.SHORTENED),
        dropped=_locations(found, Outcome.DROPPED),
    )


def _direct_passages(retrieved: Retrieved) -> Iterable[Passage]:
    # Units stand in the order of their sources, as many as each source says it gave.
    names = [
        given.name
        for given in retrieved.sources
        if given.use is not KnowledgeUse.SEARCH
        for _ in range(given.documents)
    ]
    for place, unit in enumerate(retrieved.direct):
        name = unit.metadata.get(SOURCE_NAME) or (names[place] if place < len(names) else "")
        yield Passage(name, unit.content, _location(unit))


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
        bound = "max_tokens" if window is None else f"context_window {window} or max_tokens"
        raise ContextValidationError(
            f"{bound}: too small for any of the {len(found)} documents {which}; nothing would "
            f"ground the action"
        )


def _joined(kept: Iterable[Fitted]) -> str:
    return "".join(each.text for each in kept).rstrip()


def _usage(name: str, use: KnowledgeUse, found: list[Fitted]) -> KnowledgeUsage:
    own = [each for each in found if each.passage.name == name]
    return KnowledgeUsage(
        source=name,
        use=use,
        documents=sum(each.outcome is not Outcome.DROPPED for each in own),
        tokens=sum(each.tokens for each in own),
        truncated=any(each.outcome is not Outcome.WHOLE for each in own),
    )


def _locations(found: list[Fitted], outcome: Outcome) -> tuple[str, ...]:
    return tuple(each.passage.location for each in found if each.outcome is outcome)

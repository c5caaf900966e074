"""What a retrieval gave an action, before any of it is rendered."""

from dataclasses import dataclass

from octavo.declarative.declarations.enums import KnowledgeUse
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.runtime.cursors import Reading
from octavo.spi import RetrievedDocument, SourceDocument


@dataclass(frozen=True, slots=True)
class SourceGiven:
    """What one enabled source has for the action; of use SEQUENTIAL, all units that are left."""

    name: str
    use: KnowledgeUse
    documents: int


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The documents that ground one dispatch.

    Parameters
    ----------
    documents
        Ranked, deduplicated, reranked and limited: what a result cache holds.
    search
        How they were searched; ``None`` where the action names no source of use SEARCH.
    sources
        One entry for each enabled source that the action names, in its order.
    stale
        Whether USE_CACHE supplied expired results.
    direct
        The units of the sources of use DIRECT, in order.
    sequential
        What is left of each source of use SEQUENTIAL. Nothing of it is given before
        :meth:`~octavo.declarative.Grounding.settle`.

    Examples
    --------
    >>> Retrieved((), None, ()).stale
    False
    """

    documents: tuple[RetrievedDocument, ...]
    search: ResolvedSearch | None
    sources: tuple[SourceGiven, ...]
    stale: bool = False
    direct: tuple[SourceDocument, ...] = ()
    sequential: tuple[Reading, ...] = ()

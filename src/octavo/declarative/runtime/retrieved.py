"""What a retrieval gave an action, before any of it is rendered."""

from collections.abc import Callable
from dataclasses import dataclass

from octavo.declarative.declarations.enums import KnowledgeUse
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.runtime.cursors import Reading
from octavo.errors import ExecutionError, OctavoError, shown, told
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


def retrieved_by(retrieve: Callable[[], object]) -> Retrieved:
    """Return what a retrieval gives, which may be an application's own.

    Its typed errors stay, whatever they are: a declaration that cannot work is found out there.

    Raises
    ------
    OctavoError
        The retrieval's.
    ExecutionError
        It raised something else, or gave something else.
    """
    try:
        found = retrieve()
    except OctavoError:
        raise
    except Exception as error:
        raise ExecutionError(f"the retrieval raised {told(error)}") from error
    if not isinstance(found, Retrieved):
        raise ExecutionError(f"the retrieval gave {shown(found)[:200]}, expected Retrieved")
    return found

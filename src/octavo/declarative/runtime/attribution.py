"""Whose request found a document, and in which source: metadata beside the document's own (S71)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.spi import RetrievedDocument

KNOWLEDGE: Final = "octavo.knowledge"
"""The column of a binding's corpus that names a document's source."""

_PREFIX: Final = "tnsai."
_CHAT: Final = "tnsai.chat."


class RequestMetadata:
    """Keys that the runtime adds to each document that it gives; nobody else can set them."""

    OWNER: Final = "tnsai.owner"
    SESSION: Final = "tnsai.session"
    RUN: Final = "tnsai.run"
    AGENT: Final = "tnsai.agent"
    SIMULATION: Final = "tnsai.simulation"
    EPISODE: Final = "tnsai.episode"
    SOURCE: Final = "tnsai.source"
    """The name of the declared source."""
    SOURCE_REVISION: Final = "tnsai.sourceRevision"
    BINDING_REVISION: Final = "tnsai.bindingRevision"


def request_metadata(context: DispatchContext, revision: str) -> dict[str, str]:
    """Return what is the same for every document of a request; blank members are left out."""
    members = {
        RequestMetadata.OWNER: context.tenant,
        RequestMetadata.SESSION: context.session,
        RequestMetadata.RUN: context.run_id,
        RequestMetadata.AGENT: context.agent,
        RequestMetadata.SIMULATION: context.simulation,
        RequestMetadata.EPISODE: context.episode,
        RequestMetadata.SOURCE_REVISION: context.source_revision,
        RequestMetadata.BINDING_REVISION: revision,
    }
    return {key: value for key, value in members.items() if value}


@dataclass(frozen=True, slots=True)
class DividedFilters:
    """A request's filters, by who can decide them.

    Parameters
    ----------
    admits
        Whether what is the same for every document of the request matches.
    pushed
        What the documents themselves must match.
    """

    admits: bool
    pushed: Mapping[str, str]

    def admit(self, metadata: Mapping[str, str], source: str) -> bool:
        """Whether a document of a source matches all of them (S7)."""
        known = {**metadata, KNOWLEDGE: source}
        return self.admits and all(known.get(key) == value for key, value in self.pushed.items())


def without_chat(filters: Mapping[str, str]) -> dict[str, str]:
    """Return a request's filters without ``tnsai.chat.*``, which is its context and no filter (S64).

    Examples
    --------
    >>> without_chat({"tnsai.chat.turn": "2", "tier": "A"})
    {'tier': 'A'}
    """
    return {key: value for key, value in filters.items() if not key.startswith(_CHAT)}


def divided(filters: Mapping[str, str], known: Mapping[str, str]) -> DividedFilters:
    """Decide what a request itself decides of its filters (S64).

    A source has two names, the corpora's own and that of the request's metadata; both must match.

    Examples
    --------
    >>> divided({"tnsai.run": "7", "tnsai.chat.turn": "2", "tier": "A"}, {"tnsai.run": "7"})
    DividedFilters(admits=True, pushed={'tier': 'A'})
    """
    admits = True
    pushed: dict[str, str] = {}
    for key, value in without_chat(filters).items():
        if key in known or (key.startswith(_PREFIX) and key != RequestMetadata.SOURCE):
            admits = admits and known.get(key) == value
        else:
            pushed_key = KNOWLEDGE if key == RequestMetadata.SOURCE else key
            admits = admits and pushed.get(pushed_key, value) == value
            pushed[pushed_key] = value
    return DividedFilters(admits, pushed)


def attributed(
    documents: Iterable[RetrievedDocument], known: Mapping[str, str]
) -> tuple[RetrievedDocument, ...]:
    """Return documents with the request's metadata, in place of what they bring under such keys."""
    return tuple(
        RetrievedDocument(each.content, each.source, each.score, _metadata(each.metadata, known))
        for each in documents
    )


def unforged(metadata: Mapping[str, str]) -> dict[str, str]:
    """Return metadata without keys that only the runtime sets.

    Examples
    --------
    >>> unforged({"tier": "A", "tnsai.owner": "somebody"})
    {'tier': 'A'}
    """
    return {
        key: value
        for key, value in metadata.items()
        if key != KNOWLEDGE and not key.startswith(_PREFIX)
    }


def _metadata(own: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    metadata = unforged(own)
    if own.get(KNOWLEDGE):
        metadata[RequestMetadata.SOURCE] = own[KNOWLEDGE]
    return {**metadata, **known}

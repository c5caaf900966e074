"""The nodes of a graph of entities: how each is shown, and where it occurs (S82)."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from octavo.graph.entities.chunks import Chunk
from octavo.graph.entities.records import KINDS
from octavo.graph.entities.resolve import Mentions, Numbers, Resolved
from octavo.spi import EntityKind, GraphNode

SHARED_SOURCE: Final = "in-memory"
"""The source of a node that occurs in documents of several sources."""


def entity_nodes(
    chunks: Sequence[Chunk], found: Resolved, counts: Numbers, places: Numbers
) -> list[GraphNode]:
    """Return a node for each entity.

    Parameters
    ----------
    chunks
        The documents.
    found
        What was found in them; every entity is mentioned.
    counts, places
        In how many chunks each entity occurs, and their numbers in turn.
    """
    mentions, number = found.mentions, len(found.keys)
    shown = _shown_names(mentions, found.names)
    sentences = _telling_sentences(mentions, number)
    kinds = np.full(number, len(KINDS) - 1, np.int64)
    np.minimum.at(kinds, mentions.entity, mentions.kind)
    ids = [chunk.id for chunk in chunks]
    sources = [chunk.source or chunk.id for chunk in chunks]
    stops, place = np.cumsum(counts).tolist(), places.tolist()
    nodes = []
    for entity, key in enumerate(found.keys):
        occurs = place[stops[entity] - int(counts[entity]) : stops[entity]]
        source = {sources[chunk] for chunk in occurs}
        name, also = found.names[shown[entity]], found.also.get(entity)
        sentence = found.sentences[sentences[entity]] if sentences[entity] >= 0 else ""
        lines = (f"{name} ({also})" if also and also != name else name, sentence)
        nodes.append(
            GraphNode(
                key,
                "\n".join(filter(None, lines)),
                source.pop() if len(source) == 1 else SHARED_SOURCE,
                {"name": name, "kind": KINDS[kinds[entity]].value},
                tuple([ids[chunk] for chunk in occurs]),
            )
        )
    return nodes


def _shown_names(mentions: Mentions, names: Sequence[str]) -> list[int]:
    """Return the name that each entity has most often, a document's own before all others."""
    order = np.empty(len(names), np.int64)
    order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    spelled, counts = np.unique(mentions.entity * len(names) + mentions.name, return_counts=True)
    entity, name = np.divmod(spelled, max(1, len(names)))
    titles = mentions.where(mentions.kind == KINDS.index(EntityKind.DOCUMENT))
    titled = np.isin(spelled, titles.entity * len(names) + titles.name)
    best = np.lexsort((order[name], -counts, ~titled, entity))
    return list(name[best[_firsts(entity[best])]].tolist())


def _telling_sentences(mentions: Mentions, number: int) -> list[int]:
    """Return for each entity the sentence that tells most of it, -1 where there is none.

    How a document begins, else the first sentence that defines the entity, else the first.
    """
    sentences = np.full(number, -1, np.int64)
    spoken = mentions.where(mentions.sentence >= 0)
    document = spoken.kind == KINDS.index(EntityKind.DOCUMENT)
    best = np.lexsort((spoken.sentence, ~spoken.defines, ~document, spoken.entity))
    best = best[_firsts(spoken.entity[best])]
    sentences[spoken.entity[best]] = spoken.sentence[best]
    return list(sentences.tolist())


def _firsts(ordered: Numbers) -> Numbers:
    """Return where each value of ``ordered`` comes first."""
    return np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)])

"""From what extractors found to a graph: identities, nodes, bounded edges (S82)."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.graph.entities.chunks import Chunk, DocumentNames
from octavo.graph.entities.graph import EntityGraph
from octavo.graph.entities.nodes import entity_nodes
from octavo.graph.entities.records import EntityRecords
from octavo.graph.entities.resolve import Links, Mentions, Numbers, Resolved, resolve
from octavo.graph.identity import identity_key
from octavo.graph.node_table import NodeTable
from octavo.graph.text.relations import HAS_SECTION, OCCURS_WITH, SPEAKS_OF

WINDOW: Final = 8
"""An entity occurs with at most so many that follow it in its sentence."""

MOST_NEIGHBOURS: Final = 64
"""A node keeps so many edges to what it occurs with: those that most chunks have."""


def everywhere_from(chunks: int) -> int:
    """Return in more than how many chunks an entity is everywhere, and so connects nothing."""
    return max(64, chunks // 16)


def build_entity_graph(
    chunks: Sequence[Chunk], documents: DocumentNames, records: EntityRecords
) -> EntityGraph:
    """Build the graph; linear in mentions and relations, but for sorting them.

    Parameters
    ----------
    chunks
        The documents, in the order of their ids.
    documents
        How they are known.
    records
        What was found in them.
    """
    found = _numbered_by_row(resolve(chunks, documents, records))
    occurrences = np.unique(found.mentions.entity * len(chunks) + found.mentions.chunk)
    where, places = np.divmod(occurrences, max(1, len(chunks)))
    counts = np.bincount(where, minlength=len(found.keys))
    nodes = NodeTable(entity_nodes(chunks, found, counts, places))
    everywhere = counts > everywhere_from(len(chunks))
    names = sorted({*records.relations, OCCURS_WITH})
    order = np.array([names.index(name) for name in records.relations], np.int64)
    links = found.links._replace(relation=order[found.links.relation])
    near = names.index(OCCURS_WITH)
    edges = _Edges(
        [
            _telling(links, everywhere, [names.index(n) for n in VAGUE if n in names]),
            _co_occurrences(found.mentions, everywhere, near),
        ]
    )
    rows = {key: row for row, key in enumerate(found.keys)}
    own = [rows.get(identity_key(name), -1) for name in documents.names]
    chunk_ids = [chunk.id for chunk in chunks]
    return edges.strongest(near).graph(nodes, names, chunk_ids, np.array(own, np.int64))


VAGUE = (HAS_SECTION, SPEAKS_OF)


def _numbered_by_row(found: Resolved) -> Resolved:
    """Return only the entities that are mentioned, in the order of their keys."""
    used = np.unique(found.mentions.entity)
    rows = np.full(len(found.keys), -1, np.int64)
    rows[used] = np.arange(len(used))
    links = found.links
    return found._replace(
        mentions=found.mentions._replace(entity=rows[found.mentions.entity]),
        links=links._replace(source=rows[links.source], target=rows[links.target]),
        keys=[found.keys[entity] for entity in used.tolist()],
        also={int(rows[entity]): name for entity, name in found.also.items()},
    )


def _telling(links: Links, everywhere: NDArray[np.bool_], vague: list[int]) -> Links:
    """Return the relations that connect something: not a heading that every document has."""
    hub = everywhere[links.source] | everywhere[links.target]
    return links.where(~(hub & np.isin(links.relation, vague)))


def _co_occurrences(mentions: Mentions, everywhere: NDArray[np.bool_], relation: int) -> Links:
    """Return both directions of each pair of entities near each other in one sentence."""
    mentions = mentions.where((mentions.sentence >= 0) & ~everywhere[mentions.entity])
    _, first = np.unique(mentions.sentence * len(everywhere) + mentions.entity, return_index=True)
    # In the order of the text, what was found again behind it.
    first = first[np.lexsort((first, mentions.sentence[first]))]
    mentions = Mentions._make([column[first] for column in mentions])
    pairs = [Links(*(np.zeros(0, np.int64) for _ in Links._fields))]
    for distance in range(1, min(WINDOW, len(first)) + 1):
        near = np.flatnonzero(mentions.sentence[distance:] == mentions.sentence[:-distance])
        one, other = mentions.entity[near], mentions.entity[near + distance]
        relations, chunk = np.full(len(near), relation, np.int64), mentions.chunk[near]
        pairs += [Links(one, relations, other, chunk), Links(other, relations, one, chunk)]
    return _joined(pairs)


def _joined(parts: Sequence[Links]) -> Links:
    return Links(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class _Edges:
    """Distinct edges by source, relation and target, and the chunks of each."""

    def __init__(self, parts: Sequence[Links]) -> None:
        links = _joined(parts)
        links = links.where(links.source != links.target)
        order = np.lexsort((links.chunk, links.target, links.relation, links.source))
        links = Links(*(column[order] for column in links))
        repeated = np.zeros(len(order), np.bool_)
        same = np.ones(max(0, len(order) - 1), np.bool_)
        for column in (links.source, links.relation, links.target):
            same &= column[1:] == column[:-1]
        repeated[1:] = same & (links.chunk[1:] == links.chunk[:-1])
        starts = np.concatenate((np.ones(min(1, len(order)), np.bool_), ~same))[~repeated]
        self._links = links.where(~repeated)
        self._starts = np.flatnonzero(starts)

    def strongest(self, near: int) -> "_Edges":
        """Return them without the weaker ones of a node that occurs with very many."""
        source, target = self._links.source[self._starts], self._links.target[self._starts]
        counts = self._counts()
        candidates = np.flatnonzero(self._links.relation[self._starts] == near)
        order = candidates[
            np.lexsort((target[candidates], -counts[candidates], source[candidates]))
        ]
        first = np.searchsorted(source[order], source[order])
        dropped = np.zeros(len(self._starts), np.bool_)
        dropped[order[np.arange(len(order)) - first >= MOST_NEIGHBOURS]] = True
        return _Edges([self._links.where(~np.repeat(dropped, counts))])

    def graph(
        self, nodes: NodeTable, names: list[str], chunk_ids: list[str], document_rows: Numbers
    ) -> EntityGraph:
        """Return the graph of these edges."""
        links = Links(*(column[self._starts] for column in self._links))
        offsets = np.zeros(nodes.rows + 1, np.int64)
        np.cumsum(np.bincount(links.source, minlength=nodes.rows), out=offsets[1:])
        return EntityGraph(
            nodes,
            offsets,
            links.target.astype(np.int32),
            links.relation.astype(np.int32),
            names,
            np.concatenate((self._starts, [len(self._links.chunk)])),
            self._links.chunk,
            chunk_ids,
            document_rows,
        )

    def _counts(self) -> Numbers:
        return np.diff(np.concatenate((self._starts, [len(self._links.chunk)])))

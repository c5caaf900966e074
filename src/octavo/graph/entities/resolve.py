"""Mentions and relations by entity, once names are known to be the same (S82)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.graph.entities.chunks import Chunk, DocumentNames
from octavo.graph.entities.records import DOCUMENT, KINDS, EntityRecords
from octavo.graph.identity import identity_key
from octavo.graph.text.sentences import shown_sentence
from octavo.spi import EntityKind

Numbers = NDArray[np.int64]


class Mentions(NamedTuple):
    """Mentions as columns; names, sentences and kinds are numbers, -1 for no sentence."""

    entity: Numbers
    name: Numbers
    chunk: Numbers
    sentence: Numbers
    kind: Numbers
    defines: NDArray[np.bool_]
    certain: NDArray[np.bool_]

    def where(self, kept: NDArray[np.bool_]) -> "Mentions":
        """Return some of them."""
        return Mentions._make([column[kept] for column in self])


class Links(NamedTuple):
    """Relations as columns."""

    source: Numbers
    relation: Numbers
    target: Numbers
    chunk: Numbers

    def where(self, kept: NDArray[np.bool_]) -> "Links":
        """Return some of them."""
        return Links._make([column[kept] for column in self])


class Resolved(NamedTuple):
    """What was found, by entity.

    Parameters
    ----------
    keys
        The identity keys of the entities, ascending.
    names
        All names, as they were written.
    sentences
        All sentences, and for each document how it begins.
    also
        For entities that are documents the references by which they are known.
    """

    mentions: Mentions
    links: Links
    keys: list[str]
    names: list[str]
    sentences: list[str]
    also: dict[int, str]


def resolve(chunks: Sequence[Chunk], documents: DocumentNames, records: EntityRecords) -> Resolved:
    """Return what was found, by entity; a mention that is uncertain counts only beside certain ones.

    Parameters
    ----------
    chunks
        The documents, in the order of their ids.
    documents
        How they are known.
    records
        What was found in them.
    """
    names = dict(records.names)
    own = np.array([names.setdefault(each, len(names)) for each in documents.names], np.int64)
    keys_of_names = [identity_key(name) for name in names]
    keys_of_names = [documents.aliases.get(key, key) for key in keys_of_names]
    keys = sorted({*keys_of_names} - {""})
    numbers = {key: number for number, key in enumerate(keys)} | {"": -1}
    entities = np.array([numbers[key] for key in keys_of_names], np.int64)
    known = set(entities[own].tolist()) - {-1}
    choices = [
        next((each for each in choice if entities[each] in known), choice[0])
        for choice in records.choices
    ]
    links = _links(records, own, np.array(choices, np.int64))
    links = links.where((entities[links.source] >= 0) & (entities[links.target] >= 0))
    chunk_numbers = np.arange(len(chunks))
    leads = len(records.sentences) + chunk_numbers
    mentions = _stacked(
        [
            _extracted(records),
            _implied(own, chunk_numbers, EntityKind.DOCUMENT, leads),
            _implied(links.source, links.chunk, EntityKind.NAME),
            _implied(links.target, links.chunk, EntityKind.NAME),
        ]
    )
    mentions = mentions._replace(entity=entities[mentions.entity])
    mentions = mentions.where(mentions.entity >= 0)
    certain = np.zeros(len(keys), np.bool_)
    certain[mentions.entity[mentions.certain]] = True
    return Resolved(
        mentions.where(certain[mentions.entity]),
        links._replace(source=entities[links.source], target=entities[links.target]),
        keys,
        list(names),
        records.sentences + [shown_sentence(chunk.content) for chunk in chunks],
        {
            number: reference
            for number, reference in zip(entities[own].tolist(), documents.references, strict=True)
            if number >= 0 and documents.aliases.get(identity_key(reference)) == keys[number]
        },
    )


def _links(records: EntityRecords, own: Numbers, choices: Numbers) -> Links:
    """Return relations between names."""
    source, chunk = _column(records.relation_source), _column(records.relation_chunk)
    source = np.where(source == DOCUMENT, own[chunk], source)
    target = choices[_column(records.relation_target)]
    return Links(source, _column(records.relation_name), target, chunk)


def _extracted(records: EntityRecords) -> Mentions:
    return Mentions(
        _column(records.mention_name),
        _column(records.mention_name),
        _column(records.mention_chunk),
        _column(records.mention_sentence),
        _column(records.mention_kind),
        _column(records.mention_defines).astype(np.bool_),
        _column(records.mention_certain).astype(np.bool_),
    )


def _implied(
    names: Numbers, chunks: Numbers, kind: EntityKind, sentences: Numbers | None = None
) -> Mentions:
    number = len(names)
    kinds = np.full(number, KINDS.index(kind), np.int64)
    yes, no = np.ones(number, np.bool_), np.full(number, -1, np.int64)
    return Mentions(names, names, chunks, no if sentences is None else sentences, kinds, yes, yes)


def _column(values: Sequence[int]) -> Numbers:
    return np.array(values, np.int64)


def _stacked(parts: Sequence[Mentions]) -> Mentions:
    return Mentions._make([np.concatenate(column) for column in zip(*parts, strict=True)])

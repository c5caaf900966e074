"""Sample queries for tuning: documents of the segment, and short texts made of their words."""

import random

import numpy as np
from numpy.typing import NDArray

from octavo.engines.vector.sample import Sample
from octavo.kernels.unit_length import unit_length
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.segment import Segment

SAMPLED = 512
"""Queries of each kind: half of them choose, half of them validate."""

_SEED = 7
_SHORTEST, _LONGEST = 2, 6
_FEWEST = 32


def held_back(segment: Segment, embedding: QueryEmbedding) -> list[Sample]:
    """Return sample queries of each kind that the segment can give.

    Documents are asked with their own vectors. Real queries are not documents: where texts can be
    embedded, two to six words of a sampled document are asked too.
    """
    if segment.vectors is None:
        return []
    vectors = segment.vectors
    eligible = np.ones(len(vectors), np.bool_)
    for kept in (segment.vector_present, segment.live):
        if kept is not None:
            eligible &= kept
    rows = np.flatnonzero(eligible)
    chosen = rows[np.random.default_rng(_SEED).permutation(len(rows))[: 2 * SAMPLED]]
    asked = vectors.take(chosen[:SAMPLED], axis=0)
    speaking = asked.any(axis=1)
    samples = [Sample("documents", asked[speaking], chosen[:SAMPLED][speaking])]
    if embedding.available:
        texts = _short_texts(segment, chosen)
        if len(texts) >= _FEWEST:
            samples.append(text_sample("texts", unit_length(embedding.embed(texts))))
    return [sample for sample in samples if len(sample)]


def text_sample(name: str, vectors: NDArray[np.float32]) -> Sample:
    """Return queries that are no documents; those that say nothing are left out."""
    speaking = np.ascontiguousarray(vectors[vectors.any(axis=1)])
    return Sample(name, speaking, np.full(len(speaking), -1, np.int64))


def _short_texts(segment: Segment, rows: NDArray[np.int64]) -> list[str]:
    generator = random.Random(_SEED)  # noqa: S311 - a sample, no secret
    texts: list[str] = []
    for content in segment.columns.texts("content", rows.tolist()):
        words = (content or "").split()
        if len(words) >= _SHORTEST and len(texts) < SAMPLED:
            count = min(len(words), generator.randint(_SHORTEST, _LONGEST))
            texts.append(" ".join(generator.sample(words, count)))
    return texts

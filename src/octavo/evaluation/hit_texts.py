"""What people read of a hit: its title and the piece of its text that answers best."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from octavo.analysis.snippet import Piece, best_snippet
from octavo.analysis.spans import token_spans
from octavo.corpus.searchable import SearchableCorpus

READ_CHARACTERS: Final = 4_000
"""How far into a text matches are looked for; finding them takes some milliseconds a page."""


@dataclass(frozen=True, slots=True)
class HitText:
    """Title and best stretch of a document, in pieces that match the query or do not."""

    title: tuple[Piece, ...]
    snippet: tuple[Piece, ...]


def hit_texts(corpus: SearchableCorpus, query: str, ids: Iterable[str]) -> Mapping[str, HitText]:
    """Return the texts of documents as answers to a query; those that the index lacks are left out."""
    wanted = list(ids)
    index = corpus.keyword_index
    rows = index.rows_of(wanted)
    terms = frozenset(corpus.analyzer.tokens(query))

    def pieces(text: str) -> tuple[Piece, ...]:
        read = text[:READ_CHARACTERS]
        return best_snippet(text, token_spans(corpus.analyzer, read), terms)

    return {
        document.id: HitText(pieces(document.title or ""), pieces(document.content))
        for document in index.documents(rows[np.flatnonzero(rows >= 0)])
    }

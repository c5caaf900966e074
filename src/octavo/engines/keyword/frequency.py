"""How many documents hold a term, remembered."""

from collections.abc import Callable
from functools import lru_cache

from tantivy import Searcher

from octavo.engines.keyword.schema import BODY

_REMEMBERED_TERMS = 65_536
_LONGEST_REMEMBERED = 256


def document_frequencies(searcher: Searcher) -> Callable[[str], int]:
    """Return a function from a term to the number of documents that hold it.

    Any string is legal. The function may be called from several threads; it remembers a bounded
    number of terms of bounded length (a lookup costs a walk through every segment's dictionary).
    """

    def look_up(term: str) -> int:
        try:
            term.encode()
        except UnicodeEncodeError:  # a lone surrogate, which no indexed text can hold
            return 0
        return searcher.doc_freq(BODY, term)

    remembered = lru_cache(maxsize=_REMEMBERED_TERMS)(look_up)

    def frequency(term: str) -> int:
        return remembered(term) if len(term) <= _LONGEST_REMEMBERED else look_up(term)

    return frequency

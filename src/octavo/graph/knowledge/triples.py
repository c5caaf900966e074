"""Triples in memory, found by what they name and by their words."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_WORDS = re.compile("[a-z0-9]+")


class Triple(NamedTuple):
    """A subject, a predicate, an object."""

    subject: str
    predicate: str
    object: str


def words_of(text: str) -> list[str]:
    """Return the words of a text: in lower case, split on everything but a-z and 0-9 (S83).

    Examples
    --------
    >>> words_of("The Auth-Service, v2"), words_of("東京")
    (['the', 'auth', 'service', 'v2'], [])
    """
    return _WORDS.findall(text.lower())


class TripleSet:
    """Distinct triples in the order in which they were added, each end and word looked up at once.

    Not safe to share between threads by itself.
    """

    def __init__(self) -> None:
        self._triples: dict[Triple, None] = {}
        self._by_end: dict[str, dict[Triple, None]] = {}
        self._by_word: dict[str, dict[Triple, None]] = {}

    def add(self, triple: Triple) -> bool:
        """Add a triple; return whether it is new."""
        if triple in self._triples:
            return False
        self._triples[triple] = None
        for index, keys in self._places(triple):
            for key in keys:
                index.setdefault(key, {})[triple] = None
        return True

    def remove(self, triple: Triple) -> bool:
        """Remove a triple; return whether it was there."""
        if triple not in self._triples:
            return False
        del self._triples[triple]
        for index, keys in self._places(triple):
            for key in keys:
                del index[key][triple]
                if not index[key]:
                    del index[key]
        return True

    def touching(self, entity: str) -> Iterable[Triple]:
        """Return the triples that have an entity as subject or object."""
        return self._by_end.get(entity, {}).keys()

    def having(self, word: str) -> Iterable[Triple]:
        """Return the triples that have a word."""
        return self._by_word.get(word, {}).keys()

    def __iter__(self) -> Iterator[Triple]:
        return iter(self._triples)

    def __len__(self) -> int:
        return len(self._triples)

    def __contains__(self, triple: object) -> bool:
        return triple in self._triples

    def _places(self, triple: Triple) -> tuple[tuple[dict[str, dict[Triple, None]], set[str]], ...]:
        words = {word for part in triple for word in words_of(part)}
        return (self._by_end, {triple.subject, triple.object}), (self._by_word, words)

"""A query expander over a user's own table of synonyms; no model, no guess."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from octavo.analysis import Analyzer
from octavo.analysis.spans import token_spans
from octavo.errors import ConfigurationError
from octavo.spi import QueryExpansion


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a query: where it stands, and its folded form."""

    begin: int
    end: int
    folded: str


class SynonymExpander:
    """Write variants of a query in which a word or phrase is replaced by a synonym.

    Built in, deterministic and never chosen silently: pass it explicitly.

    Parameters
    ----------
    table
        Synonyms by word or phrase. Both are compared as whole words, without regard to case or
        Unicode form. One way only: ``{"car": ["automobile"]}`` does not replace "automobile".

    Raises
    ------
    ConfigurationError
        A key has no words or repeats another as it is compared, or a synonym is no string or
        blank.

    Notes
    -----
    At each place of the query the longest phrase of the table counts. Each variant replaces one
    phrase, everywhere in the query: first each phrase by its first synonym, in the order of the
    query, then each by its second, and so on.

    Examples
    --------
    >>> expander = SynonymExpander({"car": ["automobile", "vehicle"], "new york": ["NYC"]})
    >>> expander.expand("Car rental in New York", QueryExpansion.SYNONYM, "table", 10)
    ('automobile rental in New York', 'Car rental in NYC', 'vehicle rental in New York')
    """

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        self._analyzer = Analyzer()
        self._synonyms: dict[tuple[str, ...], tuple[str, ...]] = {}
        for phrase, synonyms in table.items():
            key = self._key(phrase)
            if key in self._synonyms:
                raise ConfigurationError(f"synonyms: {phrase!r} is another spelling of a phrase")
            self._synonyms[key] = _checked_synonyms(phrase, synonyms)
        self._longest = max(map(len, self._synonyms), default=0)

    def supports(self, model: str) -> bool:  # noqa: ARG002 - the protocol's signature
        """Return true: the table is the model, whatever it is called."""
        return True

    def expand(
        self,
        query: str,
        mode: QueryExpansion,
        model: str,  # noqa: ARG002
        max_expansions: int,
    ) -> tuple[str, ...]:
        """Return at most ``max_expansions`` distinct variants of ``query``.

        Raises
        ------
        ConfigurationError
            The mode is not ``SYNONYM``.
        """
        if mode != QueryExpansion.SYNONYM:
            raise ConfigurationError(f"SynonymExpander: expected the mode SYNONYM, found {mode!r}")
        places = self._places(query)
        columns = [
            [_replaced(query, spans, synonym) for synonym in self._synonyms[key]]
            for key, spans in places.items()
        ]
        rounds = (variant for line in zip_longest(*columns) for variant in line if variant)
        variants = dict.fromkeys(variant for variant in rounds if variant != query)
        return tuple(variants)[:max_expansions]

    def _places(self, query: str) -> dict[tuple[str, ...], list[tuple[int, int]]]:
        """Return where each phrase of the table stands, in the order of the query."""
        words = self._words(query)
        places: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        at = 0
        while at < len(words):
            length = self._phrase_length(words, at)
            if length:
                found = words[at : at + length]
                key = tuple(word.folded for word in found)
                places.setdefault(key, []).append((found[0].begin, found[-1].end))
            at += max(length, 1)
        return places

    def _phrase_length(self, words: Sequence[_Word], at: int) -> int:
        for length in range(min(self._longest, len(words) - at), 0, -1):
            if tuple(word.folded for word in words[at : at + length]) in self._synonyms:
                return length
        return 0

    def _words(self, text: str) -> list[_Word]:
        # A span's words may be part of a compound; each is folded by itself.
        return [
            _Word(begin, end, " ".join(self._analyzer.tokens(text[begin:end])))
            for begin, end, _ in token_spans(self._analyzer, text)
        ]

    def _key(self, phrase: object) -> tuple[str, ...]:
        key = tuple(word.folded for word in self._words(phrase)) if isinstance(phrase, str) else ()
        if not key:
            raise ConfigurationError(f"synonyms: expected phrases with words, found {phrase!r}")
        return key


def _checked_synonyms(phrase: str, synonyms: object) -> tuple[str, ...]:
    if isinstance(synonyms, str) or not isinstance(synonyms, Sequence):
        raise ConfigurationError(
            f"synonyms of {phrase!r}: expected a sequence of strings, found {synonyms!r}"
        )
    for synonym in synonyms:
        if not isinstance(synonym, str) or not synonym.strip():
            raise ConfigurationError(
                f"synonyms of {phrase!r}: expected non-blank strings, found {synonym!r}"
            )
    return tuple(synonyms)


def _replaced(query: str, spans: Sequence[tuple[int, int]], synonym: str) -> str:
    pieces = []
    end = 0
    for begin, stop in spans:
        pieces += [query[end:begin], synonym]
        end = stop
    return "".join([*pieces, query[end:]])

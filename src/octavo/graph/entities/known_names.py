"""Names in scripts without capitals, found again where nothing else tells them (S82)."""

from collections.abc import Iterable, Iterator

from octavo.graph.identity import folded_words
from octavo.graph.text.lines import read_lines
from octavo.graph.text.patterns import UNSPACED
from octavo.graph.text.sentences import sentence_ends
from octavo.spi import EntityKind

_NO_NAMES = (EntityKind.LINK, EntityKind.REFERENCE)


def is_uncased_name(key: str, kind: EntityKind) -> bool:
    """Whether running text may have a name by its words alone: it has letters, and none has a case.

    Where there are capitals, they tell more than words do.
    """
    return (
        len(key) > 1
        and kind not in _NO_NAMES
        and key == key.upper()
        and any(map(str.isalpha, key))
        and not key.isascii()
    )


class KnownNames:
    """Names by their words.

    Parameters
    ----------
    keys
        Identity keys.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        # How many words, or characters, the names have that begin with a word, or a character: so
        # the time for a place does not grow with the number of names.
        self._spaced_lengths: dict[str, set[int]] = {}
        self._unspaced: dict[str, set[int]] = {}
        self._keys = sorted(keys)
        for key in self._keys:
            if UNSPACED.fullmatch(key):
                self._unspaced.setdefault(key[0], set()).add(len(key))
            else:
                words = key.split()
                self._spaced_lengths.setdefault(words[0], set()).add(len(words))
        self._known = frozenset(self._keys)

    def sentences(self, text: str) -> Iterator[tuple[str, list[str]]]:
        """Yield each sentence of the prose that has known names, and their keys in its order."""
        if text.isascii() or not self._known:
            return
        prose, start = read_lines(text).prose, 0
        for end in sentence_ends(prose):
            sentence = prose[start:end]
            start = end
            words = [] if sentence.isascii() else folded_words(sentence)
            found = [*self._spaced(words), *self._unspaced_names(words)]
            if found:
                yield sentence, found

    def _spaced(self, words: list[str]) -> list[str]:
        """Return the longest names at each place, none within another."""
        found, free = [], 0
        for place in [n for n, word in enumerate(words) if word in self._spaced_lengths]:
            if place >= free:
                for length in sorted(self._spaced_lengths[words[place]], reverse=True):
                    name = " ".join(words[place : place + length])
                    if place + length <= len(words) and name in self._known:
                        found.append(name)
                        free = place + length
                        break
        return found

    def _unspaced_names(self, words: list[str]) -> Iterator[str]:
        for word in words:
            if not word.isascii():
                yield from self._within(word)

    def _within(self, run: str) -> Iterator[str]:
        """Yield the longest names at each place of a run of letters, none within another."""
        place = 0
        while place < len(run):
            lengths = sorted(self._unspaced.get(run[place], ()), reverse=True)
            names = (run[place : place + length] for length in lengths)
            name = next((name for name in names if name in self._known), run[place])
            if len(name) > 1:
                yield name
            place += len(name)

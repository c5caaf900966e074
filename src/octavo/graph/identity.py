"""Which names are one entity: the folding of names (S82)."""

import unicodedata

_ARTICLES = ("a ", "an ", "the ")
_SPACE = ord(" ")


class _Folding(dict[int, int]):
    """For ``str.translate``: letters and decimal digits stay, all else becomes a space."""

    def __missing__(self, point: int) -> int:
        # In Unicode's terms the categories L* and Nd.
        character = chr(point)
        kept = character.isalpha() or character.isdecimal()
        self[point] = folded = point if kept else _SPACE
        return folded


_LETTERS_AND_DIGITS = _Folding()


def identity_key(name: str) -> str:
    """Return what names of the same entity have in common; empty where a name has no letter.

    NFKC, lower case without regard to a locale, everything but letters and decimal digits to
    spaces, runs of spaces to one, and a leading English article removed if something remains.
    Letters outside ASCII stay what they are: nothing is transliterated, no accent is lost.

    Examples
    --------
    >>> identity_key("the Auth-Service") == identity_key("Auth Service") == "auth service"
    True
    >>> identity_key("İstanbul"), identity_key("東京"), identity_key("A")
    ('i stanbul', '東京', 'a')
    """
    key = " ".join(folded_words(name))
    # Words are single-spaced by now: behind an article and its space there is another word.
    return key.partition(" ")[2] if key.startswith(_ARTICLES) else key


def folded_words(text: str) -> list[str]:
    """Return the words of a text as :func:`identity_key` folds them, articles included.

    Examples
    --------
    >>> folded_words("The Auth-Service")
    ['the', 'auth', 'service']
    """
    composed = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return composed.lower().translate(_LETTERS_AND_DIGITS).split()

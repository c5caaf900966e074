"""What of a query is looked for in a database: words for an index, names for folded keys (S84)."""

import re

from octavo.graph.identity import identity_key

_MOST_WORDS = 256
_LONGEST_WORD = 255  # characters; what an index of Lucene's keeps
_LONGEST_NAME = 8  # words, or characters where words are not set apart
_WORD = re.compile(r"\w+")
_OPERATORS = {"AND", "OR", "NOT", "TO"}
_IDEOGRAPH = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af]")


def full_text_words(query: str) -> str:
    """Return a query for Lucene: its distinct words, any of which may match.

    Nothing that its syntax gives a meaning to is left; a query without words gives an empty text.

    Examples
    --------
    >>> full_text_words('title:"fox* AND (owl~')
    'title fox and owl'
    """
    words = dict.fromkeys(
        word.lower() if word in _OPERATORS else word
        for word in _WORD.findall(query)
        if len(word) <= _LONGEST_WORD
    )
    return " ".join(list(words)[:_MOST_WORDS])


def folded_names(query: str) -> dict[str, float]:
    """Return the folded names that a query may speak of, each with its score.

    Runs of up to eight words of the folded query, with their share of its words, and all of it.
    Where a script does not set words apart, runs of up to eight characters of a word, with their
    share of it.

    Examples
    --------
    >>> folded_names("The Auth Service?")
    {'auth': 0.5, 'service': 0.5, 'auth service': 1.0}
    >>> folded_names("東京 x")["京"]
    0.25
    """
    words = identity_key(query).split(" ")[:_MOST_WORDS]
    share = 1.0 / len(words)
    names: dict[str, float] = {}
    for word in words:
        if _IDEOGRAPH.search(word):
            for run in _runs(word[:_MOST_WORDS]):
                names[run] = max(share * (len(run) / len(word)), names.get(run, 0.0))
    for length in range(1, min(len(words), _LONGEST_NAME) + 1):
        for start in range(len(words) - length + 1):
            names[" ".join(words[start : start + length])] = length / len(words)
    names[" ".join(words)] = 1.0
    names.pop("", None)
    return names


def _runs(word: str) -> list[str]:
    return [
        word[start : start + length]
        for length in range(1, min(len(word), _LONGEST_NAME) + 1)
        for start in range(len(word) - length + 1)
    ]

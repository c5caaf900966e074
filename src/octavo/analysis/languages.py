"""Stemmers and stop words by language, from tantivy (Snowball)."""

from functools import lru_cache

import tantivy

from octavo.errors import ConfigurationError

STEMMERS = {
    "ar": "Arabic",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "hu": "Hungarian",
    "it": "Italian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "ta": "Tamil",
    "tr": "Turkish",
}
"""tantivy's name of each stemmer by ISO 639-1 code."""

STOP_WORDS = {
    code: name for code, name in STEMMERS.items() if code not in ("ar", "el", "ro", "ta", "tr")
}
"""tantivy's name of each list of stop words by ISO 639-1 code."""


def check_language(language: object, known: dict[str, str], what: str) -> None:
    """Raise if ``language`` is not a code in ``known``.

    Raises
    ------
    ConfigurationError
        Names the codes that are known.
    """
    if not isinstance(language, str) or language not in known:
        raise ConfigurationError(
            f"language: no {what} for {language!r}; expected one of {', '.join(sorted(known))}"
        )


@lru_cache(maxsize=64)
def stemmer(language: str) -> tantivy.TextAnalyzer:
    """Return an analyser that splits at spaces and stems every token."""
    return _analyzer(tantivy.Filter.stemmer(STEMMERS[language]))


@lru_cache(maxsize=64)
def stop_word_filter(language: str) -> tantivy.TextAnalyzer:
    """Return an analyser that splits at spaces and drops the stop words."""
    return _analyzer(tantivy.Filter.stopword(STOP_WORDS[language]))


def _analyzer(token_filter: tantivy.Filter) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(token_filter).build()

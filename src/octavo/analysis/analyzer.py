"""The analyser: one for index, query and hash embedding (S21)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np
import pyarrow as pa

from octavo.analysis.buffers import ArrowArray, TextBuffers, as_large_strings, text_array
from octavo.analysis.languages import STEMMERS, STOP_WORDS, check_language
from octavo.analysis.tables import code_point_tables
from octavo.analysis.token_filters import filter_tokens, filter_words
from octavo.analysis.tokenizer import RULES_VERSION, tokenize, tokenize_buffers
from octavo.errors import ConfigurationError

_WORTH_A_BATCH = 3
"""Texts; one or two are faster without Arrow (measured)."""

# What the filters make of these words is part of the fingerprint, so that a release of tantivy
# that stems otherwise is noticed when an index is opened.
_PROBE = (  # noqa: SIM905 - a list would be a page long
    "the of and with der die das und les des una por het een och ikke ja az и не "
    "running generously nationalisation happily flies houses kinder häuser gegangen aufführungen "
    "chevaux continuellement nacionalidades corriendo rapidamente bambini mangiare lopende huizen "
    "flickorna springande husene talojen juoksevat házakban futás книгами бегущий alergarea "
    "kitaplar ευρωπαϊκών والكتاب புத்தகங்கள்"
).split()


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Turns text into tokens; immutable, comparable, picklable, safe to share between threads.

    Text is normalised (NFKC) and folded (full Unicode case folding). Words and identifiers are
    found whole and by part: ``os.path.joinPath`` gives ``os.path.joinpath os path joinpath join
    path``. Scripts written without spaces give pairs of neighbouring characters.

    Parameters
    ----------
    language
        ISO 639-1 code of the stemmer and the stop words; ``en`` when one of them is asked for
        without it. It changes nothing by itself.
    stem
        Replace each token by its Snowball stem.
    stop_words
        Drop the stop words of the language.

    Raises
    ------
    ConfigurationError
        The language is not known, or has no stop words.

    Examples
    --------
    >>> Analyzer().tokens("HTTPServer reads utf8_text")
    ['httpserver', 'http', 'server', 'reads', 'utf8_text', 'utf8', 'text']
    >>> Analyzer("en", stem=True, stop_words=True).tokens("The houses of Parliament")
    ['hous', 'parliament']
    """

    language: str | None = None
    stem: bool = False
    stop_words: bool = False

    def __post_init__(self) -> None:
        for name, value in (("stem", self.stem), ("stop_words", self.stop_words)):
            if not isinstance(value, bool):
                raise ConfigurationError(f"{name}: expected true or false, found {value!r}")
        if self.language is None:
            if self.stem or self.stop_words:
                object.__setattr__(self, "language", "en")
            return
        check_language(self.language, STEMMERS, "stemmer")
        if self.stop_words:
            check_language(self.language, STOP_WORDS, "stop words")

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of one text in order, repetitions included.

        Any string is legal; lone surrogates separate words.

        Raises
        ------
        TypeError
            ``text`` is not a string.
        """
        if not isinstance(text, str):
            raise TypeError(f"text: expected a string, found {type(text).__name__}")
        encoded = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
        buffers = TextBuffers(encoded, np.array([0, encoded.size], np.int64))
        if text.isascii():  # no normalisation, hence no Arrow: a third of the time
            joined = tokenize_buffers(buffers).data.tobytes().decode("ascii")
        else:
            joined = tokenize(text_array(buffers))[0].as_py()
        words = joined.split(" ") if joined else []
        if not (self.stem or self.stop_words):
            return words
        return filter_words(words, self._stop_word_language, self._stem_language)[1]

    def tokens_batch(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each text, as :meth:`tokens` does, many times faster for many.

        Raises
        ------
        TypeError
            A text is not a string.
        """
        if len(texts) < _WORTH_A_BATCH or not all(isinstance(text, str) for text in texts):
            return [self.tokens(text) for text in texts]
        encoded = [text.encode("utf-8", "replace") for text in texts]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        buffers = TextBuffers(np.frombuffer(b"".join(encoded), np.uint8), offsets)
        analyzed = self.analyze_batch(text_array(buffers)).to_pylist()
        return [joined.split(" ") if joined else [] for joined in analyzed]

    def analyze_batch(self, texts: ArrowArray) -> pa.LargeStringArray:
        """Return the tokens of each text joined by single spaces; null gives an empty string.

        Parameters
        ----------
        texts
            ``n`` strings of any Arrow string type, dictionary-encoded, sliced or chunked or not.

        Returns
        -------
        pyarrow.LargeStringArray
            ``n`` strings without nulls, equal to ``" ".join(self.tokens(text))`` row by row.

        Raises
        ------
        InvalidArgumentError
            The values are no strings or not valid UTF-8.
        """
        analyzed = tokenize(as_large_strings(texts))
        if not (self.stem or self.stop_words):
            return analyzed
        return filter_tokens(analyzed, self._stop_word_language, self._stem_language)

    @property
    def fingerprint(self) -> str:
        """32 hex digits that differ whenever any text might be analysed otherwise."""
        rules = {
            "rules": RULES_VERSION,
            "tables": code_point_tables().checksum,
            "stem": self._stem_language,
            "stop_words": self._stop_word_language,
            "probe": filter_words(_PROBE, self._stop_word_language, self._stem_language)[1],
        }
        canonical = json.dumps(rules, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:32]

    def to_dict(self) -> dict[str, str | bool | None]:
        """Return the options as JSON values."""
        return asdict(self)

    @staticmethod
    def from_dict(options: Mapping[str, object]) -> "Analyzer":
        """Return the analyser that `to_dict` described.

        Raises
        ------
        ConfigurationError
            An option is not known or has a wrong value.
        """
        known = {field.name for field in fields(Analyzer)}
        unknown = sorted(set(options) - known)
        if unknown:
            raise ConfigurationError(
                f"analyser: expected the options {', '.join(sorted(known))}, found {unknown[0]!r}"
            )
        return Analyzer(**options)  # type: ignore[arg-type]  # checked by __post_init__

    @property
    def _stem_language(self) -> str | None:
        return self.language if self.stem else None

    @property
    def _stop_word_language(self) -> str | None:
        return self.language if self.stop_words else None

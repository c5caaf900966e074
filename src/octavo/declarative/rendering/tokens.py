"""How many tokens a text is, as far as that can be said without the model."""

import re
from typing import Final, Protocol, runtime_checkable

from octavo.declarative.provided import failing_as_execution
from octavo.errors import ExecutionError, InvalidArgumentError, checked_count

# Every part of a piece is a piece, so that a text never has more than its parts together.
_PIECE: Final = re.compile(
    r" ?(?:[A-Z]?[a-z]{1,6}|[A-Z]{1,3}|[0-9]{1,3}"
    r"|[!-/:-@\[-`{-~\x00-\x08\x0b\x0c\x0e-\x1f\x7f]{1,2}"
    r"|[\x80-\u08ff]{1,2}|[^\x00-\u08ff])"
    r"|[\n\r]{1,4}|[ \t]{1,32}"
)
_LONG: Final = 1 << 16  # characters from which no list is made: a text may be a whole file


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text; the tokenizer of the model that is asked gives exact budgets."""

    def __call__(self, text: str) -> int:
        """Return the number of tokens, at least 0."""
        ...


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text is, by its words, digits, signs and scripts.

    Against the tokenizers of four families of models (``cl100k``, ``o200k``, and those of Anthropic
    and DeepSeek): English prose 1.05 to 1.10 of the true number, Markdown 1.1, source code 1.15 to
    1.2, CSV and hexadecimal digits 0.95 to 1.0. Other scripts depend on the tokenizer: Cyrillic 0.95
    to 1.55, Chinese and Japanese 0.9 to 1.35, Korean 0.7 to 1.15, Arabic 0.5 to 1.3, Thai 0.55 to 2;
    emoji 0.45 to 0.7. Where a budget is tight, give the model's own tokenizer instead.

    Time in proportion to the text. A longer text never has fewer, and a text never
    more than its parts together.

    Examples
    --------
    >>> estimated_tokens("Retrieval runs before the LLM executor."), estimated_tokens("")
    (9, 0)
    """
    if len(text) > _LONG:
        return sum(1 for _ in _PIECE.finditer(text))
    return len(_PIECE.findall(text))


def counted(counter: TokenCounter, text: str) -> int:
    """Return what a counter says, if that is a number of tokens.

    Raises
    ------
    ExecutionError
        The counter raised something that is no retrieval error, or returned something else.
    """
    with failing_as_execution("the token counter"):
        found = counter(text)
    try:
        return checked_count("token counter", found, 0)
    except InvalidArgumentError as error:
        raise ExecutionError(str(error)) from None

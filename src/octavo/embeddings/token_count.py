"""How many tokens a request has: about, and as the server counted them."""

from collections.abc import Sequence
from typing import Final

_BYTES_A_TOKEN: Final = 4
"""Of English text, by the rule of thumb of OpenAI; of Chinese it is about three."""


def estimated_tokens(texts: Sequence[str]) -> float:
    """Return about how many tokens texts have, from their bytes in UTF-8.

    Examples
    --------
    >>> estimated_tokens(["some words"])
    2.5
    """
    return sum(len(text.encode()) for text in texts) / _BYTES_A_TOKEN


def counted_tokens(answer: object) -> int | None:
    """Return the tokens that an answer says it took, ``None`` where it does not.

    Examples
    --------
    >>> counted_tokens({"data": [], "usage": {"prompt_tokens": 8, "total_tokens": 8}})
    8
    """
    usage = answer.get("usage") if isinstance(answer, dict) else None
    counted = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if isinstance(counted, bool) or not isinstance(counted, int):
        return None
    return counted if 0 < counted < 1 << 31 else None

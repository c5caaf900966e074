"""Where sentences end, in any script."""

import re
from collections.abc import Iterator

_END = re.compile(
    r"[.!?…。！？｡।؟۔\n|](?:"
    # A stop, and what comes next begins no word in lower case (so "e.g. this" goes on).
    r"(?<=[.!?…])(?<![.!?…].)[.!?…]*+[\"'”’»)\]]*+\s++(?=[^a-z])"
    r"|(?<=[。！？｡।؟۔])[」』”》]*+"
    # An empty line; the next item of a list; a cell of a table.
    r"|(?<=\n)[^\S\n]*+(?:\n\s*+|(?=(?:[-*+•·]|\d{1,3}[.)])[^\S\n]))|(?<=\|))"
)


def sentence_ends(text: str) -> Iterator[int]:
    """Yield where each sentence ends and the next begins, ascending; the last is the text's end."""
    for match in _END.finditer(text):
        yield match.end()
    yield len(text)


def shown_sentence(text: str, longest: int = 300) -> str:
    """Return a sentence as a reader sees it: on one line, cut after a word."""
    # More than twice as long cannot become short enough; what is cut away need not be split.
    line = " ".join(text[: 4 * longest].split())
    if len(line) <= longest:
        return line
    return line[: longest - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"

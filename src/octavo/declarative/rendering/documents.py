"""One document as the context has it (S70)."""

from dataclasses import dataclass, replace
from typing import Final

from octavo.declarative.declarations.context_format import PLACEHOLDER
from octavo.declarative.rendering.graphemes import grapheme_boundary
from octavo.visible import visible, visible_line

ELLIPSIS: Final = "…"
"""Stands at the end of content that was shortened."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What can be written about one document.

    Parameters
    ----------
    name
        The declared name of its source, for the budget of that source.
    content
        The text.
    location
        What ``${source}`` shows.
    score
        What ``${score}`` shows; ``None`` for what was not searched.
    """

    name: str
    content: str
    location: str
    score: float | None = None

    def shortened(self, length: int) -> "Passage | None":
        """Return the passage with at most ``length`` characters of content, and an ellipsis.

        ``None`` where nothing would be left.
        """
        kept = self.content[: grapheme_boundary(self.content, length)].rstrip()
        return replace(self, content=kept + ELLIPSIS) if kept else None


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """How documents are written into the context.

    Parameters
    ----------
    context_format
        A text with ``${content}``, ``${source}`` and ``${score}``.
    include_spec
        Whether source and score show; where not, nothing stands in their place.

    Examples
    --------
    >>> format = DocumentFormat("[${source}, ${score}] ${content}")
    >>> format.written(Passage("notes", "${source} is no placeholder here", "a.md", 0.87654))
    '[a.md, 0.8765] ${source} is no placeholder here'
    """

    context_format: str
    include_spec: bool = True

    def written(self, passage: Passage) -> str:
        """Return a document's text, with nothing hidden in it.

        The format is read once: what documents contain is never interpreted.
        """
        values = {"content": visible(passage.content), "source": "", "score": ""}
        if self.include_spec:
            values["source"] = visible_line(passage.location)
            values["score"] = "" if passage.score is None else score_text(passage.score)
        return PLACEHOLDER.sub(lambda match: values[match[1]], self.context_format)


def score_text(score: float) -> str:
    """Return a score with four digits after the point, the same everywhere.

    Examples
    --------
    >>> score_text(0.5), score_text(-0.0), score_text(12.34567)
    ('0.5000', '0.0000', '12.3457')
    """
    return f"{score + 0.0:.4f}"

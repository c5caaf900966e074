"""A document as a strategy returns it (S3)."""

from collections.abc import Mapping
from types import MappingProxyType

from octavo.errors import InvalidArgumentError


class RetrievedDocument:
    """One retrieved document: content, source, score and a read-only view of its metadata.

    Parameters
    ----------
    content
        The text of the document.
    source
        Where the document came from.
    score
        The final score of the strategy that returned it; never NaN.
    metadata
        Strings by name. Not copied: a later change by its owner shows through, while assignment
        through :attr:`metadata` fails.

    Examples
    --------
    >>> owned = {"tier": "SEMANTIC"}
    >>> document = RetrievedDocument("text", "guide.md", 0.5, owned)
    >>> owned["tier"] = "WORKING"
    >>> document.metadata["tier"]
    'WORKING'
    """

    __slots__ = ("_content", "_metadata", "_score", "_source")

    def __init__(
        self, content: str, source: str, score: float, metadata: Mapping[str, str] | None = None
    ) -> None:
        score = float(score)
        if score != score:  # noqa: PLR0124 - NaN is the only value unequal to itself
            raise InvalidArgumentError("score: expected a number, found NaN")
        self._content = content
        self._source = source
        self._score = score
        self._metadata: Mapping[str, str] = MappingProxyType({} if metadata is None else metadata)

    @property
    def content(self) -> str:
        """The text of the document."""
        return self._content

    @property
    def source(self) -> str:
        """Where the document came from."""
        return self._source

    @property
    def score(self) -> float:
        """The final score of the strategy that returned the document."""
        return self._score

    @property
    def metadata(self) -> Mapping[str, str]:
        """A read-only view of the mapping given to the constructor."""
        return self._metadata

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RetrievedDocument):
            return NotImplemented
        return (self._content, self._source, self._score, self._metadata) == (
            other._content,
            other._source,
            other._score,
            other._metadata,
        )

    __hash__ = None  # type: ignore[assignment]  # the metadata may change under it

    def __repr__(self) -> str:
        return (
            f"RetrievedDocument(content={self._content!r}, source={self._source!r}, "
            f"score={self._score!r}, metadata={dict(self._metadata)!r})"
        )

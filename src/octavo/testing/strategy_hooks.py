"""What a test class tells the strategy contract, and how the checks ask the strategy."""

import math
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from octavo.columns.schema import RESERVED_PREFIXES
from octavo.spi import RAGContext, RAGStrategy, RetrievedDocument
from octavo.testing.violation import require

LOWEST_SCORE = -sys.float_info.max

Told = tuple[str, str, str, tuple[tuple[str, str], ...]]


class StrategyHooks:
    """The hooks of :class:`octavo.testing.RAGStrategyContract`; override the first two.

    Attributes
    ----------
    expected_name
        The name that the strategy must have, without regard to case; ``None`` takes any.
    most
        The largest ``max_results`` that a check asks for. A composed strategy keeps its prefix
        property up to its candidate depth, 100 by default (S12, S14).
    filters_only_remove
        Whether a filter only removes documents. Not so where one document brings in another, as
        hits bring in their parents in a hierarchy (S9).
    """

    expected_name: ClassVar[str | None] = None
    most: ClassVar[int] = 100
    filters_only_remove: ClassVar[bool] = True

    def strategy(self) -> RAGStrategy:
        """Return the strategy under test, deterministic and over documents that do not change."""
        raise NotImplementedError("strategy(): return the strategy under test")

    def queries(self) -> Sequence[str]:
        """Return queries; at least one finds three documents that a filter can tell apart."""
        raise NotImplementedError("queries(): return queries that find documents")

    def filterable_keys(self, documents: Sequence[RetrievedDocument]) -> Collection[str]:
        """Return the metadata keys that can be filtered by.

        By default all that ``documents`` have, without those that describe the retrieval itself
        (S11).
        """
        keys = {key for document in documents for key in document.metadata}
        return {key for key in keys if not key.startswith(RESERVED_PREFIXES)}

    def matching(self, query: str, filters: Mapping[str, str]) -> int | None:  # noqa: ARG002
        """Return how many documents answer ``query`` and match ``filters``, where that is known."""
        return None

    @cached_property
    def subject(self) -> RAGStrategy:
        """The strategy, made once for each check."""
        return self.strategy()

    def found(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float = LOWEST_SCORE,
        filters: Mapping[str, str] | None = None,
    ) -> tuple[RetrievedDocument, ...]:
        """Ask the strategy; by default for as much as a check may ask for."""
        context = RAGContext(limit or self.most, min_score, filters or {})
        return tuple(self.subject.retrieve(query, context))

    def best_query(self) -> tuple[str, tuple[RetrievedDocument, ...]]:
        """Return the query that finds the most documents, and these."""
        found = [(query, self.found(query)) for query in self.queries()]
        require(found, "contract", "queries(): expected at least one, found none")
        return max(found, key=lambda pair: len(pair[1]))

    def repeatable(self, queries: Sequence[str], expected: Sequence[Sequence[Told]]) -> bool:
        """Whether two more calls give the expected answers; else S6 is what is broken."""
        return all([all_told(self.found(query)) for query in queries] == expected for _ in range(2))

    def single_filters(self, documents: Sequence[RetrievedDocument]) -> list[tuple[str, str]]:
        """Return keys and values to filter by: for each key a rare, a middling, a common value."""
        chosen: list[tuple[str, str]] = []
        for key in sorted(self.filterable_keys(documents)):
            values = Counter(each.metadata[key] for each in documents if key in each.metadata)
            by_count = [value for value, _ in sorted(values.items(), key=lambda pair: pair[::-1])]
            picked = dict.fromkeys((by_count[0], by_count[len(by_count) // 2], by_count[-1]))
            chosen += [(key, value) for value in picked if value.strip()]
        return chosen


def told(document: RetrievedDocument) -> Told:
    """Return all that a document says, such that equal means equal to the last bit."""
    return (
        document.content,
        document.source,
        repr(float(document.score)),
        tuple(sorted(document.metadata.items())),
    )


def all_told(documents: Iterable[RetrievedDocument]) -> list[Told]:
    """Return what each document says, in order."""
    return [told(document) for document in documents]


def is_nan(score: float) -> bool:
    """Whether a score is no number."""
    return math.isnan(score)

"""The contract that every strategy keeps, as checks that a test class inherits (S1-S13)."""

from octavo.testing.filter_checks import FilterChecks
from octavo.testing.order_checks import OrderChecks
from octavo.testing.result_checks import ResultChecks


class RAGStrategyContract(ResultChecks, OrderChecks, FilterChecks):
    """Inherit it in a test class, and say which strategy and which queries.

    See :class:`octavo.testing.strategy_hooks.StrategyHooks` for all hooks. Works under pytest and,
    beside ``unittest.TestCase``, under unittest.

    Examples
    --------
    >>> from octavo.spi import RetrievedDocument
    >>> class Shelf:
    ...     name = "shelf"
    ...
    ...     def retrieve(self, query, context):
    ...         if not isinstance(query, str):
    ...             raise TypeError("query: expected a string")
    ...         found = [
    ...             RetrievedDocument(f"book {n}", "shelf", 1 / n, {"n": str(n)}) for n in (1, 2, 3)
    ...         ]
    ...         filters = context.metadata_filters.items()
    ...         return tuple(
    ...             book
    ...             for book in found
    ...             if book.score >= context.min_score
    ...             and all(book.metadata.get(key) == value for key, value in filters)
    ...         )[: context.max_results]
    >>> class TestShelf(RAGStrategyContract):
    ...     def strategy(self):
    ...         return Shelf()
    ...
    ...     def queries(self):
    ...         return ["book"]
    >>> from octavo.testing import violations
    >>> violations(TestShelf)
    {}
    """

"""What a query expander must keep, as checks that a test class inherits (S25)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import ClassVar

from octavo.spi import QueryExpander, QueryExpansion
from octavo.testing.violation import does_not_apply, require


class QueryExpanderContract:
    """Inherit it in a test class, and say which expander, model and queries.

    Attributes
    ----------
    model
        A model that the expander supports.
    unsupported_model
        One that it does not; ``None`` where it takes any.
    modes
        The modes that it serves.
    deterministic
        Whether the same call gives the same variants; models often do not.
    """

    model: ClassVar[str] = "fake"
    unsupported_model: ClassVar[str | None] = "octavo.testing: no such model"
    modes: ClassVar[Sequence[QueryExpansion]] = (QueryExpansion.MULTI_QUERY,)
    deterministic: ClassVar[bool] = True

    def expander(self) -> QueryExpander:
        """Return the expander under test."""
        raise NotImplementedError("expander(): return the expander under test")

    def queries(self) -> Sequence[str]:
        """Return queries; at least one has a variant."""
        raise NotImplementedError("queries(): return queries that have variants")

    @cached_property
    def subject(self) -> QueryExpander:
        """The expander, made once for each check."""
        return self.expander()

    def test_it_is_an_expander(self) -> None:  # S25
        """The two methods exist."""
        require(
            isinstance(self.subject, QueryExpander),
            "S25",
            f"expected `supports` and `expand`, found {type(self.subject).__name__}",
        )

    def test_it_says_which_models_it_supports(self) -> None:  # S25
        """The answer is a boolean, and another model is refused."""
        require(self.subject.supports(self.model) is True, "S25", f"supports({self.model!r})")
        if self.unsupported_model is not None:
            require(
                self.subject.supports(self.unsupported_model) is False,
                "S25",
                f"supports({self.unsupported_model!r}): expected False",
            )

    def test_the_queries_have_variants(self) -> None:
        """The checks have something to look at."""
        require(
            any(self._expanded(query, mode) for query in self.queries() for mode in self.modes),
            "contract",
            "queries(): expected one that has a variant",
        )

    def test_variants_are_texts(self) -> None:  # S25
        """A sequence of strings: never nothing, never one string."""
        for query in self.queries():
            for mode in self.modes:
                answer = self.subject.expand(query, mode, self.model, 5)
                require(
                    isinstance(answer, Sequence) and not isinstance(answer, str),
                    "S25",
                    f"{query!r}: expected a sequence of strings, found {type(answer).__name__}",
                )
                for each in answer:
                    require(isinstance(each, str), "S25", f"{query!r}: a variant is {each!r}")

    def test_variants_say_something_new(self) -> None:  # S25
        """No variant is blank, none comes twice."""
        for query in self.queries():
            for mode in self.modes:
                variants = [each.strip() for each in self._expanded(query, mode)]
                require(all(variants), "S25", f"{query!r}: a variant is blank")
                require(
                    len(variants) == len(set(variants)), "S25", f"{query!r}: repeats in {variants}"
                )

    def test_at_most_max_expansions(self) -> None:  # S25
        """The limit counts variants; the original is extra."""
        for query in self.queries():
            for mode in self.modes:
                for limit in (1, 2, 5):
                    variants = set(self._expanded(query, mode, limit)) - {query}
                    require(
                        len(variants) <= limit,
                        "S25",
                        f"{query!r}: max_expansions={limit} gave {len(variants)} variants",
                    )

    def test_any_text_is_a_legal_query(self) -> None:  # S2 S25
        """Blank and hostile texts are expanded, or are not."""
        for query in ("", " \t", 'quote " and (', "\U0001f98a"):
            for mode in self.modes:
                self._expanded(query, mode)

    def test_the_same_call_gives_the_same_variants(self) -> None:  # S6 S25
        """In every thread."""
        if not self.deterministic:
            raise does_not_apply("the expander is not deterministic")
        queries = list(self.queries())
        for mode in self.modes:
            expected = [self._expanded(query, mode) for query in queries]
            with ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(self._expanded, queries * 4, [mode] * len(queries) * 4))
            require(answers == expected * 4, "S6", "variants differ between calls")

    def _expanded(self, query: str, mode: QueryExpansion, limit: int = 5) -> list[str]:
        return list(self.subject.expand(query, mode, self.model, limit))

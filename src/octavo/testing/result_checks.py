"""What each answer of a strategy must be: its type, its order, its documents (S1-S4, S13)."""

from itertools import pairwise

from octavo.errors import InvalidArgumentError
from octavo.spi import RAGContext, RAGStrategy, RetrievedDocument
from octavo.strategies.returned import identity_of
from octavo.testing.strategy_hooks import StrategyHooks, is_nan
from octavo.testing.violation import refuse, require

BLANK = ("", " ", "\t\r\n", "\u3000\u2003")
HOSTILE = (
    '"unclosed (quote [and {brackets',
    "AND OR NOT * ? ~ ^ : \\ /",
    "https://example.org/a?b=c&d=%20#e",
    "title:field +must -not",
    "emoji \U0001f98a and \U0001f469\u200d\U0001f52c",
    "null \x00 and a lone surrogate \ud800",
    "word " * 2_000,
)


class ResultChecks(StrategyHooks):
    """Checks of single answers."""

    def test_it_is_a_strategy(self) -> None:  # S1
        """The two members exist; the name is a fixed, non-blank text."""
        strategy = self.subject
        require(
            isinstance(strategy, RAGStrategy),
            "S1",
            f"expected `name` and `retrieve`, found {type(strategy).__name__}",
        )
        name = strategy.name
        require(
            isinstance(name, str) and name.strip(), "S1", f"name: expected text, found {name!r}"
        )
        require(strategy.name == name, "S1", f"name: {name!r} became {strategy.name!r}")
        if self.expected_name is not None:
            expected = self.expected_name
            require(
                name.lower() == expected.lower(),
                "S1",
                f"name: expected {expected!r}, found {name!r}",
            )

    def test_the_queries_find_documents(self) -> None:
        """The checks have something to look at."""
        query, documents = self.best_query()
        require(
            len(documents) >= 3,
            "contract",
            f"queries(): expected one that finds 3 documents; the best, {query!r}, "
            f"finds {len(documents)}",
        )

    def test_an_answer_is_a_tuple_of_documents(self) -> None:  # S2
        """Nobody can change an answer."""
        for query in self.queries():
            answer = self.subject.retrieve(query, RAGContext())
            require(
                isinstance(answer, tuple),
                "S2",
                f"retrieve: expected a tuple, found {type(answer).__name__}",
            )
            for document in answer:
                require(
                    isinstance(document, RetrievedDocument),
                    "S2",
                    f"expected RetrievedDocument, found {type(document).__name__}",
                )

    def test_relevance_descends(self) -> None:  # S2 S6
        """A later document never has the higher score."""
        for query in self.queries():
            for better, worse in pairwise(self.found(query)):
                require(
                    not better.score < worse.score,
                    "S6",
                    f"{query!r}: score {worse.score} comes after {better.score}",
                )

    def test_at_most_max_results(self) -> None:  # S4
        """The limit is kept."""
        for query in self.queries():
            for limit in (1, 2, 3, 10):
                found = len(self.found(query, limit=limit))
                require(
                    found <= limit, "S4", f"{query!r}: max_results={limit} gave {found} documents"
                )

    def test_a_query_that_is_no_string_is_a_type_error(self) -> None:  # S2
        """Nothing but text is a query."""
        for query in (None, 3, b"bytes", ["list"]):
            try:
                self.subject.retrieve(query, RAGContext())  # type: ignore[arg-type]
            except InvalidArgumentError as error:
                refuse("S2", f"{query!r}: expected TypeError, found {error!r}")
            except TypeError:
                continue
            refuse("S2", f"{query!r}: expected TypeError, found an answer")

    def test_a_blank_query_is_legal(self) -> None:  # S2
        """Blank text gives an answer, if an empty one."""
        for query in BLANK:
            self.found(query)

    def test_any_text_is_a_legal_query(self) -> None:  # S2 S21
        """Text is never parsed as a query language."""
        for query in HOSTILE:
            self.found(query)

    def test_metadata_is_a_read_only_view(self) -> None:  # S3
        """The owner's change shows through; nobody else can make one."""
        _, documents = self.best_query()
        for document in documents[:3]:
            try:
                document.metadata["octavo"] = "changed"  # type: ignore[index]
            except TypeError:
                pass
            else:
                refuse("S3", "metadata: expected a read-only view, found a change")
            owned = {"tier": "SEMANTIC"}
            try:
                made = type(document)("content", "source", 0.5, owned)
            except TypeError:  # a kind of document that is made in another way
                continue
            owned["tier"] = "WORKING"
            require(
                made.metadata.get("tier") == "WORKING",
                "S3",
                f"metadata of {type(document).__name__}: expected a view, found a copy",
            )

    def test_no_score_is_nan(self) -> None:  # S13
        """Every score is a number."""
        for query in self.queries():
            for document in self.found(query):
                require(not is_nan(document.score), "S13", f"{query!r}: a score is NaN")

    def test_no_document_comes_twice(self) -> None:  # S13 S15
        """One document, one place."""
        for query in self.queries():
            identities = [identity_of(document) for document in self.found(query)]
            twice = {each for each in identities if identities.count(each) > 1}
            require(not twice, "S13", f"{query!r}: more than once: {sorted(map(str, twice))[:3]}")

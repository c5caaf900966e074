"""What filters and thresholds must do (S4, S7-S10)."""

from collections.abc import Sequence
from itertools import combinations

from octavo.spi import RAGContext, RetrievedDocument
from octavo.strategies.returned import identity_of
from octavo.testing.strategy_hooks import LOWEST_SCORE, StrategyHooks, all_told
from octavo.testing.violation import does_not_apply, refuse, require

UNKNOWN_KEY = "octavo.testing.unknown"


class FilterChecks(StrategyHooks):
    """Checks of filters, limits and thresholds."""

    def test_filters_can_be_checked(self) -> None:
        """Some document can be told from another by its metadata."""
        _, documents = self.best_query()
        if not self.filterable_keys(documents):
            raise does_not_apply("no key can be filtered by")
        values = {value for _, value in self.single_filters(documents)}
        require(
            len(values) > 1, "contract", "queries(): expected documents that filters tell apart"
        )

    def test_filters_admit_only_their_value(self) -> None:  # S7
        """Where a document has the key, it has the value."""
        query, documents = self.best_query()
        for key, value in self.single_filters(documents):
            for document in self.found(query, filters={key: value}):
                require(
                    document.metadata.get(key, value) == value,
                    "S7",
                    f"{key}={value!r} admitted {document.metadata.get(key)!r}",
                )

    def test_a_missing_key_excludes(self) -> None:  # S7
        """A document without the key does not match."""
        query, documents = self.best_query()
        unknown = self.found(query, filters={UNKNOWN_KEY: "value"})
        require(not unknown, "S7", f"a key that no document has admitted {len(unknown)} documents")
        for key, value in self.single_filters(documents):
            for document in self.found(query, filters={key: value}):
                require(
                    key in document.metadata, "S7", f"{key}={value!r} admitted one without {key}"
                )

    def test_every_filter_must_match(self) -> None:  # S7
        """Entries of a filter map are joined by AND."""
        query, documents = self.best_query()
        keys = sorted(self.filterable_keys(documents))
        tried = 0
        for first, second in combinations(keys, 2):
            pair = _apart(documents, first, second)
            if pair is None:
                continue
            tried += 1
            for filters in (pair, dict(reversed(pair.items()))):
                for document in self.found(query, filters=filters):
                    require(
                        all(document.metadata.get(key) == value for key, value in filters.items()),
                        "S7",
                        f"{filters} admitted {dict(document.metadata)}",
                    )
        if not tried:
            raise does_not_apply("no two keys tell documents apart")

    def test_filters_are_exact_and_case_sensitive(self) -> None:  # S7
        """Another case, a part, more text or more space is another value."""
        query, documents = self.best_query()
        for key, value in self.single_filters(documents):
            known = {each.metadata.get(key) for each in documents}
            variants = (value.swapcase(), value[:-1], value + "x", f" {value}", f"{value} ")
            for variant in {each for each in variants if each.strip()} - known:
                found = self.found(query, filters={key: variant})
                require(
                    not any(each.metadata.get(key) == value for each in found),
                    "S7",
                    f"{key}={variant!r} admitted a document with {value!r}",
                )

    def test_filters_act_before_the_limit(self) -> None:  # S8
        """As many documents as match come back, up to the limit, at every selectivity."""
        query, documents = self.best_query()
        for key, value in self.single_filters(documents):
            filters = {key: value}
            matching = len(self.found(query, filters=filters))
            for limit in {1, 2, matching - 1, matching, matching + 1} - {0, -1}:
                found = min(limit, len(self.found(query, filters=filters, limit=limit)))
                require(
                    found == min(limit, matching),
                    "S8",
                    f"{filters}, max_results={limit}: expected {min(limit, matching)} of "
                    f"{matching} matching documents, found {found}",
                )

    def test_as_many_as_are_known_to_match(self) -> None:  # S8
        """The count is that of the documents, where :meth:`matching` knows it."""
        query, documents = self.best_query()
        for key, value in self.single_filters(documents):
            known = self.matching(query, {key: value})
            if known is None:
                raise does_not_apply("matching(): nothing is known")
            for limit in {1, known - 1, known, known + 1, self.most} - {0, -1}:
                expected = min(limit, known, self.most)
                found = len(self.found(query, filters={key: value}, limit=min(limit, self.most)))
                require(
                    found == expected,
                    "S8",
                    f"{key}={value!r}, max_results={limit}: expected {expected} documents, "
                    f"found {found}",
                )

    def test_no_matching_document_is_lost(self) -> None:  # S8 S9
        """What matches and is found without the filter is found with it."""
        if not self.filters_only_remove:
            raise does_not_apply("a filter does more than remove documents")
        query, documents = self.best_query()
        if len(documents) >= self.most:
            raise does_not_apply("the whole answer is longer than the checks ask for")
        for key, value in self.single_filters(documents):
            found = {str(identity_of(each)) for each in self.found(query, filters={key: value})}
            for document in documents:
                if document.metadata.get(key) == value:
                    require(
                        str(identity_of(document)) in found,
                        "S8",
                        f"{key}={value!r} lost {document.content[:40]!r}",
                    )

    def test_min_score_is_inclusive(self) -> None:  # S10
        """A document with exactly the score stays; it is the strategy's own final score."""
        for query in self.queries():
            whole = self.found(query)
            scores = list(dict.fromkeys(document.score for document in whole))
            for score in {*scores[:4], *scores[-3:]}:
                if not LOWEST_SCORE <= score <= -LOWEST_SCORE:
                    continue
                kept = [document for document in whole if document.score >= score]
                if all_told(self.found(query, min_score=score)) == all_told(kept):
                    continue
                if not self.repeatable([query], [all_told(whole)]):
                    raise does_not_apply("answers differ for the same call")
                refuse(
                    "S10", f"{query!r}: min_score={score} is not the same answer cut at that score"
                )

    def test_the_context_is_left_unchanged(self) -> None:  # S4
        """A strategy changes neither the context nor the caller's own filters."""
        query, documents = self.best_query()
        for key, value in self.single_filters(documents)[:3]:
            owned = {key: value}
            context = RAGContext(3, 0.0, owned)
            self.subject.retrieve(query, context)
            require(owned == {key: value}, "S4", f"the caller's filters became {owned}")
            left = (context.max_results, context.min_score, dict(context.metadata_filters))
            require(left == (3, 0.0, {key: value}), "S4", f"the context became {left}")


def _apart(
    documents: Sequence[RetrievedDocument], first: str, second: str
) -> dict[str, str] | None:
    """Return a filter over two keys that some document matches in one entry only."""
    one = next((each for each in documents if first in each.metadata), None)
    if one is None:
        return None
    for other in documents:
        differs = second in other.metadata and other.metadata.get(first) != one.metadata[first]
        if differs and one.metadata.get(second) != other.metadata[second]:
            pair = {first: one.metadata[first], second: other.metadata[second]}
            return pair if all(value.strip() for value in pair.values()) else None
    return None

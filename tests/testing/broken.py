"""Strategies that break one rule each, and the checks that must find it.

``BROKEN`` maps each to the names of exactly those checks of the contract that fail.
"""

import itertools
import threading

from octavo import InvalidArgumentError, RAGContext, RetrievedDocument
from tests.testing.shelf import Shelf


class LimitBeforeFilter(Shelf):
    def retrieve(self, query, context):
        self.check(query)
        best = [each for each in self.ranked(query) if self.reaches(each, context)]
        return tuple(each for each in best[: context.max_results] if self.admits(each, context))


class FilterWithinCandidates(Shelf):
    """Filters the best five only, however few match."""

    def retrieve(self, query, context):
        self.check(query)
        depth = 5 if context.metadata_filters else None
        best = [each for each in self.ranked(query)[:depth] if self.admits(each, context)]
        kept = [each for each in best if self.reaches(each, context)]
        return tuple(kept[: context.max_results])


class ExclusiveMinScore(Shelf):
    def reaches(self, document, context):
        return document.score > context.min_score


class IgnoresMinScore(Shelf):
    def reaches(self, document, context):
        return True


class CopyingDocument(RetrievedDocument):
    def __init__(self, content, source, score, metadata=None):
        super().__init__(content, source, score, dict(metadata or {}))


class CopiedMetadata(Shelf):
    def document(self, content, score, metadata):
        return CopyingDocument(content, "shelf", score, metadata)


class OpenDocument(RetrievedDocument):
    """Its metadata is the owner's mapping itself."""

    def __init__(self, content, source, score, metadata=None):
        super().__init__(content, source, score, metadata)
        self.owned = {} if metadata is None else metadata

    @property
    def metadata(self):
        return self.owned


class WritableMetadata(Shelf):
    def document(self, content, score, metadata):
        return OpenDocument(content, "shelf", score, dict(metadata))


class Unsorted(Shelf):
    def ranked(self, query):
        return sorted(super().ranked(query), key=lambda each: each.metadata["entryId"])


class Ascending(Shelf):
    def ranked(self, query):
        return super().ranked(query)[::-1]


class Duplicate(Shelf):
    def ranked(self, query):
        ranked = super().ranked(query)
        return ranked[:1] + ranked


class MutableResult(Shelf):
    def retrieve(self, query, context):
        return list(super().retrieve(query, context))


class NanDocument(RetrievedDocument):
    @property
    def score(self):
        return float("nan")


class NanScore(Shelf):
    def ranked(self, query):
        ranked = super().ranked(query)
        return ranked[:-1] + [
            NanDocument(each.content, each.source, 0.0, each.metadata) for each in ranked[-1:]
        ]

    def reaches(self, document, context):
        return super().reaches(document, context) or context.min_score < -1e300


class IgnoresMaxResults(Shelf):
    def retrieve(self, query, context):
        return super().retrieve(query, context.with_max_results(1_000))


class CaseInsensitiveFilter(Shelf):
    def matches(self, metadata, key, value):
        return metadata.get(key, "").lower() == value.lower()


class PrefixFilter(Shelf):
    def matches(self, metadata, key, value):
        # "d1" still does not admit "d11": only what is shorter than every value.
        return metadata.get(key) == value or (
            len(value) > 2 and metadata.get(key, "").startswith(value)
        )


class StrippedFilter(Shelf):
    def matches(self, metadata, key, value):
        return metadata.get(key) == value.strip()


class OrInsteadOfAnd(Shelf):
    def admits(self, document, context):
        filters = context.metadata_filters.items()
        return not filters or any(
            self.matches(document.metadata, key, value) for key, value in filters
        )


class LastFilterWins(Shelf):
    def admits(self, document, context):
        return all(
            self.matches(document.metadata, key, value)
            for key, value in list(context.metadata_filters.items())[-1:]
        )


class MissingKeyPasses(Shelf):
    def matches(self, metadata, key, value):
        return metadata.get(key, value) == value


class IgnoresFilters(Shelf):
    def admits(self, document, context):
        return True


class FilterLosesTheBest(Shelf):
    """The best document never passes a filter."""

    def admits(self, document, context):
        best = document.metadata["entryId"] == "d5"
        return super().admits(document, context) and not (best and context.metadata_filters)


class NondeterministicOrder(Shelf):
    def __init__(self):
        self.calls = itertools.count()

    def ranked(self, query):
        # Without a period, so that no number of queries makes it repeat itself.
        turn = 1 if next(self.calls).bit_count() % 2 else -1
        return sorted(
            super().ranked(query),
            key=lambda each: (-each.score, turn * int(each.metadata["entryId"][1:])),
        )


class SharedScratch(Shelf):
    """Counts its calls that run at once, and is confused by more than one."""

    def __init__(self):
        self.running = 0
        self.lock = threading.Lock()
        self.second = threading.Event()

    def ranked(self, query):
        with self.lock:
            self.running += 1
            if self.running > 1:
                self.second.set()
        if threading.current_thread() is not threading.main_thread():
            self.second.wait(timeout=5)
        ranked = super().ranked(query)
        confused = self.running > 1
        with self.lock:
            self.running -= 1
        return ranked[1:] if confused else ranked


class ChangesTheFilters(Shelf):
    def retrieve(self, query, context):
        found = super().retrieve(query, context)
        object.__setattr__(context, "metadata_filters", {})
        return found


class ChangesTheLimit(Shelf):
    def retrieve(self, query, context):
        found = super().retrieve(query, context)
        object.__setattr__(context, "max_results", context.max_results + 1)
        return found


class CrashesOnBlank(Shelf):
    def score(self, query, content):
        return super().score(query, content) / (1 if query.split()[0] else 0)


class CrashesOnSurrogates(Shelf):
    def score(self, query, content):
        query.encode("utf-8")
        return super().score(query, content)


class ScoresDependOnTheLimit(Shelf):
    """Scores are shares of the best that the limit lets in: a shorter answer is no prefix."""

    def retrieve(self, query, context):
        everything = super().retrieve(query, RAGContext(1_000, -1e300, context.metadata_filters))
        found = [
            self.document(each.content, each.score / context.max_results, each.metadata)
            for each in everything
        ]
        return tuple(each for each in found if self.reaches(each, context))[: context.max_results]


class TakesAnything(Shelf):
    def check(self, query):
        pass

    def ranked(self, query):
        return super().ranked(query) if isinstance(query, str) else []


class WrongError(Shelf):
    def check(self, query):
        if not isinstance(query, str):
            raise InvalidArgumentError("query: expected a string")


class BlankName(Shelf):
    name = " "


class ChangingName(Shelf):
    numbers = itertools.count()

    @property
    def name(self):
        return f"shelf {next(self.numbers)}"


class FindsNothing(Shelf):
    def ranked(self, query):
        return []


class BatchWithRawScores(Shelf):
    """Its batch rounds the scores to float32."""

    def retrieve_batch(self, queries, context):
        import numpy as np
        import pyarrow as pa

        rows = [
            (str(number), rank, each.metadata["entryId"], float(np.float32(each.score / 3)))
            for number, query in enumerate(queries)
            for rank, each in enumerate(self.retrieve(query, context), 1)
        ]
        names = ["query_id", "rank", "id", "score"]
        columns = list(zip(*rows, strict=True)) or [[]] * 4
        return pa.table(dict(zip(names, map(list, columns), strict=True)))


FILTER_CHECKS = {
    "test_filters_admit_only_their_value",
    "test_a_missing_key_excludes",
    "test_every_filter_must_match",
    "test_filters_are_exact_and_case_sensitive",
}

BROKEN = {
    LimitBeforeFilter: {"test_filters_act_before_the_limit"},
    FilterWithinCandidates: {"test_no_matching_document_is_lost"},
    ExclusiveMinScore: {"test_min_score_is_inclusive"},
    IgnoresMinScore: {"test_min_score_is_inclusive"},
    CopiedMetadata: {"test_metadata_is_a_read_only_view"},
    WritableMetadata: {"test_metadata_is_a_read_only_view"},
    Unsorted: {"test_relevance_descends"},
    Ascending: {"test_relevance_descends"},
    Duplicate: {"test_no_document_comes_twice"},
    MutableResult: {"test_an_answer_is_a_tuple_of_documents"},
    NanScore: {"test_no_score_is_nan"},
    IgnoresMaxResults: {"test_at_most_max_results"},
    CaseInsensitiveFilter: {"test_filters_are_exact_and_case_sensitive"},
    PrefixFilter: {"test_filters_are_exact_and_case_sensitive"},
    StrippedFilter: {"test_filters_are_exact_and_case_sensitive"},
    OrInsteadOfAnd: {"test_every_filter_must_match"},
    LastFilterWins: {"test_every_filter_must_match"},
    MissingKeyPasses: {"test_a_missing_key_excludes"},
    IgnoresFilters: FILTER_CHECKS,
    FilterLosesTheBest: {"test_no_matching_document_is_lost"},
    NondeterministicOrder: {"test_the_same_call_gives_the_same_answer"},
    SharedScratch: {"test_threads_get_the_same_answers"},
    ChangesTheFilters: {"test_the_context_is_left_unchanged"},
    ChangesTheLimit: {"test_the_context_is_left_unchanged"},
    CrashesOnBlank: {"test_a_blank_query_is_legal"},
    CrashesOnSurrogates: {"test_any_text_is_a_legal_query"},
    ScoresDependOnTheLimit: {"test_top_k_is_a_prefix"},
    TakesAnything: {"test_a_query_that_is_no_string_is_a_type_error"},
    WrongError: {"test_a_query_that_is_no_string_is_a_type_error"},
    BlankName: {"test_it_is_a_strategy"},
    ChangingName: {"test_it_is_a_strategy"},
    FindsNothing: {"test_the_queries_find_documents"},
    BatchWithRawScores: {"test_a_batch_is_a_loop"},
}

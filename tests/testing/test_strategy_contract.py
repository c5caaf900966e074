"""The strategy contract accepts what keeps the rules, and finds exactly what does not."""

import unittest

import pytest

from octavo import RetrievedDocument
from octavo.testing import ContractViolationError, RAGStrategyContract, check_names, violations
from tests.testing.broken import BROKEN, BatchWithRawScores, FilterWithinCandidates
from tests.testing.shelf import DOCUMENTS, Shelf


def contract_of(strategy):
    class Contract(RAGStrategyContract):
        def strategy(self):
            return strategy()

        def queries(self):
            return ["fox", "owl", "fox and owl", "nothing of this"]

    return Contract


class TestShelf(contract_of(Shelf)):
    expected_name = "SHELF"

    def matching(self, query, filters):
        words = set(query.split())
        found = [metadata for content, metadata in DOCUMENTS if words & set(content.split())]
        return sum(filters.items() <= metadata.items() for metadata in found)


class TestShelfOfTiers(contract_of(Shelf)):
    """Hooks may narrow what is checked."""

    most = 5

    def filterable_keys(self, documents):
        return {"tier"}


@pytest.mark.parametrize("strategy", BROKEN, ids=lambda strategy: strategy.__name__)
def test_a_broken_strategy_fails_exactly_the_check_of_its_rule(strategy):
    found = violations(contract_of(strategy))
    assert set(found) == BROKEN[strategy], found
    crashes = strategy.__name__.startswith("Crashes")
    assert all(isinstance(error, ContractViolationError) != crashes for error in found.values())


def test_there_are_enough_broken_strategies():
    assert len(BROKEN) >= 12
    found = set().union(*BROKEN.values())
    assert set(check_names(RAGStrategyContract)) - found == {
        "test_an_empty_batch_has_the_same_columns",
        "test_a_batch_refuses_what_is_no_string",
        "test_as_many_as_are_known_to_match",
        "test_filters_can_be_checked",
    }


def test_what_is_known_to_match_is_counted():
    class Known(contract_of(FilterWithinCandidates)):
        matching = TestShelf.matching

    assert set(violations(Known)) == {
        "test_as_many_as_are_known_to_match",
        "test_no_matching_document_is_lost",
    }


def test_documents_that_no_filter_tells_apart_are_not_enough():
    class Alike(contract_of(Shelf)):
        def filterable_keys(self, documents):
            return {"shelf"}

    class Same(Shelf):
        def document(self, content, score, metadata):
            return super().document(content, score, {"shelf": "one"})

    assert "test_filters_can_be_checked" in violations(contract_of(Same))


def test_a_batch_of_anything():
    class Anything(BatchWithRawScores):
        def retrieve_batch(self, queries, context):
            texts = [query for query in queries if isinstance(query, str)]
            table = super().retrieve_batch(texts, context)
            return table if texts else table.rename_columns(["query", "rank", "id", "score"])

    assert set(violations(contract_of(Anything))) >= {
        "test_a_batch_refuses_what_is_no_string",
        "test_an_empty_batch_has_the_same_columns",
    }


def test_another_name_than_expected():
    class Named(contract_of(Shelf)):
        expected_name = "hybrid"

    assert set(violations(Named)) == {"test_it_is_a_strategy"}


def test_a_document_that_is_made_otherwise_is_legal():
    class Plain(RetrievedDocument):
        def __init__(self, content):
            super().__init__(content, "shelf", 1.0, {"content": content})

    class PlainShelf(Shelf):
        def document(self, content, score, metadata):
            return Plain(f"{content} {metadata['entryId']}")

    assert violations(contract_of(PlainShelf)) == {}


def test_it_works_under_unittest_too():
    class Case(contract_of(Shelf), unittest.TestCase):
        pass

    class BrokenCase(contract_of(FilterWithinCandidates), unittest.TestCase):
        pass

    outcome = unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(unittest.TestResult())
    assert outcome.wasSuccessful()
    assert outcome.testsRun == len(check_names(RAGStrategyContract))
    broken = unittest.defaultTestLoader.loadTestsFromTestCase(BrokenCase)
    assert len(broken.run(unittest.TestResult()).failures) == 1


@pytest.mark.parametrize("hook", ["strategy", "queries"])
def test_a_missing_hook_says_what_to_write(hook):
    with pytest.raises(NotImplementedError, match=rf"{hook}\(\): return"):
        getattr(RAGStrategyContract(), hook)()

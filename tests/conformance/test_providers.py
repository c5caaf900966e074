"""Octavo's own graph store, expander and navigator keep the contracts that octavo ships."""

import pytest

from octavo.graph.csr_graph import CsrGraph
from octavo.spi import QueryExpansion
from octavo.strategies.lexical_navigator import LexicalNavigator
from octavo.strategies.synonym_expander import SynonymExpander
from octavo.testing import GraphStoreContract, QueryExpanderContract, TreeNavigatorContract
from tests.conformance.subjects import nodes_and_edges


class TestCsrGraph(GraphStoreContract):  # S24
    @pytest.fixture(autouse=True)
    def _open(self, world):
        self.world = world

    def store(self):
        return CsrGraph(*nodes_and_edges(self.world, linked=True))

    def queries(self):
        return ["common fox", "whale", "nothing of this"]


class TestSynonymExpander(QueryExpanderContract):  # S25
    model = "table"
    unsupported_model = None
    modes = (QueryExpansion.SYNONYM,)

    def expander(self):
        return SynonymExpander({"fox": ["vulpes", "red dog"], "red dog": ["fox"]})

    def queries(self):
        return ["a quick fox", "fox", "the red dog and the fox", "nothing of this"]


class TestLexicalNavigator(TreeNavigatorContract):  # S28
    model = "lexical"
    unsupported_model = None

    def navigator(self):
        return LexicalNavigator()

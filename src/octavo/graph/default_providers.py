"""The providers that serve a graph where no other does: from documents, and from tools (S82, S83)."""

import sys
from typing import Any, Final

from octavo.spi import GraphScope, GraphStore


class InMemoryGraphStoreProvider:
    """Serves a graph made of the scope's FILE documents; silent where there are none.

    The documents are loaded, and the graph is built, when the store is first asked.
    """

    name: Final = "in-memory"
    is_default: Final = True

    def claims(self, scope: GraphScope) -> bool:
        """Return whether the scope has FILE sources."""
        return bool(scope.file_sources)

    def open(self, scope: GraphScope) -> GraphStore:
        """Return the graph of the scope's documents."""
        from octavo.graph.in_memory_graph_store import InMemoryGraphStore  # noqa: PLC0415 - heavy

        return InMemoryGraphStore(scope.documents, check=scope.check)


class KnowledgeToolsGraphStoreProvider:
    """Serves the triples of every live ``KnowledgeTools``, unless FILE knowledge is in reach."""

    name: Final = "knowledge-tools"
    is_default: Final = True

    def claims(self, scope: GraphScope) -> bool:
        """Return whether there is a live instance, and no FILE knowledge in reach."""
        return not scope.file_knowledge_in_reach and _any_tools_live()

    def open(self, scope: GraphScope) -> GraphStore:
        """Return the graph of all live instances, those that are yet to come included."""
        from octavo.graph.knowledge.store import KnowledgeToolsGraphStore  # noqa: PLC0415 - heavy

        del scope
        return KnowledgeToolsGraphStore()


def _any_tools_live() -> bool:
    # Where the module was never imported, nobody has made an instance.
    module: Any = sys.modules.get("octavo.graph.knowledge.tools")
    return module is not None and bool(module.live_knowledge_tools())

"""The provider of graphs in Neo4j: claims every scope where a server is configured (S84)."""

import logging
from typing import Final

from octavo.errors import ProviderUnavailableError
from octavo.graph.neo4j.schema import Neo4jSchema
from octavo.graph.neo4j.settings import (
    URI_VARIABLE,
    Neo4jSettings,
    driver_is_installed,
    neo4j_settings,
)
from octavo.spi import GraphScope, GraphStore

_logger = logging.getLogger(__name__)


class Neo4jGraphStoreProvider:
    """Claims where a URI is set and the driver is installed.

    Without a URI it is silent; with one, but without the driver, it logs a warning and does not
    claim.

    Parameters
    ----------
    settings
        Where the server is; ``None`` takes the environment's ``TNSAI_GRAPH_NEO4J_URI``, ``_USER``
        and ``_PASSWORD``, as they are when it is asked.
    schema
        How the graph lies in the database.
    """

    name: Final = "neo4j"
    is_default: Final = False

    def __init__(
        self, settings: Neo4jSettings | None = None, schema: Neo4jSchema | None = None
    ) -> None:
        self._settings = settings
        self._schema = schema

    def claims(self, scope: GraphScope) -> bool:
        """Return whether a server is configured and can be asked.

        Raises
        ------
        ConfigurationError
            The environment's URI is none.
        """
        del scope  # a configured database serves every role
        if self._found() is None:
            return False
        if driver_is_installed():
            return True
        _logger.warning(
            "the URI of a Neo4j server is set (%s), but the driver is not installed, so Neo4j "
            "serves no graph; install it with `pip install 'octavo[neo4j]'`",
            URI_VARIABLE if self._settings is None else "in code",
        )
        return False

    def open(self, scope: GraphScope) -> GraphStore:
        """Return a store; it connects when it is first asked.

        Raises
        ------
        ProviderUnavailableError
            No URI is set, or the driver is not installed.
        """
        from octavo.graph.neo4j.store import Neo4jGraphStore  # noqa: PLC0415 - few need it

        del scope
        settings = self._found()
        if settings is None:
            raise ProviderUnavailableError(f"neo4j: no URI is set; {URI_VARIABLE} names the server")
        return Neo4jGraphStore(settings, self._schema)

    def _found(self) -> Neo4jSettings | None:
        return neo4j_settings() if self._settings is None else self._settings

"""Embedding query texts the way the documents of an index were embedded."""

import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from octavo.analysis import Analyzer
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.protocol import EmbeddingFunction, embed_queries
from octavo.embeddings.specification import (
    ColumnSpecification,
    ImportSpecification,
    parse_specification,
    resolve,
)
from octavo.errors import ConfigurationError
from octavo.storage.format.manifest import EmbeddingEntry

FUNCTION_SPECIFICATION = "function"
"""What the manifest says of vectors made by a function object that cannot be found by name."""


class QueryEmbedding:
    """The embedding of one index, resolved at the first query that needs it.

    Parameters
    ----------
    entry
        What the manifest says of the vectors.
    analyzer
        The analyser of the index; the hash embedding uses it.
    function
        The caller's own function, in place of the one the manifest names.
    """

    def __init__(
        self,
        entry: EmbeddingEntry | None,
        analyzer: Analyzer,
        function: EmbeddingFunction | None,
    ) -> None:
        self._entry = entry
        self._analyzer = analyzer
        self._function = function
        self._turn = threading.Lock()

    @property
    def available(self) -> bool:
        """Whether a function is known, given or named by the index."""
        if self._entry is None:
            return False
        outside = self._entry.specification.startswith(("column:", FUNCTION_SPECIFICATION))
        return self._function is not None or not outside

    @property
    def is_hash(self) -> bool:
        """Whether the vectors are those of the built-in hash embedding."""
        return self._entry is not None and self._entry.specification.startswith("hash")

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return one vector a text; threads take turns at an application's function (S42)."""
        if self._entry is None:
            raise ConfigurationError("the index has no vectors to embed queries for")
        function = self._resolved(self._entry)
        if isinstance(function, HashEmbedding):
            return function.embed_batch(texts)
        with self._turn:
            return embed_queries(function, texts, dimensions=self._entry.dimensions)

    def function(self) -> EmbeddingFunction:
        """Return the function, found if need be.

        Raises
        ------
        ConfigurationError
            The index has no vectors, or cannot name its function.
        """
        if self._entry is None:
            raise ConfigurationError("the index has no vectors")
        return self._resolved(self._entry)

    def _resolved(self, entry: EmbeddingEntry) -> EmbeddingFunction:
        with self._turn:
            if self._function is None:
                self._function = self._find(entry)
            return self._function

    def _find(self, entry: EmbeddingEntry) -> EmbeddingFunction:
        if entry.specification == FUNCTION_SPECIFICATION:
            raise ConfigurationError(
                "the vectors of this index were made by a function that only its builder has: "
                "open the corpus with embedding=, or give the query's own vector"
            )
        specification = parse_specification(entry.specification)
        if isinstance(specification, ColumnSpecification):
            raise ConfigurationError(
                f"the vectors of this index came from the column {specification.column!r}: use the "
                "keyword strategy (--strategy keyword), give the query's own vector "
                "(query_vector=; octavo batch --query-vector COL), or open with embedding="
            )
        if isinstance(specification, ImportSpecification):
            _refuse_standard_library(specification)
        function = resolve(specification, self._analyzer)
        if function is None:
            raise ConfigurationError(f"embedding {entry.specification!r}: nothing to embed with")
        return function


def _refuse_standard_library(specification: ImportSpecification) -> None:
    """Refuse a function of Python itself: no embedding is there, but much that must not be called.

    An index may come from somebody else. What it names is imported and called with the query, so
    names that lead into the standard library, at once or through another module, are refused.
    """
    module, _, path = specification.target.partition(":")
    if module.partition(".")[0] in sys.stdlib_module_names:
        raise _untrusted(specification)
    try:
        found: object = import_module(module)
    except Exception:  # noqa: BLE001 - resolving it again says why
        return
    for name in path.split("."):
        found = getattr(found, name, None)
        owner = (
            found.__name__ if isinstance(found, ModuleType) else getattr(found, "__module__", "")
        )
        if str(owner or "builtins").partition(".")[0] in sys.stdlib_module_names:
            raise _untrusted(specification)


def _untrusted(specification: ImportSpecification) -> ConfigurationError:
    return ConfigurationError(
        f"the index says that {specification.target!r} embeds its queries, which belongs to Python "
        "itself; open the corpus with embedding="
    )

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
from octavo.embeddings.vector_model import UNNAMED, VectorModel
from octavo.errors import ConfigurationError
from octavo.storage.format.manifest import EmbeddingEntry

FUNCTION_SPECIFICATION = UNNAMED
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

    Raises
    ------
    ConfigurationError
        The function is another model than the one that made the vectors.
    """

    def __init__(
        self,
        entry: EmbeddingEntry | None,
        analyzer: Analyzer,
        function: EmbeddingFunction | None,
    ) -> None:
        check_function(None if entry is None else entry.made_by, function)
        self._entry = entry
        self._analyzer = analyzer
        self._function = function
        self._turn = threading.Lock()

    @property
    def available(self) -> bool:
        """Whether a function is known, given or named by the index."""
        if self._entry is None:
            return False
        return self._function is not None or _is_named(self._entry) or self.is_hash

    @property
    def is_hash(self) -> bool:
        """Whether the vectors are those of the built-in hash embedding."""
        return self._entry is not None and self._entry.is_hash

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
        if entry.model is not None and not _is_named(entry):
            return _found(entry.model)
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
                "(query_vector=; --query-vector COL of octavo batch, eval and sweep), or open with embedding="
            )
        if isinstance(specification, ImportSpecification):
            _refuse_standard_library(specification)
        function = resolve(specification, self._analyzer)
        if function is None:
            raise ConfigurationError(f"embedding {entry.specification!r}: nothing to embed with")
        return function


def check_function(model: VectorModel | None, function: EmbeddingFunction | None) -> None:
    """Refuse a function that is known as another model than the one that made the vectors.

    Raises
    ------
    ConfigurationError
        It is; names both.
    """
    other = None if model is None else model.contradicts(function)
    if other is not None:
        raise ConfigurationError(
            f"embedding: expected {model}, the model that made the vectors of this index, found "
            f"{other}; if both are one model by two names, give a function without a name"
        )


def _is_named(entry: EmbeddingEntry) -> bool:
    """Whether the index itself says what embeds its queries."""
    return not entry.specification.startswith(("column:", FUNCTION_SPECIFICATION))


def _found(model: VectorModel) -> EmbeddingFunction:
    """Return the built-in embedding; any other model is for the caller to load.

    An index may come from somebody else. That it notes a model must not have anything loaded, nor a
    server asked.
    """
    function = model.hash_function()
    if function is None:
        given = "octavo.embedding_of(INDEX)" if model.is_of_a_library else "that function"
        like = "--like INDEX" if model.is_of_a_library else f"--model {model}"
        raise ConfigurationError(
            f"the vectors of this index were made by {model}, which is not loaded because an index "
            f"notes it: open the corpus with embedding={given}, or search with --embedding {model}; "
            f"or give the query's own vector (query_vector=; octavo embed QUERIES {like} --queries, "
            "then --query-vector COL of octavo batch, eval and sweep); or use the keyword strategy "
            "(--strategy keyword)"
        )
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

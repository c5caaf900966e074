"""What every adapter retrieves from: an index by a strategy's name, or any strategy."""

import functools
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from octavo.corpus.searchable import SearchableCorpus
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.errors import ConfigurationError, InvalidArgumentError
from octavo.shards import open_index
from octavo.spi import RAGContext, RAGStrategy, RetrievedDocument
from octavo.spi.metadata import ENTRY_ID

Retrievable: TypeAlias = SearchableCorpus | RAGStrategy | str | PathLike[str]

_OF_THIS_RETRIEVAL = ("hybrid.", "multiQuery.", "hierarchy.", "temporal.", "graph.")


class Retrieval:
    """Retrieves from an index, or by a strategy, and survives pickling.

    An index is pickled by its path and opened again where it is unpickled; a strategy is pickled as
    it is, if it can be. Safe to share between threads.

    Parameters
    ----------
    source
        A corpus, single or in shards, the directory of one, or any strategy.
    strategy
        The strategy's name, for a corpus; ``None``: its default.
    options
        Options of the strategy.
    embedding
        The function that embeds query texts, where an index that is given by its path cannot name
        its own.

    Raises
    ------
    ConfigurationError
        The parameters do not fit together, or the corpus has no such strategy or option.
    InvalidArgumentError
        ``source`` is something else.
    """

    def __init__(
        self,
        source: Retrievable,
        strategy: str | None = None,
        options: Mapping[str, Any] | None = None,
        embedding: EmbeddingFunction | None = None,
    ) -> None:
        self._name = strategy
        self._options = dict(options or {})
        if isinstance(source, str | PathLike):
            source = open_index(Path(source), embedding=embedding)
        elif embedding is not None:
            raise ConfigurationError(
                "embedding: expected one only with the path of an index; open the corpus with it"
            )
        self._corpus = source if isinstance(source, SearchableCorpus) else None
        self._strategy: RAGStrategy | None = None
        if self._corpus is not None:
            self._corpus.strategy(strategy, **self._options)  # whether there is such a one
            return
        if not isinstance(source, RAGStrategy):
            raise InvalidArgumentError(
                f"index: expected a corpus, the path of one, or a strategy, "
                f"found {type(source).__name__}"
            )
        if strategy is not None or self._options:
            raise ConfigurationError("strategy: expected a name and options only with an index")
        self._strategy = source

    def __reduce__(self) -> str | tuple[Any, ...]:
        made: Any = functools.partial(type(self), strategy=self._name, options=self._options)
        if self._corpus is None:
            return made, (self._strategy,)
        function = self._corpus.embedding_function
        return functools.partial(made, embedding=function), (str(self._corpus.path.absolute()),)

    @property
    def path(self) -> str | None:
        """The directory of the index; ``None`` for a strategy."""
        return None if self._corpus is None else str(self._corpus.path)

    def retrieve(self, query: str, context: RAGContext) -> tuple[RetrievedDocument, ...]:
        """Return documents for a query, best first, from the present state of the corpus."""
        strategy = self._strategy
        if self._corpus is not None:
            strategy = self._corpus.strategy(self._name, **self._options)
        return () if strategy is None else tuple(strategy.retrieve(query, context))


def document_id(document: RetrievedDocument) -> str | None:
    """Return the id of a document, which a strategy of an application may not give."""
    return document.metadata.get(ENTRY_ID)


def describes_retrieval(key: str) -> bool:
    """Whether a metadata key tells of this retrieval, such as a rank, and not of the document."""
    return key.startswith(_OF_THIS_RETRIEVAL)

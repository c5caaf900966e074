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
from octavo.strategies.returned import as_columnar

Retrievable: TypeAlias = SearchableCorpus | RAGStrategy | str | PathLike[str]

_OF_THIS_RETRIEVAL = ("hybrid.", "multiQuery.", "hierarchy.", "temporal.", "graph.")


class Retrieval:
    """Retrieves from an index, or by a strategy, and survives pickling.

    What a strategy of an application returns is filtered again, put in order and cut (S15).

    An index is pickled by its path and opened again where it is unpickled; a strategy is pickled as
    it is, if it can be. Safe to share between threads; a deep copy shares it too.

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
        self._made: tuple[object, RAGStrategy] | None = None
        if self._corpus is not None:
            self._present(self._corpus)  # whether there is such a strategy
            return
        if not isinstance(source, RAGStrategy):
            raise InvalidArgumentError(
                f"index: expected a corpus, the path of one, or a strategy, "
                f"found {type(source).__name__}"
            )
        if strategy is not None or self._options:
            raise ConfigurationError("strategy: expected a name and options only with an index")
        as_columnar(source)  # whether it is one
        self._strategy = source

    def __reduce__(self) -> str | tuple[Any, ...]:
        made: Any = functools.partial(type(self), strategy=self._name, options=self._options)
        if self._corpus is None:
            return made, (self._strategy,)
        path = str(self._corpus.path.absolute())
        return functools.partial(made, embedding=self.embedding), (path,)

    def __deepcopy__(self, _memo: dict[int, Any]) -> "Retrieval":
        return self  # shared, as between threads

    @property
    def path(self) -> str | None:
        """The directory of the index; ``None`` for a strategy."""
        return None if self._corpus is None else str(self._corpus.path)

    @property
    def embedding(self) -> EmbeddingFunction | None:
        """The function for query texts that the corpus was given; ``None`` where it was given none."""
        return None if self._corpus is None else self._corpus.embedding_function

    @property
    def is_named(self) -> bool:
        """Whether :attr:`path` is all that another process needs: no function beside it."""
        if self._corpus is None:
            return False
        return self.embedding is None or open_index(self._corpus.path).embeds_queries

    def retrieve(self, query: str, context: RAGContext) -> tuple[RetrievedDocument, ...]:
        """Return documents for a query, best first, from the present state of the corpus."""
        strategy = self._strategy if self._corpus is None else self._present(self._corpus)
        return () if strategy is None else as_columnar(strategy).retrieve(query, context)

    def _present(self, corpus: SearchableCorpus) -> RAGStrategy:
        """Return the strategy over the present state of a corpus, made once for each.

        Options may name what is slow to make, such as a table of synonyms, or a model.
        """
        state, made = corpus.keyword_index, self._made
        if made is None or made[0] is not state:
            made = self._made = state, corpus.strategy(self._name, **self._options)
        return made[1]


def document_id(document: RetrievedDocument) -> str | None:
    """Return the id of a document, which a strategy of an application may not give."""
    return document.metadata.get(ENTRY_ID)


def describes_retrieval(key: str) -> bool:
    """Whether a metadata key tells of this retrieval, such as a rank, and not of the document."""
    return key.startswith(_OF_THIS_RETRIEVAL)

"""Query vectors must be of the model that made the vectors of the index."""

from collections.abc import Sequence

from octavo.columns.sources import Source
from octavo.columns.vector_notes import KnownModel, noted_model
from octavo.corpus.searchable import SearchableCorpus


def check_query_model(
    sources: Sequence[Source], column: str | None, corpus: SearchableCorpus
) -> None:
    """Refuse query vectors of another model than the index's, as far as both are noted.

    Vectors of two models may well have the same dimensions; their cosines mean nothing.

    Parameters
    ----------
    sources
        Where the queries are; no row is read.
    column
        The column of their vectors; ``None`` where texts are embedded.
    corpus
        What is searched.

    Raises
    ------
    InvalidArgumentError
        The models differ; names both.
    SourceLoadingError
        A note is damaged.
    """
    if column is None:
        return
    model = corpus.vector_model
    known = None if model is None else KnownModel(model, f"the index {corpus.path}")
    noted_model(sources, column, known)

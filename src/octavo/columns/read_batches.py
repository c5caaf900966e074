"""Inputs as validated documents, where no index is built of them."""

from collections.abc import Iterator, Sequence

from octavo.columns.document_batch import DocumentBatch, normalise
from octavo.columns.schema import ColumnRequest, choose_columns
from octavo.columns.sources import Input, input_schema, open_inputs, resolve_inputs


def read_batches(
    inputs: Input | Sequence[Input], columns: ColumnRequest | None = None
) -> Iterator[DocumentBatch]:
    """Yield the documents of inputs in batches, one input after the other, in bounded memory.

    Parameters
    ----------
    inputs
        As for :func:`octavo.columns.sources.resolve_inputs`.
    columns
        What was said about columns; id, text and title are found where they are unset.

    Raises
    ------
    InvalidArgumentError
        There is no id or text column, or a document is not acceptable.
    SourceLoadingError
        A file is missing or damaged.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"id": ["a"], "title": ["Foxes"], "text": ["A fox."]})
    >>> [batch.title.to_pylist() for batch in read_batches(table)]
    [['Foxes']]
    """
    requested = ColumnRequest() if columns is None else columns
    sources = resolve_inputs(inputs, "documents")
    wanted = [name for _, name in requested.named()]
    choice = choose_columns(input_schema(sources, wanted), requested)
    return (normalise(batch, choice) for batch in open_inputs(sources, columns=choice.columns()))

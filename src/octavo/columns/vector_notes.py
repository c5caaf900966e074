"""Which model made a column of vectors, as the inputs themselves say."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from octavo.columns.sources import Source
from octavo.embeddings.vector_model import Note, VectorModel
from octavo.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model, and what it is known from."""

    model: VectorModel
    origin: str


def with_note(schema: pa.Schema, column: str, note: Note) -> pa.Schema:
    """Return a schema in which a column of vectors has a note of the model that made it."""
    position = schema.get_field_index(column)
    return schema.set(position, schema.field(position).with_metadata(note))


def noted_model(
    sources: Sequence[Source], column: str, known: KnownModel | None = None
) -> VectorModel | None:
    """Return the model that made a column of vectors; ``None`` where no input says any.

    An input that says nothing is taken to be of the model that the others name. Its vectors are in
    the same column by somebody's decision, and many programs that write tables drop such notes.

    Parameters
    ----------
    sources
        The inputs; no row is read.
    column
        The column of vectors, which some of them may lack.
    known
        What the model must agree with, such as that of an index; it is returned where there is one.

    Raises
    ------
    InvalidArgumentError
        Two of them name different models; names both, and where they were found.
    SourceLoadingError
        A note, or a file, is damaged.

    Examples
    --------
    >>> from octavo.columns.sources import resolve_inputs
    >>> schema = pa.schema({"v": pa.list_(pa.float32(), 64)})
    >>> noting = with_note(schema, "v", VectorModel("hash:64").note())
    >>> noted_model(resolve_inputs(noting.empty_table()), "v")
    VectorModel(specification='hash:64', options={})
    """
    for source in sources:
        model = VectorModel.noted(source.field_metadata(column), source.origin)
        if model is None:
            continue
        if known is None:
            known = KnownModel(model, source.origin)
        elif not known.model.agrees_with(model):
            raise InvalidArgumentError(
                f"{source.origin}: column {column!r}: expected vectors of the model {known.model} "
                f"as in {known.origin}, found those of {model}; vectors of different models cannot "
                "be compared"
            )
    return None if known is None else known.model

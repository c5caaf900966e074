"""Which input column is the query's text, its id and its vector."""

from dataclasses import dataclass

import pyarrow as pa

from octavo.columns.arrow_types import is_id_like, is_text_like, is_vector_like
from octavo.columns.naming import check_column, find_column, none_found
from octavo.columns.schema import VECTOR_TYPES

TEXT_NAMES = ("text", "query", "question", "query_text", "content", "body")
ID_NAMES = ("id", "_id", "query_id", "qid", "queryid", "topic_id")


@dataclass(frozen=True, slots=True)
class QueryColumns:
    """The input column for each part of a query.

    Parameters
    ----------
    text
        ``None`` where the queries are vectors only; their text is empty then.
    id
        ``None`` where no column holds ids: a query is then known by its position in the input,
        from 0.
    vector
        ``None`` where texts are embedded.

    Examples
    --------
    >>> str(QueryColumns(text="question", id=None, vector=None))
    "query text from column 'question', query id from the position in the input (no id column found)"
    """

    text: str | None
    id: str | None
    vector: str | None

    def columns(self) -> tuple[str, ...]:
        """Return the distinct columns to read."""
        named = (self.id, self.text, self.vector)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def __str__(self) -> str:
        text = "empty" if self.text is None else f"from column {self.text!r}"
        position = "from the position in the input (no id column found)"
        identifier = position if self.id is None else f"from column {self.id!r}"
        vector = "" if self.vector is None else f", query vector from column {self.vector!r}"
        return f"query text {text}, query id {identifier}{vector}"


def choose_query_columns(schema: pa.Schema, requested: QueryColumns) -> QueryColumns:
    """Complete what the user named by common names found in the input.

    A vector column is never guessed: it may come from another model than the documents' vectors.

    Parameters
    ----------
    schema
        The union of the inputs' schemas.
    requested
        The names given; ``None`` is not given.

    Raises
    ------
    InvalidArgumentError
        A named column is missing or of a wrong type, or there is neither text nor vector.

    Examples
    --------
    >>> schema = pa.schema({"qid": pa.int64(), "question": pa.string()})
    >>> choose_query_columns(schema, QueryColumns(None, None, None))
    QueryColumns(text='question', id='qid', vector=None)
    """
    check_column(schema, "query_text", requested.text, is_text_like, "strings")
    check_column(schema, "query_id", requested.id, is_id_like, "strings or integers")
    check_column(schema, "query_vector", requested.vector, is_vector_like, VECTOR_TYPES)
    identifier = requested.id or find_column(schema, ID_NAMES, is_id_like)
    text = requested.text or find_column(schema, TEXT_NAMES, is_text_like)
    if text is None and requested.vector is None:
        raise none_found("query_text", TEXT_NAMES, schema.names)
    return QueryColumns(text, identifier, requested.vector)

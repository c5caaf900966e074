"""Which columns of the input are embedded."""

from dataclasses import dataclass
from typing import Final, Literal

import pyarrow as pa

from octavo.columns.arrow_types import is_id_like, is_text_like
from octavo.columns.naming import check_column, find_column, none_found
from octavo.columns.schema import ID_NAMES, TEXT_NAMES, TITLE_NAMES, NoTitle

_TEXT_NAMES: Final = (*TEXT_NAMES, "query", "question", "query_text")


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The columns whose texts are embedded, the title before the text.

    Examples
    --------
    >>> str(TextColumns("body", None))
    "text 'body'"
    """

    text: str
    title: str | None

    def __str__(self) -> str:
        title = "" if self.title is None else f"; title {self.title!r}"
        return f"text {self.text!r}{title}"


def choose_text_columns(
    schema: pa.Schema, text: str | None, title: str | Literal[NoTitle.NO_TITLE] | None
) -> TextColumns:
    """Complete what the user named by common names, those of queries among them.

    Parameters
    ----------
    schema
        The union of the inputs' schemas.
    text, title
        The names given; ``None`` is not given.

    Raises
    ------
    InvalidArgumentError
        A named column is missing or holds no text, or there is no text.

    Examples
    --------
    >>> choose_text_columns(pa.schema({"id": pa.string(), "question": pa.string()}), None, None)
    TextColumns(text='question', title=None)
    """
    no_title = isinstance(title, NoTitle)
    named = None if isinstance(title, NoTitle) else title
    check_column(schema, "text", text, is_text_like, "strings")
    check_column(schema, "title", named, is_text_like, "strings")
    identifier = find_column(schema, ID_NAMES, is_id_like)
    taken = () if identifier is None else (identifier,)
    found = text or find_column(schema, _TEXT_NAMES, is_text_like, taken)
    if found is None:
        raise none_found("text", _TEXT_NAMES, schema.names)
    if no_title:
        return TextColumns(found, None)
    return TextColumns(
        found, named or find_column(schema, TITLE_NAMES, is_text_like, (*taken, found))
    )

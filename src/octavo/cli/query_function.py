"""``--embedding`` of commands that search: what embeds the texts of queries."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli import values
from octavo.cli.values import checked

if TYPE_CHECKING:
    from octavo.embeddings.protocol import EmbeddingFunction

QueryEmbedding = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        callback=checked(values.embedding),
        help="Embeds query texts where the index does not: LIBRARY:MODEL, MODULE:ATTR or hash:N.",
    ),
]


def query_function(index: Path, embedding: str | None) -> "EmbeddingFunction | None":
    """Return the function that a user names, with the options that the index notes of that model.

    An index may note any model; it is loaded only because the user names it too.

    Raises
    ------
    typer.BadParameter
        It names no function.
    ConfigurationError
        The function or the model cannot be had.
    CorpusFormatError, CorpusCorruptError
        The index cannot be opened.
    """
    if embedding is None:
        return None
    from octavo.analysis import Analyzer  # noqa: PLC0415
    from octavo.embeddings.specification import (  # noqa: PLC0415
        ModelSpecification,
        parse_specification,
        resolve,
    )
    from octavo.embeddings.vector_model import VectorModel  # noqa: PLC0415
    from octavo.shards import open_index  # noqa: PLC0415

    specification = parse_specification(embedding)
    if isinstance(specification, ModelSpecification):
        noted = open_index(index).vector_model
        options = {} if noted is None else noted.options_for(embedding)
        return VectorModel(embedding, options).function(str(index), {})
    function = resolve(specification, Analyzer())
    if function is None:
        raise typer.BadParameter(f"--embedding: expected a model or a function, found {embedding}")
    return function

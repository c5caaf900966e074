"""What an embedding job is asked to do, and what it says of itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

from octavo.batch.embedding.text_columns import TextColumns
from octavo.columns.schema import NoTitle
from octavo.columns.sources import Input
from octavo.embeddings.protocol import EmbeddingFunction


@dataclass(frozen=True, kw_only=True, eq=False)
class EmbedJob:
    """Embed the text of every row of some inputs and write the rows with their vectors to one file.

    Parameters
    ----------
    inputs
        Files, directories, globs or tables, as for :meth:`octavo.Corpus.build`; also URIs of files
        and directories, such as ``s3://bucket/documents/``.
    out
        The parquet file to write. It appears when the job is done, whole, in place of what was
        there.
    model
        A specification, such as ``"sentence-transformers:all-MiniLM-L6-v2"``, ``"openai:MODEL"``,
        ``"model2vec:MODEL"``, ``"MODULE:ATTR"`` or ``"hash"``, or an embedding function.
    text, title
        Column names, found among common names where unset; ``title=octavo.NO_TITLE`` leaves the
        title out. What is embedded is what an index searches: title, new line, text.
    column
        The name of the new column.
    keep
        The columns of the input to write; unset, all.
    queries
        Whether the texts are queries, which some models want told apart from documents.
    unit_length
        Whether vectors are scaled to length 1, which changes no cosine; else they stay as the model
        makes them.
    max_characters
        Embed no more of a text than so many characters, for models that refuse longer ones.
    resume
        Go on with a job that was stopped, from what it had finished. Without this, such a rest is
        thrown away.
    """

    inputs: Input | Sequence[Input]
    out: str | PathLike[str]
    model: str | EmbeddingFunction
    text: str | None = None
    title: str | Literal[NoTitle.NO_TITLE] | None = None
    column: str = "vector"
    keep: Sequence[str] | None = None
    queries: bool = False
    unit_length: bool = True
    max_characters: int | None = None
    resume: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedProgress:
    """How far a job has come.

    Parameters
    ----------
    columns
        The columns that are embedded.
    left_out
        Columns of JSON lines that hold objects, or lists of other things than numbers: they are not
        written.
    dimensions
        Values of each vector.
    rows
        Rows done, those of an earlier run included.
    resumed
        How many of them an earlier run had done.
    total
        Estimated number of all rows; ``None`` where the inputs do not tell.
    """

    columns: TextColumns
    left_out: tuple[str, ...]
    dimensions: int
    rows: int
    resumed: int
    total: int | None


EmbedListener = Callable[[EmbedProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedSummary:
    """What a finished job did.

    Parameters
    ----------
    out
        The file written.
    columns
        The columns that were embedded.
    dimensions
        Values of each vector.
    rows
        Rows in the output.
    embedded
        Texts that the model was asked for.
    repeated
        Rows whose text was that of another row of their block; they share its vector.
    blank
        Rows without text; their vector is null.
    resumed
        How many rows an earlier run had done.
    seconds
        Wall time of this run.
    """

    out: Path
    columns: TextColumns
    dimensions: int
    rows: int
    embedded: int
    repeated: int
    blank: int
    resumed: int
    seconds: float

    @property
    def rate(self) -> float:
        """Rows done a second in this run."""
        return (self.rows - self.resumed) / self.seconds if self.seconds > 0 else 0.0

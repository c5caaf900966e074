"""What a build makes, as the methods of corpora take it."""

from collections.abc import Mapping, Sequence
from typing import Literal

from octavo.analysis import Analyzer
from octavo.columns.edge_columns import EdgeColumns
from octavo.columns.schema import ColumnRequest, NoTitle
from octavo.columns.sources import Input
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.choice import DEFAULT_RECALL, VectorIndexKind, requested_vector_index
from octavo.errors import InvalidArgumentError
from octavo.parallel import checked_threads
from octavo.storage.build.build_request import BuildRequest, Listener
from octavo.storage.build.memory_budget import parse_budget


def build_request(
    *,
    embedding: str | EmbeddingFunction,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the column's name in the public API
    title: str | Literal[NoTitle.NO_TITLE] | None = None,
    source: str | None = None,
    timestamp: str | None = None,
    timestamp_zone: str | None = None,
    parent: str | None = None,
    parents: Input | None = None,
    edges: Input | None = None,
    edge_columns: EdgeColumns | Mapping[str, str] | None = None,
    metadata: Sequence[str] = (),
    language: str | None = None,
    stem: bool = False,
    stop_words: bool = False,
    recall: float = DEFAULT_RECALL,
    vector_index: VectorIndexKind | str = VectorIndexKind.AUTOMATIC,
    memory_budget: int | str | None = None,
    block_max: bool = True,
    threads: int | None = None,
    overwrite: bool = False,
    progress: Listener | None = None,
) -> BuildRequest:
    """Return the request that the options of :meth:`octavo.Corpus.build` make.

    Raises
    ------
    InvalidArgumentError
        One of them does not fit.
    """
    if isinstance(metadata, str) or not all(isinstance(name, str) for name in metadata):
        raise InvalidArgumentError(
            f"metadata: expected a sequence of column names, found {metadata!r}"
        )
    if not isinstance(block_max, bool):
        raise InvalidArgumentError(f"block_max: expected True or False, found {block_max!r}")
    return BuildRequest(
        columns=ColumnRequest(
            id=id,
            text=text,
            title=title,
            source=source,
            timestamp=timestamp,
            timestamp_zone=timestamp_zone,
            parent=parent,
            metadata=tuple(metadata),
        ),
        analyzer=Analyzer(language=language, stem=stem, stop_words=stop_words),
        embedding=embedding,
        memory_budget=parse_budget(memory_budget),
        threads=checked_threads(threads),
        overwrite=overwrite,
        vector_index=requested_vector_index(recall, vector_index),
        listener=progress or (lambda _: None),
        parents=parents,
        edges=edges,
        edge_columns=EdgeColumns.of(edge_columns),
        block_max=block_max,
    )

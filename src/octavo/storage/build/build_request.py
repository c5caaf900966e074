"""What is said about a build, and what it says of itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from octavo.analysis import Analyzer
from octavo.columns.edge_columns import EdgeColumns
from octavo.columns.schema import ColumnChoice, ColumnRequest
from octavo.columns.sources import Input
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.choice import VectorIndexRequest
from octavo.storage.build.memory_budget import MemoryBudget


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build is: the stage, and the rows that it has done."""

    stage: str
    rows: int


VECTORS_REUSED = "vectors reused"
"""The stage that is told once where an index is replaced that the same function embedded: how many
documents were not embedded again, as their text has a vector."""

Listener: TypeAlias = Callable[[BuildProgress | ColumnChoice], None]
"""Told once which columns were chosen, then of progress."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """Everything about a build but its inputs and its place."""

    columns: ColumnRequest
    analyzer: Analyzer
    embedding: str | EmbeddingFunction
    memory_budget: MemoryBudget
    threads: int
    overwrite: bool
    listener: Listener
    vector_index: VectorIndexRequest = field(default_factory=VectorIndexRequest)
    """Recall target and structure of vector search."""
    parents: Input | None = None
    """Further inputs: documents that are only parents."""
    block_max: bool = True
    """Whether block-max postings are written beside tantivy's."""
    edges: Input | None = None
    """Edge lists between documents; without them the index has no graph."""
    edge_columns: EdgeColumns | None = None
    """Their columns, where they are not the common ones."""
    vectors_of: Path | None = None
    """An index whose vectors are used again; unset, the one that is replaced."""
    describe_row: Callable[[int], str] | None = None
    """Names the place of a row where the inputs are copies of others; unset, by the inputs."""

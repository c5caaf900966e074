"""What a build reads: documents, parents and edge lists."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from octavo.columns.document_batch import DocumentBatch, normalise
from octavo.columns.edge_list import read_edges
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.schema import ColumnChoice, choose_columns
from octavo.columns.sources import (
    Input,
    InputBatch,
    RowOrigins,
    Source,
    input_schema,
    open_inputs,
    resolve_inputs,
)
from octavo.columns.vector_notes import noted_model
from octavo.storage.build.build_request import BuildProgress, BuildRequest
from octavo.storage.build.embedding_plan import EmbeddingPlan
from octavo.storage.build.stages import Stage


class BuildInputs:
    """The inputs as validated document batches, read once, remembering where each row came from."""

    def __init__(
        self,
        sources: Sequence[Source],
        parents: Sequence[Source],
        edges: Sequence[Source],
        choice: ColumnChoice,
    ) -> None:
        self.choice = choice
        vectors = choice.embedding
        self.model = None if vectors is None else noted_model(sources, vectors)
        """Which model made the vectors that come with the documents, where an input says so."""
        self._sources = sources
        self._parents = parents
        self._edges = edges
        self._origins = RowOrigins()

    @classmethod
    def choose(cls, inputs: Input, request: BuildRequest, plan: EmbeddingPlan) -> "BuildInputs":
        """Find the inputs and decide which column plays which part."""
        requested = plan.request_columns(request.columns)
        sources = resolve_inputs(inputs)
        parents = () if request.parents is None else resolve_inputs(request.parents, "parents")
        edges = () if request.edges is None else resolve_inputs(request.edges, "edges")
        wanted = [name for _, name in requested.named()]
        schema = input_schema([*sources, *parents], wanted)
        return cls(sources, parents, edges, choose_columns(schema, requested))

    def graph(self, request: BuildRequest) -> GraphColumns | None:
        """Return the graph of the edge lists; ``None`` where there are none."""
        if not self._edges:
            return None
        return read_edges(
            self._edges,
            request.edge_columns,
            progress=lambda rows: request.listener(BuildProgress(Stage.EDGES, rows)),
        )

    def batches(self) -> Iterator[DocumentBatch]:
        """Yield the documents in row order; every vector has the dimensions of the first."""
        dimensions: int | None = None
        for batch in self._read(self._sources):
            documents = normalise(batch, self.choice, dimensions)
            if documents.vectors is not None and documents.vectors.dimensions:
                dimensions = documents.vectors.dimensions
            yield documents
        without_vectors = replace(self.choice, embedding=None)
        for batch in self._read(self._parents):
            yield replace(normalise(batch, without_vectors), only_parents=True)

    def _read(self, sources: Sequence[Source]) -> Iterator[InputBatch]:
        if not sources:
            return
        for batch in open_inputs(sources, columns=self.choice.columns()):
            self._origins.add(batch)
            yield batch

    def describe_row(self, row: int) -> str:
        """Name the input and the row in it that became row ``row`` of the index."""
        return self._origins.describe(row)

"""Which vectors a build makes, decided from what the caller asked for."""

from dataclasses import dataclass, replace

from octavo.analysis import Analyzer
from octavo.columns.schema import ColumnRequest
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.embeddings.specification import (
    ColumnSpecification,
    EmbeddingSpecification,
    HashSpecification,
    NoEmbedding,
    parse_specification,
    resolve,
)
from octavo.embeddings.vector_model import VectorModel
from octavo.errors import InvalidArgumentError
from octavo.storage.format.manifest import EmbeddingEntry, Manifest
from octavo.storage.snapshot.query_embedding import FUNCTION_SPECIFICATION, QueryEmbedding
from octavo.storage.snapshot.vector_stage import ColumnStage, FunctionStage, HashStage, VectorStage


@dataclass(frozen=True, slots=True)
class EmbeddingPlan:
    """How a build makes vectors, and what the manifest will say of them."""

    stage: VectorStage | None
    specification: str
    fingerprint: str
    column: str | None = None
    model: VectorModel | None = None

    def request_columns(self, columns: ColumnRequest) -> ColumnRequest:
        """Add the column that holds the vectors, if one does."""
        return columns if self.column is None else replace(columns, embedding=self.column)

    def entry(self, dimensions: int | None, rows: int) -> EmbeddingEntry | None:
        """Return what the manifest says, given what was found; nothing without vectors.

        Raises
        ------
        InvalidArgumentError
            There are rows, and none of them has a vector.
        """
        if self.stage is None:
            return None
        known = dimensions or (self.stage.dimensions if isinstance(self.stage, HashStage) else None)
        if known is not None:
            return EmbeddingEntry(self.specification, known, self.fingerprint, self.model)
        if rows:
            raise InvalidArgumentError(
                f"column {self.column!r}: expected at least one vector, found only nulls"
            )
        return None


def plan_embedding(requested: str | EmbeddingFunction, analyzer: Analyzer) -> EmbeddingPlan:
    """Turn ``hash``, ``column:COL``, ``MODULE:ATTR``, ... or a function into a plan.

    Raises
    ------
    InvalidArgumentError
        The text is no embedding specification, or the object is no function.
    ConfigurationError
        The named function cannot be imported, or several providers are installed.
    """
    if not isinstance(requested, str):
        return _function_plan(requested, FUNCTION_SPECIFICATION)
    specification = parse_specification(requested)
    if isinstance(specification, ColumnSpecification):
        column = specification.column
        return EmbeddingPlan(ColumnStage(column), str(specification), str(specification), column)
    return _resolved_plan(specification, analyzer)


def plan_further_embedding(
    manifest: Manifest, analyzer: Analyzer, function: EmbeddingFunction | None
) -> EmbeddingPlan:
    """Return how documents that are added to an index get their vectors: as the others did.

    Parameters
    ----------
    manifest, analyzer
        Of the index.
    function
        The caller's own function, in place of the one the manifest names. It makes no difference
        where vectors are hashes or come with the documents.

    Raises
    ------
    ConfigurationError
        The function is one that only the builder of the index has, or cannot be imported.
    """
    entry = manifest.embedding
    if entry is None:
        entry = EmbeddingEntry(manifest.settings.embedding, 0, manifest.settings.embedding)
    if entry.specification != FUNCTION_SPECIFICATION:
        specification = parse_specification(entry.specification)
        if isinstance(specification, NoEmbedding):
            return EmbeddingPlan(None, entry.specification, entry.fingerprint)
        if isinstance(specification, HashSpecification | ColumnSpecification):
            return plan_embedding(entry.specification, analyzer)
    found = QueryEmbedding(entry, analyzer, function).function()
    stage = FunctionStage(found, entry.dimensions or None)
    model = VectorModel.of(found)
    return EmbeddingPlan(stage, entry.specification, entry.fingerprint, model=model)


def _resolved_plan(specification: EmbeddingSpecification, analyzer: Analyzer) -> EmbeddingPlan:
    function = resolve(specification, analyzer)
    if function is None:
        return EmbeddingPlan(None, str(specification), "")
    return _function_plan(function, str(specification))


def _function_plan(function: EmbeddingFunction, specification: str) -> EmbeddingPlan:
    if isinstance(function, HashEmbedding):
        # Recorded as what it is, also where it stands in for a provider that is not installed.
        found = str(HashSpecification(function.dimensions))
        return EmbeddingPlan(HashStage(function), found, function.fingerprint)
    if not callable(function):
        raise InvalidArgumentError(
            f"embedding: expected a specification or a function, found {type(function).__name__}"
        )
    stage, model = FunctionStage(function), VectorModel.of(function)
    return EmbeddingPlan(stage, specification, specification, model=model)

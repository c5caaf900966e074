"""The hits of one query with their documents and parts."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from octavo.engines.report import SearchReport
from octavo.graph.graph_path import GraphPath
from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.queries import Queries


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """One hit: its document, and the parts of its score by name, where it has them."""

    rank: int
    id: str
    score: float
    source: str
    title: str | None
    content: str
    metadata: Mapping[str, str]
    parts: Mapping[str, Any]
    path: GraphPath | None = None
    """By which the graph found it, where that was asked for."""

    def as_dict(self) -> dict[str, Any]:
        """Return the hit as plain values."""
        values = asdict(replace(self, path=None))
        del values["path"]
        return values if self.path is None else {**values, "path": self.path.as_dict()}


def find(
    strategy: ColumnarStrategy, query: str, context: RAGContext
) -> tuple[list[FoundDocument], SearchReport]:
    """Search for one query, any text."""
    ranking = strategy.rank(Queries((query,)), context)
    hits = ranking.hits
    parts: list[dict[str, Any]] = [{} for _ in range(len(hits))]
    for name, column in ranking.part_columns().items():
        for position, value in enumerate(column.to_pylist()):
            if value is not None:
                parts[position][name] = value
    documents = ranking.documents.documents(hits.rows)
    found = [
        FoundDocument(
            rank=rank,
            id=document.id,
            score=score,
            source=document.source,
            title=document.title,
            content=document.content,
            metadata=document.metadata,
            parts=parts[rank - 1],
        )
        for rank, (document, score) in enumerate(
            zip(documents, hits.scores.tolist(), strict=True), start=1
        )
    ]
    return found, ranking.report

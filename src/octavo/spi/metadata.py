"""Names of the metadata keys that strategies read and write."""

from typing import Final


class HierarchyMetadata:
    """Keys of a document's place in a hierarchy (S26, S28)."""

    ID: Final = "hierarchy.id"
    PARENT_ID: Final = "hierarchy.parentId"
    NODE_TITLE: Final = "hierarchy.title"
    NODE_SUMMARY: Final = "hierarchy.summary"
    STOP_REASON: Final = "hierarchy.stopReason"
    LEVEL: Final = "hierarchy.level"
    FROM_ID: Final = "hierarchy.fromId"
    CHILD_SCORE: Final = "hierarchy.childScore"


class TemporalMetadata:
    """Keys of a document's time (S27)."""

    TIMESTAMP: Final = "temporal.timestamp"
    MULTIPLIER: Final = "temporal.multiplier"
    AGE_SECONDS: Final = "temporal.ageSeconds"
    CHILD_SCORE: Final = "temporal.childScore"


class GraphMetadata:
    """Keys of how a graph traversal reached a document (S24)."""

    NODE_ID: Final = "graph.nodeId"
    HOPS: Final = "graph.hops"
    SEED_SCORE: Final = "graph.seedScore"


class MultiQueryMetadata:
    """Keys of how the variants of a query ranked a document (S25)."""

    RANKS: Final = "multiQuery.ranks"
    STREAMS: Final = "multiQuery.streams"


ENTRY_ID: Final = "entryId"
TIER: Final = "tier"

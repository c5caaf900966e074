"""What a change of an index is doing, as its listener is told."""

from enum import StrEnum


class Stage(StrEnum):
    """The stages of a build and of a writer's transaction, in about this order."""

    EDGES = "edges"
    """Edge lists are read and become a graph."""
    READING = "reading"
    """Documents are read, analysed, embedded and written as columns."""
    DELETING = "deleting"
    """Documents are looked up to be deleted."""
    WORDS = "indexing words"
    BLOCKS = "indexing words for batches"
    VECTORS = "vectors"
    """A structure of vectors is built."""
    TUNING = "tuning"
    LIVE_ROWS = "live rows"
    """What is deleted is written down."""
    MERGING = "merging"
    """Small segments become larger ones."""
    MANIFEST = "manifest"
    """Everything is on the disk; the manifest is next."""

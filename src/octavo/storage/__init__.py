"""A corpus on disk: immutable segments, one manifest, memory-mapped snapshots."""

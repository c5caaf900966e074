"""Indexes in parts: documents spread over shards, searched as one."""

from octavo.shards.opening import open_index
from octavo.shards.sharded_corpus import ShardedCorpus

__all__ = ["ShardedCorpus", "open_index"]

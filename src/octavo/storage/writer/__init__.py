"""How an index changes: the transaction, its additions and deletions, merges, compaction."""

"""Retrieval strategies: thin compositions of ranked streams, one file each."""

"""Embedding functions: the protocol, the hash fallback, and how they are named."""

"""Declarative retrieval: what is known, how it is searched, and who is told."""

"""Triples that an agent keeps in memory, as tools and as a graph store."""

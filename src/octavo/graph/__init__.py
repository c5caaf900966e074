"""Graphs: nodes and edges, where a query starts among them, and how far a walk goes."""

"""From names in documents to a graph of entities: one node an identity, bounded edges."""

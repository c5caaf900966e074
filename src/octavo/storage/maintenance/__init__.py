"""How an index is looked after: verified, repaired and tuned."""

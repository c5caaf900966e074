"""The ledger: results explained by their own columns, recomputed and compared."""

from octavo.ledger.recompute import recompute

__all__ = ["recompute"]

"""The ledger: results explained by their own columns, recomputed and compared."""

from octavo.ledger.changes import HitChange, Move, QueryChange
from octavo.ledger.comparison import DiffSummary, ResultDiff, diff
from octavo.ledger.recomputation import recompute
from octavo.ledger.setting_changes import SettingChange

__all__ = [
    "DiffSummary",
    "HitChange",
    "Move",
    "QueryChange",
    "ResultDiff",
    "SettingChange",
    "diff",
    "recompute",
]

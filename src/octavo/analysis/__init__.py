"""Text analysis: one analyser for index, query and hash embedding."""

from octavo.analysis.analyzer import Analyzer

__all__ = ["Analyzer"]

"""The object users hold: a corpus to build, open, search and check."""

from octavo.corpus.corpus import Corpus

__all__ = ["Corpus"]

"""Keyword search: BM25 over pre-analysed words, on tantivy."""

from octavo.engines.keyword.champion_file import write_champions
from octavo.engines.keyword.documents import FilterColumn
from octavo.engines.keyword.index import KeywordIndex
from octavo.engines.keyword.writer import SegmentInfo, write_segment

__all__ = ["FilterColumn", "KeywordIndex", "SegmentInfo", "write_champions", "write_segment"]

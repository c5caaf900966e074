"""The enumerations of declarations (S61-S67, S75), with the reference's names."""

from enum import StrEnum

from octavo.spi.expansion import QueryExpansion

__all__ = [
    "ActionType",
    "ChunkContext",
    "FailureAction",
    "KnowledgeFormat",
    "KnowledgeType",
    "KnowledgeUnit",
    "KnowledgeUse",
    "QueryExpansion",
    "SearchStrategy",
]


class KnowledgeType(StrEnum):
    """What kind of source a declaration speaks of."""

    FILE = "FILE"
    URL = "URL"
    DATABASE = "DATABASE"
    MEMORY = "MEMORY"
    GRAPH = "GRAPH"


class KnowledgeFormat(StrEnum):
    """How files are read; ``AUTO`` finds out for each file, all others are strict."""

    AUTO = "AUTO"
    TEXT = "TEXT"
    MARKDOWN = "MARKDOWN"
    HTML = "HTML"
    JSON = "JSON"
    JSON_LINES = "JSON_LINES"
    CSV = "CSV"
    YAML = "YAML"
    CODE = "CODE"
    PDF = "PDF"
    PARQUET = "PARQUET"


class KnowledgeUse(StrEnum):
    """How a source grounds: searched, given whole, or given piece after piece."""

    SEARCH = "SEARCH"
    DIRECT = "DIRECT"
    SEQUENTIAL = "SEQUENTIAL"


class KnowledgeUnit(StrEnum):
    """What a chunk of a source is."""

    AUTO = "AUTO"
    DOCUMENT = "DOCUMENT"
    SECTION = "SECTION"
    PARAGRAPH = "PARAGRAPH"
    RECORD = "RECORD"


class ChunkContext(StrEnum):
    """What stands before a chunk's searchable text."""

    NONE = "NONE"
    HEADINGS = "HEADINGS"
    MODEL = "MODEL"


class SearchStrategy(StrEnum):
    """The eight ways to search; none falls back to another (S63)."""

    SEMANTIC = "SEMANTIC"
    KEYWORD = "KEYWORD"
    HYBRID = "HYBRID"
    GRAPH = "GRAPH"
    MULTI_QUERY = "MULTI_QUERY"
    HIERARCHICAL = "HIERARCHICAL"
    TEMPORAL = "TEMPORAL"
    REASONING = "REASONING"


class FailureAction(StrEnum):
    """What follows a failed retrieval (S67); configuration errors are never softened."""

    CONTINUE = "CONTINUE"
    FAIL = "FAIL"
    USE_CACHE = "USE_CACHE"
    RETRY_SIMPLE = "RETRY_SIMPLE"


class ActionType(StrEnum):
    """Who carries out an action; knowledge is valid on ``LLM`` and ``LOCAL`` (S75)."""

    LLM = "LLM"
    LOCAL = "LOCAL"
    TOOL = "TOOL"
    WEB_SERVICE = "WEB_SERVICE"

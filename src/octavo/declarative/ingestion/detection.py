"""Which format a file has: by the server's word, by its ending, then by its content."""

from typing import Final

from octavo.declarative.declarations.enums import KnowledgeFormat
from octavo.declarative.ingestion.decoding import encoding_of, looks_like_text
from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.resource import Resource

_HEAD_BYTES: Final = 8_192

_BY_ENDING: Final[dict[str, KnowledgeFormat]] = {
    **dict.fromkeys(
        ("txt", "text", "log", "rst", "adoc", "asciidoc", "org", "tex"), KnowledgeFormat.TEXT
    ),
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mdx", "qmd"), KnowledgeFormat.MARKDOWN),
    **dict.fromkeys(("html", "htm", "xhtml"), KnowledgeFormat.HTML),
    "json": KnowledgeFormat.JSON,
    **dict.fromkeys(("jsonl", "ndjson"), KnowledgeFormat.JSON_LINES),
    **dict.fromkeys(("csv", "tsv"), KnowledgeFormat.CSV),
    **dict.fromkeys(("yaml", "yml"), KnowledgeFormat.YAML),
    "pdf": KnowledgeFormat.PDF,
    **dict.fromkeys(("parquet", "pq"), KnowledgeFormat.PARQUET),
    **dict.fromkeys(
        (
            *(
                "py",
                "pyi",
                "java",
                "kt",
                "kts",
                "scala",
                "groovy",
                "c",
                "h",
                "cc",
                "cpp",
                "cxx",
                "hpp",
            ),
            *("hh", "cs", "go", "rs", "swift", "m", "mm", "js", "mjs", "cjs", "jsx", "ts", "tsx"),
            *(
                "vue",
                "rb",
                "php",
                "pl",
                "pm",
                "lua",
                "r",
                "jl",
                "hs",
                "ml",
                "mli",
                "clj",
                "ex",
                "exs",
            ),
            *(
                "erl",
                "dart",
                "sh",
                "bash",
                "zsh",
                "fish",
                "ps1",
                "sql",
                "proto",
                "tf",
                "css",
                "scss",
            ),
            *("less", "toml", "ini", "cfg", "gradle", "cmake", "zig", "nim", "vim"),
        ),
        KnowledgeFormat.CODE,
    ),
}

_BY_MEDIA_TYPE: Final[dict[str, KnowledgeFormat]] = {
    "text/html": KnowledgeFormat.HTML,
    "application/xhtml+xml": KnowledgeFormat.HTML,
    "text/markdown": KnowledgeFormat.MARKDOWN,
    "application/json": KnowledgeFormat.JSON,
    "application/jsonl": KnowledgeFormat.JSON_LINES,
    "application/x-ndjson": KnowledgeFormat.JSON_LINES,
    "text/csv": KnowledgeFormat.CSV,
    "text/tab-separated-values": KnowledgeFormat.CSV,
    "application/yaml": KnowledgeFormat.YAML,
    "application/x-yaml": KnowledgeFormat.YAML,
    "text/yaml": KnowledgeFormat.YAML,
    "application/pdf": KnowledgeFormat.PDF,
    "application/vnd.apache.parquet": KnowledgeFormat.PARQUET,
}

_UNTOLD: Final = frozenset({"text/plain", "application/octet-stream", "binary/octet-stream"})
"""Media types that servers give where they do not know better."""


def ending(path: str) -> str:
    """Return the ending of a file's name, in lower case, without the dot.

    Examples
    --------
    >>> ending("a.b/Guide.MD"), ending("Makefile")
    ('md', '')
    """
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""


def format_by_name(path: str) -> KnowledgeFormat | None:
    """Return the format that a file's ending means, ``None`` for an unknown one."""
    return _BY_ENDING.get(ending(path))


def format_by_media_type(media_type: str | None) -> KnowledgeFormat | None:
    """Return the format that a server's media type means; ``None`` where it says nothing.

    Raises
    ------
    DamagedSource
        It means something that no reader reads, such as an image.
    """
    if not media_type or media_type in _UNTOLD:
        return None
    found = _BY_MEDIA_TYPE.get(media_type)
    if found is None and media_type.endswith("+json"):
        return KnowledgeFormat.JSON
    if found is None and not media_type.startswith("text/"):
        raise DamagedSource(f"expected a document, found {media_type}")
    return found


def detected_format(resource: Resource) -> KnowledgeFormat | None:
    """Return the format of a file, ``None`` for one that is no document: unknown and binary.

    Raises
    ------
    DamagedSource
        As :func:`format_by_media_type`.
    """
    known = format_by_media_type(resource.media_type) or format_by_name(resource.path)
    return known if known is not None else _by_content(resource.head(_HEAD_BYTES), resource.charset)


def check_format(resource: Resource, expected: KnowledgeFormat) -> None:
    """Refuse a file whose name, or server, says that it has another format than the declared one.

    Every text may be read as TEXT; the other way round, what has no telling name may be anything.

    Raises
    ------
    DamagedSource
        It says so.
    """
    known = format_by_media_type(resource.media_type) or format_by_name(resource.path)
    textual = known not in {KnowledgeFormat.PDF, KnowledgeFormat.PARQUET}
    if known in {None, expected, KnowledgeFormat.TEXT} or (
        expected is KnowledgeFormat.TEXT and textual
    ):
        return
    if {known, expected} == {KnowledgeFormat.JSON, KnowledgeFormat.JSON_LINES}:
        return
    raise DamagedSource(f"expected {expected}, found {known}")


def _by_content(head: bytes, charset: str | None) -> KnowledgeFormat | None:
    if head.startswith(b"%PDF-"):
        return KnowledgeFormat.PDF
    if head.startswith(b"PAR1"):
        return KnowledgeFormat.PARQUET
    if not looks_like_text(head, charset, complete=len(head) < _HEAD_BYTES):
        return None
    encoding, mark = encoding_of(head[:4], charset)
    text = head[mark:].decode(encoding, "ignore")
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype html", "<html")):
        return KnowledgeFormat.HTML
    if start.startswith("#!"):
        return KnowledgeFormat.CODE
    return KnowledgeFormat.TEXT

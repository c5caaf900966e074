"""How much one source may ask of the machine."""

from dataclasses import dataclass, fields

from octavo.errors import checked_count


@dataclass(frozen=True, slots=True)
class IngestionLimits:
    """Bounds of reading and cutting; what lies beyond one of them is a typed error, never a crash.

    Parameters
    ----------
    chunk_characters
        A document of at most so many characters stays whole; a larger one is cut into chunks of at
        most so many.
    file_bytes
        The largest file of a format that is read as a whole (Markdown, HTML, JSON, YAML, code, PDF).
        Text, CSV, JSON lines and parquet are streamed, and may be of any size.
    record_bytes
        The longest line, of JSON lines, and row, of CSV, parquet and databases.
    record_fields
        The most fields of one record, columns of a table, and of a mapping whose fields are metadata.
    depth
        The deepest nesting of JSON, YAML and HTML.
    nodes
        The most values of a YAML file once its aliases are followed.
    metadata_characters
        Longer values are no metadata.
    """

    chunk_characters: int = 2_000
    file_bytes: int = 64 << 20
    record_bytes: int = 16 << 20
    record_fields: int = 4_096
    depth: int = 100
    nodes: int = 1_000_000
    metadata_characters: int = 1_024

    def __post_init__(self) -> None:
        for each in fields(self):
            checked_count(each.name, getattr(self, each.name))

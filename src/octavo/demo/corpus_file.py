"""The documentation strings of a library as one parquet file, ready for ``octavo index``."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.demo.docstrings import DocstringKind, Library

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("module", pa.string(), nullable=False),
        pa.field("parent", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """What a corpus file holds.

    Parameters
    ----------
    path
        The parquet file.
    documents
        Number of documents of each kind.
    skipped
        Sources that could not be read or parsed.
    repeated
        Documented definitions left out because their name was taken.
    """

    path: Path
    documents: Mapping[DocstringKind, int]
    skipped: tuple[Path, ...]
    repeated: int

    def __len__(self) -> int:
        return sum(self.documents.values())


def write_corpus(path: Path, library: Library | None = None) -> CorpusFile:
    """Write the documentation strings of ``library`` to a parquet file.

    Columns, all strings: ``id`` (dotted qualified name), ``title`` (the same, so that names are
    searched too), ``text`` (the documentation string), ``kind`` (package, module, class or
    function), ``module``, and ``parent`` (the id of the nearest documented enclosing thing; null at
    the top). The file appears whole, by a rename.

    Parameters
    ----------
    path
        File to write; its directory must exist.
    library
        By default the standard library of the running Python.

    Raises
    ------
    octavo.errors.SourceLoadingError
        The library has no Python sources.
    OSError
        The file cannot be written.
    """
    library = library or Library()
    docstrings = list(library)
    rows = [
        {
            "id": docstring.id,
            "title": docstring.id,
            "text": docstring.text,
            "kind": docstring.kind.value,
            "module": docstring.module,
            "parent": docstring.parent,
        }
        for docstring in docstrings
    ]
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        pq.write_table(table, unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return CorpusFile(
        path,
        Counter(docstring.kind for docstring in docstrings),
        tuple(library.skipped),
        library.repeated,
    )

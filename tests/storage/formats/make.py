"""Make the index and the expected results of the present format version.

    python -m tests.storage.formats.make [DIRECTORY]

Run once for each format version, and again only while the version is not released. The index goes to
``VERSION/index``, what it must give to ``VERSION/expected.json``; that is worked out by
``oracle.py`` alone.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from octavo import Corpus
from octavo.storage.format.layout import FORMAT_VERSION
from tests.storage.formats import content, oracle
from tests.storage.unmerged import unmerged

HERE = Path(__file__).parent
SCHEMA = pa.schema(
    {
        **dict.fromkeys(("id", "text", "title", "source", "tier", "parent"), pa.string()),
        "year": pa.int64(),
        "written": pa.timestamp("us", "UTC"),
    }
)
COLUMNS: dict[str, Any] = {
    "metadata": ["tier", "year"],
    "source": "source",
    "timestamp": "written",
    "parent": "parent",
    "embedding": f"hash:{oracle.DIMENSIONS}",
}


def table(rows: list[dict[str, Any]]) -> pa.Table:
    """Return documents as an Arrow table."""
    return pa.Table.from_pylist([{k: row[k] for k in SCHEMA.names} for row in rows], schema=SCHEMA)


def make(index: Path) -> Corpus:
    """Build, add, upsert and delete; nothing is merged, so that there are several segments."""
    parents = table(content.PARENTS)
    names = ("head", "relation", "tail", "weight")
    edges = pa.Table.from_pylist([dict(zip(names, edge, strict=True)) for edge in content.EDGES])
    corpus = Corpus.build(
        table(content.BUILT), index, parents=parents, edges=edges, threads=1, **COLUMNS
    )

    with unmerged():
        with corpus.writer(threads=1) as writer:
            writer.add(table(content.ADDED))
        with corpus.writer(threads=1) as writer:
            writer.upsert(table(content.UPSERTED))
        with corpus.writer(threads=1) as writer:
            writer.delete(content.DELETED)
    return corpus


def expected() -> dict[str, Any]:
    """Return what the index must give, as it is and after the changes of ``rows_later``."""
    states = {"as written": content.rows_as_written(), "later": content.rows_later()}
    return {name: _expected(rows) for name, rows in states.items()}


def _expected(rows: list[dict[str, Any]]) -> dict[str, Any]:
    answers = [
        {
            "query": query["text"],
            "filters": query.get("filters", {}),
            "keyword": oracle.keyword(rows, query["text"], query.get("filters", {})),
            "vector": oracle.vector(rows, query["text"], query.get("filters", {})),
            "graph": oracle.graph(rows, content.EDGES, query["text"], query.get("filters", {})),
        }
        for query in content.QUERIES
    ]
    live = [row for row in rows if row["live"]]
    return {
        "rows": len(rows),
        "documents": [{k: row[k] for k in SCHEMA.names} for row in live],
        "answers": answers,
    }


def main() -> None:
    """Write both."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / str(FORMAT_VERSION)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    make(directory / "index")
    for left_over in ("writer.lock", "writer.json"):
        (directory / "index" / left_over).unlink(missing_ok=True)
    text = json.dumps(expected(), ensure_ascii=False)
    (directory / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

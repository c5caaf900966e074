"""``octavo info``: what an index is made of."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from octavo.cli.graph_facts import graph_facts
from octavo.cli.model_facts import model_facts
from octavo.cli.options import AsJson, IndexPath
from octavo.cli.output import facts, show, show_json, size
from octavo.cli.vector_facts import vector_facts

if TYPE_CHECKING:
    from octavo.corpus.info import CorpusInfo


def info(index: IndexPath, *, as_json: AsJson = False) -> None:
    """Describe an index."""
    from octavo.shards import open_index  # noqa: PLC0415

    found = open_index(index).info()
    if as_json:
        show_json({**asdict(found), "deleted_share": found.deleted_share})
        return
    columns = {part: name for part, name in asdict(found.columns).items() if name}
    embedding = found.embedding
    rows = [
        ("index", found.path),
        ("format", f"version {found.format_version}, made by {found.created_by}"),
        ("generation", found.generation),
        *([("shards", f"{found.shards:,}")] if found.shards else []),
        ("documents", f"{found.documents:,}"),
        *_deleted(found),
        ("empty texts", f"{found.empty_texts:,}"),
        ("null vectors", f"{found.null_vectors:,}"),
        ("segments", f"{found.segments:,} ({found.keyword_segments:,} of postings)"),
        ("size", size(found.size)),
        (
            "block-max postings",
            size(found.block_max_size) if found.block_max_size else "none",
        ),
        ("columns", ", ".join(f"{part} {_names(name)}" for part, name in columns.items())),
        ("analyser", ", ".join(f"{name} {value}" for name, value in found.analyzer.items())),
        (
            "embedding",
            "none"
            if embedding is None
            else f"{embedding.specification}, {embedding.dimensions:,} dimensions",
        ),
        *model_facts(embedding),
        *vector_facts(found),
        *graph_facts(found.graph),
        ("default strategy", found.default_strategy),
    ]
    for line in facts(rows):
        show(line)


def _deleted(found: "CorpusInfo") -> list[tuple[str, str]]:
    """Say how many rows deleted documents take, where there are any, and whether to compact."""
    rows = [("deleted rows", f"{found.deleted_rows:,} ({found.deleted_share:.1%} of all rows)")]
    advice = [] if found.compaction is None else [("compaction", f"advised: {found.compaction}")]
    return [*(rows if found.deleted_rows else []), *advice]


def _names(names: object) -> str:
    return ", ".join(map(repr, names)) if isinstance(names, tuple | list) else repr(names)

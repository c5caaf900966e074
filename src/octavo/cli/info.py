"""``octavo info``: what an index is made of."""

from dataclasses import asdict

from octavo.cli.options import AsJson, IndexPath
from octavo.cli.output import facts, show, show_json, size


def info(index: IndexPath, *, as_json: AsJson = False) -> None:
    """Describe an index."""
    from octavo.corpus.corpus import Corpus  # noqa: PLC0415

    found = Corpus.open(index).info()
    if as_json:
        show_json(asdict(found))
        return
    columns = {part: name for part, name in asdict(found.columns).items() if name}
    embedding = found.embedding
    rows = [
        ("index", found.path),
        ("format", f"version {found.format_version}, made by {found.created_by}"),
        ("generation", found.generation),
        ("documents", f"{found.documents:,}"),
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
        ("default strategy", found.default_strategy),
    ]
    for line in facts(rows):
        show(line)


def _names(names: object) -> str:
    return ", ".join(map(repr, names)) if isinstance(names, tuple | list) else repr(names)

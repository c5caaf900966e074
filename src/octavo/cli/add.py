"""``octavo add``: more documents for an index that is there."""

from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli.input_files import input_files
from octavo.cli.options import AsJson, CorpusFiles, IndexPath, MemoryBudget, Threads
from octavo.cli.output import facts, say, show, show_json
from octavo.cli.progress import listener, progress

if TYPE_CHECKING:
    from octavo.columns.sources import Source
    from octavo.storage.format.manifest import ColumnsEntry


def add(
    context: typer.Context,
    index: IndexPath,
    corpus: CorpusFiles,
    *,
    upsert: Annotated[
        bool,
        typer.Option("--upsert", help="Replace documents whose id is there; unset, refuse them."),
    ] = False,
    memory_budget: MemoryBudget = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Add documents to an index, all of them or none."""
    import time  # noqa: PLC0415

    from octavo.columns.row_count import estimated_rows  # noqa: PLC0415
    from octavo.columns.sources import resolve_inputs  # noqa: PLC0415
    from octavo.shards.opening import open_single  # noqa: PLC0415

    opened = open_single(index)
    sources = [
        source for source in resolve_inputs(input_files(context, corpus)) if _holds_rows(source)
    ]
    _tell_of_missing_columns(sources, opened.info().columns)
    total = estimated_rows(sources)
    started = time.perf_counter()
    written = 0
    if sources:
        with (
            progress() as update,
            opened.writer(
                memory_budget=memory_budget,
                threads=threads,
                progress=listener(update, total),
            ) as writer,
        ):
            written = writer.upsert(sources) if upsert else writer.add(sources)
    seconds = time.perf_counter() - started
    found = opened.info()
    what = "written" if upsert else "added"
    result = {what: written, "documents": found.documents, "generation": found.generation}
    if as_json:
        show_json(result)
    else:
        for line in facts((name, f"{number:,}") for name, number in result.items()):
            show(line)
    rate = written / seconds if seconds > 0 else 0.0
    say(f"{seconds:.1f} s ({rate:,.0f} documents/s)")


def _tell_of_missing_columns(sources: "list[Source]", columns: "ColumnsEntry") -> None:
    """Say what will be null; with ``--upsert`` that takes values from documents that had them."""
    from octavo.columns.sources import input_schema  # noqa: PLC0415

    optional = (columns.title, columns.source, columns.timestamp, columns.parent, *columns.metadata)
    names = set(input_schema(sources).names) if sources else set(optional)
    missing = [repr(name) for name in optional if name is not None and name not in names]
    if missing:
        say(f"The input has no column {', '.join(missing)}: null in each of its documents.")


def _holds_rows(source: "Source") -> bool:
    """Whether there can be a document in it; a file of none is no mistake when adding."""
    from octavo.columns.row_count import estimated_rows  # noqa: PLC0415

    return estimated_rows([source]) != 0 and bool(source.schema(()).names)

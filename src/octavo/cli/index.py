"""``octavo index``: documents to an index."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli import values
from octavo.cli.building import Spread, build_corpus
from octavo.cli.cluster_options import Engine, EngineName, RayAddress, Workers
from octavo.cli.graph_facts import graph_facts
from octavo.cli.input_files import input_files
from octavo.cli.model_facts import model_facts
from octavo.cli.options import CorpusFiles, MemoryBudget, Recall, VectorIndex
from octavo.cli.output import facts, say, size
from octavo.cli.progress import progress
from octavo.cli.values import checked, wrong_use

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from octavo.columns.schema import ColumnChoice, ColumnRequest
    from octavo.columns.sources import Source
    from octavo.corpus.corpus import Corpus
    from octavo.shards import ShardedCorpus
    from octavo.storage.build.build_request import BuildProgress

HASH_NOTICE = (
    "No --embedding was given, so vectors come from the built-in hash embedding, which only "
    "measures token overlap and is a weak retriever: give --embedding column:COL or MODULE:ATTR "
    "for semantic and hybrid search, or --embedding hash to keep it."
)


def index(
    context: typer.Context,
    corpus: CorpusFiles,
    *,
    out: Annotated[Path, typer.Option(metavar="INDEX", help="Directory of the index to make.")],
    text: Annotated[str | None, typer.Option(metavar="COL", help="Column of the text.")] = None,
    id: Annotated[str | None, typer.Option(metavar="COL", help="Column of the ids.")] = None,  # noqa: A002
    title: Annotated[str | None, typer.Option(metavar="COL", help="Column of titles.")] = None,
    no_title: Annotated[
        bool, typer.Option("--no-title", help="Use no title, even if one is found.")
    ] = False,
    source: Annotated[
        str | None, typer.Option(metavar="COL", help="Column that says where a document is from.")
    ] = None,
    timestamp: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of dates or times.")
    ] = None,
    timestamp_zone: Annotated[
        str | None,
        typer.Option(
            metavar="ZONE",
            callback=checked(values.zone),
            help="Zone of times that have none, such as UTC.",
        ),
    ] = None,
    parent: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the parents' ids.")
    ] = None,
    parents: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="Documents that are only parents; never found by themselves."
        ),
    ] = None,
    edges: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Edges between documents: columns head, tail, and relation, weight if there are.",
        ),
    ] = None,
    edge_columns: Annotated[
        list[str] | None,
        typer.Option(
            "--edge-column", metavar="PART=COL", help="Another name of such a column, as head=src."
        ),
    ] = None,
    derive_edges: Annotated[
        bool,
        typer.Option(
            "--derive-edges",
            help="Edges from what documents refer and link to: PEP 8, RFC 2119, § 5, paths, ids.",
        ),
    ] = False,
    metadata: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="Column to filter by; repeatable.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            callback=checked(values.language),
            help="Language of --stem and --stop-words, such as de; unset, en.",
        ),
    ] = None,
    stem: Annotated[bool, typer.Option("--stem", help="Search words by their stem.")] = False,
    stop_words: Annotated[
        bool, typer.Option("--stop-words", help="Leave out words such as 'the'.")
    ] = False,
    embedding: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            callback=checked(values.embedding),
            help="hash, hash:N, column:COL, MODULE:ATTR, provider, none.",
        ),
    ] = None,
    recall: Recall = 0.95,
    vector_index: VectorIndex = "automatic",
    memory_budget: MemoryBudget = None,
    no_block_max: Annotated[
        bool,
        typer.Option("--no-block-max", help="No block-max postings: smaller, slower to search."),
    ] = False,
    shards: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Spread documents over N indexes, searched as one."),
    ] = None,
    engine: EngineName = Engine.LOCAL,
    workers: Workers = None,
    ray_address: RayAddress = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an index that is there.")
    ] = False,
) -> None:
    """Index documents, so that they can be searched."""
    if no_title and title is not None:
        raise typer.BadParameter("expected either --title or --no-title, found both")
    if derive_edges and edges:
        raise typer.BadParameter("expected either --edges or --derive-edges, found both")
    import time  # noqa: PLC0415

    from octavo.columns.row_count import estimated_rows  # noqa: PLC0415
    from octavo.columns.schema import NO_TITLE, ColumnChoice, ColumnRequest  # noqa: PLC0415
    from octavo.columns.sources import resolve_inputs  # noqa: PLC0415
    from octavo.storage.build.build_request import VECTORS_REUSED  # noqa: PLC0415
    from octavo.storage.build.stages import Stage  # noqa: PLC0415

    sources = resolve_inputs(input_files(context, corpus))
    total = estimated_rows(sources)
    edge_lists = resolve_inputs(input_files(context, edges), "--edges") if edges else ()
    total_edges = estimated_rows(edge_lists)
    columns = ColumnRequest(id=id, text=text, title=NO_TITLE if no_title else title, source=source)
    started = time.perf_counter()
    reused: list[int] = []
    with progress() as update:

        def listen(event: "BuildProgress | ColumnChoice") -> None:
            if isinstance(event, ColumnChoice):
                say(_choice(event))
                if embedding is None:
                    say(HASH_NOTICE)
            elif event.stage == VECTORS_REUSED:
                reused.append(event.rows)
            else:
                expected = total_edges if event.stage == Stage.EDGES else total
                update(event.stage, event.rows, expected)

        built = build_corpus(
            sources,
            out,
            Spread(shards, engine, workers, ray_address),
            text=text,
            id=id,
            title=NO_TITLE if no_title else title,
            source=source,
            timestamp=timestamp,
            timestamp_zone=timestamp_zone,
            parent=parent,
            parents=input_files(context, parents) if parents else None,
            edges=_derived(sources, columns) if derive_edges else edge_lists or None,
            edge_columns=_parts_of_edges(edge_columns or []),
            metadata=tuple(metadata or ()),
            language=language,
            stem=stem,
            stop_words=stop_words,
            embedding="hash" if embedding is None else embedding,
            recall=recall,
            vector_index=vector_index,
            memory_budget=memory_budget,
            block_max=not no_block_max,
            overwrite=overwrite,
            progress=listen,
        )
    for line in _report(built, time.perf_counter() - started, reused):
        say(line)


def _derived(sources: "Sequence[Source]", columns: "ColumnRequest") -> "pa.RecordBatchReader":
    """Return which documents refer or link to which; they are read when the first edge is asked for.

    So a build that is refused is refused before.
    """
    import pyarrow as pa  # noqa: PLC0415

    from octavo.columns.read_batches import read_batches  # noqa: PLC0415
    from octavo.graph.in_memory_graph_store import InMemoryGraphStore  # noqa: PLC0415
    from octavo.graph.reference_edges import EDGE_SCHEMA, reference_edges  # noqa: PLC0415

    def batches() -> "Iterator[pa.RecordBatch]":
        store = InMemoryGraphStore(lambda: read_batches(sources, columns))
        yield from reference_edges(store).to_batches()

    return pa.RecordBatchReader.from_batches(EDGE_SCHEMA, batches())


def _parts_of_edges(given: list[str]) -> dict[str, str]:
    """Return the column of each part of an edge that was named."""
    pairs = [each.partition("=") for each in given]
    for (part, equals, column), each in zip(pairs, given, strict=True):
        if not (part and equals and column):
            raise typer.BadParameter(f"--edge-column: expected PART=COL, found {each!r}")
    parts = {part: column for part, _, column in pairs}
    from octavo.columns.edge_columns import EdgeColumns  # noqa: PLC0415

    with wrong_use():
        EdgeColumns.of(parts)
    return parts


def _choice(choice: "ColumnChoice") -> str:
    """Return which column plays which part."""
    parts = ("id", "text", "title", "source", "timestamp", "parent", "embedding")
    chosen = [f"{part} {name!r}" for part in parts if (name := getattr(choice, part)) is not None]
    if choice.metadata:
        chosen.append("metadata " + ", ".join(repr(name) for name in choice.metadata))
    return f"Columns: {'; '.join(chosen)}"


def _report(built: "Corpus | ShardedCorpus", seconds: float, reused: list[int]) -> list[str]:
    info = built.info()
    rate = info.documents / seconds if seconds > 0 else 0.0
    report = [
        ("index", info.path),
        ("documents", f"{info.documents:,}"),
        ("empty texts", f"{info.empty_texts:,}"),
        ("null vectors", f"{info.null_vectors:,}"),
        *model_facts(info.embedding),
        *graph_facts(info.graph),
        *(
            ("vectors reused", f"{count:,} of documents whose text was embedded")
            for count in reused
        ),
        ("size", size(info.size)),
        ("time", f"{seconds:.1f} s ({rate:,.0f} documents/s)"),
    ]
    peak = _peak_memory()
    return facts(report if peak is None else [*report, ("peak memory", size(peak))])


def _peak_memory() -> int | None:
    """Return the largest resident size of this process so far, in bytes."""
    import sys  # noqa: PLC0415

    try:
        import resource  # noqa: PLC0415 - only on POSIX
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

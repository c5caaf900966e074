"""``octavo tune``: how widely vectors are searched, chosen again for a recall target."""

from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli.info import info
from octavo.cli.options import IndexPath, MemoryBudget, Recall, Threads, VectorIndex
from octavo.cli.output import say
from octavo.cli.progress import listener, progress

if TYPE_CHECKING:
    from octavo.corpus.searchable import SearchableCorpus
    from octavo.strategies.queries import Queries


def tune(
    index: IndexPath,
    *,
    recall: Recall = 0.95,
    queries: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Queries to tune for; unset, sampled documents."),
    ] = None,
    query_text: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the queries' texts.")
    ] = None,
    query_vector: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of vectors to use in place of the texts'."),
    ] = None,
    vector_index: VectorIndex = "automatic",
    memory_budget: MemoryBudget = None,
    threads: Threads = None,
) -> None:
    """Tune vector search to a recall target, without building the index again."""
    if queries is None and (query_text or query_vector):
        raise typer.BadParameter("--query-text and --query-vector need --queries")
    from octavo.shards import open_index  # noqa: PLC0415

    corpus = open_index(index)
    asked = None if queries is None else _read(queries, query_text, query_vector, corpus)
    with progress() as update:
        corpus.tune(
            recall,
            queries=None if asked is None else asked.texts,
            query_vectors=None if asked is None else asked.vectors,
            vector_index=vector_index,
            memory_budget=memory_budget,
            threads=threads,
            progress=listener(update, len(corpus)),
        )
    say(f"Tuned {index} to a recall of {recall:g}.")
    info(index)


def _read(
    files: list[str], text: str | None, vector: str | None, corpus: "SearchableCorpus"
) -> "Queries":
    from octavo.batch.query_columns import QueryColumns, choose_query_columns  # noqa: PLC0415
    from octavo.batch.query_model import check_query_model  # noqa: PLC0415
    from octavo.batch.query_stream import QueryStream  # noqa: PLC0415
    from octavo.columns.sources import input_schema, resolve_inputs  # noqa: PLC0415

    sources = resolve_inputs(files)
    wanted = [name for name in (text, vector) if name is not None]
    columns = choose_query_columns(input_schema(sources, wanted), QueryColumns(text, None, vector))
    say(f"Columns: {columns}")
    check_query_model(sources, columns.vector, corpus)
    return QueryStream(sources, columns, corpus.dimensions).queries()

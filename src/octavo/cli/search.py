"""``octavo search``: one query, answers for people or programs."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from octavo.cli.options import (
    AsJson,
    Filters,
    IndexPath,
    MaxResults,
    MinScore,
    Strategy,
    parsed_filters,
    warn_of_unknown_keys,
)
from octavo.cli.output import counts, say, show_json
from octavo.cli.query_function import QueryEmbedding, query_function
from octavo.cli.strategy_options import with_strategy_options
from octavo.cli.values import wrong_use

if TYPE_CHECKING:
    from octavo.embeddings.vector_model import VectorModel
    from octavo.engines.report import SearchReport


def _known_drawing(path: Path | None) -> Path | None:
    from octavo.cli.drawing import drawing_file  # noqa: PLC0415

    return path if path is None else drawing_file(path)


def _without_vector(model: "VectorModel | None") -> str:
    """Say why keywords are searched, and how else."""
    if model is None:
        return "The vectors of this index came from outside, so the query has none: keyword search."
    return (
        f"The vectors of this index were made by {model}, which is loaded only if you name it: "
        f"keyword search. With --embedding {model} the query gets a vector."
    )


@with_strategy_options
def search(
    index: IndexPath,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Any text.")],
    *,
    strategy: Strategy = None,
    max_results: MaxResults = 10,
    min_score: MinScore = 0.0,
    filters: Filters = None,
    embedding: QueryEmbedding = None,
    options: Mapping[str, Any],
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show the rank and score in each stream, paths in the graph, and plans.",
        ),
    ] = False,
    draw: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=_known_drawing,
            help="Draw how the graph found the results: .svg (by Graphviz), .dot, .gv, or Mermaid "
            "in .mmd, .md.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search an index for one query."""
    admitted = parsed_filters(filters)
    from octavo.cli.found import find  # noqa: PLC0415
    from octavo.cli.hit_table import show_hits  # noqa: PLC0415
    from octavo.shards import open_index  # noqa: PLC0415
    from octavo.spi import RAGContext  # noqa: PLC0415

    corpus = open_index(index, embedding=query_function(index, embedding))
    warn_of_unknown_keys(admitted, corpus)
    if strategy is None and corpus.default_strategy != "keyword" and not corpus.embeds_queries:
        say(_without_vector(corpus.vector_model))
        strategy = "keyword"
    with wrong_use():
        chosen = corpus.strategy(strategy, **options)
    if draw is not None:
        from octavo.cli.drawing import checked_drawing  # noqa: PLC0415

        with wrong_use():
            checked_drawing(draw, chosen)
    context = RAGContext(max_results, min_score, admitted)
    hits, report = find(chosen, query, context)
    if explain or draw is not None:
        from octavo.cli.paths import with_paths  # noqa: PLC0415

        hits = with_paths(hits, chosen, query, context)
    if as_json:
        for hit in hits:
            show_json(hit.as_dict())
    elif hits:
        show_hits(hits, corpus.analyzer, query, explain=explain, terminal=sys.stdout.isatty())
    else:
        say("No document was found.")
    if draw is not None:
        from octavo.cli.drawing import draw_hits  # noqa: PLC0415

        draw_hits(draw, hits)
    if explain:
        for line in _explanation(chosen.name, report):
            say(line)


def _explanation(strategy: str, report: "SearchReport") -> list[str]:
    lines = [f"strategy: {strategy}", *(f"plan: {plan}" for plan in report.plans)]
    return [*lines, f"work: {counts(report.counters)}"] if report.counters else lines

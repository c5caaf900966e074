"""``octavo sweep``: a strategy measured at many settings."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from octavo.cli import values
from octavo.cli.options import (
    AsJson,
    Filters,
    IndexPath,
    MinScore,
    QueryId,
    QueryText,
    QueryVector,
    Strategy,
    Threads,
    parsed_filters,
    warn_of_unknown_keys,
)
from octavo.cli.output import facts, say, show, show_json
from octavo.cli.progress import progress
from octavo.cli.query_function import QueryEmbedding, query_function
from octavo.cli.sweep_options import swept_and_fixed, with_sweep_options
from octavo.cli.values import checked, wrong_use
from octavo.visible import printable

if TYPE_CHECKING:
    from octavo.corpus.searchable import SearchableCorpus
    from octavo.sweeps import Sweep, SweepPoint

_NORMAL = 1.96
"""Standard errors to each side that hold the mean of many queries in 95 of 100 cases."""


@with_sweep_options
def sweep(
    index: IndexPath,
    queries: Annotated[
        Path, typer.Argument(metavar="QUERIES", help="Queries, in any layout of octavo eval.")
    ],
    qrels: Annotated[
        Path, typer.Argument(metavar="QRELS", help="Judgements, in any layout of octavo eval.")
    ],
    *,
    strategy: Strategy = None,
    options: Mapping[str, Any],
    metric: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            callback=checked(values.sweep_metric),
            help="nDCG@10, AP@100, RR@10, R@100, P@5 or Success@1.",
        ),
    ] = "nDCG@10",
    max_results: Annotated[
        int | None,
        typer.Option("-k", min=1, metavar="N", help="Results a query; unset, as the metric needs."),
    ] = None,
    min_score: MinScore = 0.0,
    filters: Filters = None,
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Of the held-out estimate.")] = 5,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of a BEIR folder's judgements.")
    ] = None,
    query_text: QueryText = None,
    query_id: QueryId = None,
    query_vector: QueryVector = None,
    embedding: QueryEmbedding = None,
    top: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Show the N best points only.")
    ] = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Measure a strategy at every combination of some settings, searching once.

    Options that take a LIST are swept over. A line a point, the best first; what the best is worth
    on queries that did not choose it follows on stderr.
    """
    admitted = parsed_filters(filters)
    from octavo.evaluation import read_qrels, read_queries  # noqa: PLC0415
    from octavo.shards import open_index  # noqa: PLC0415
    from octavo.sweeps import sweep as swept  # noqa: PLC0415
    from octavo.sweeps.run import check_points  # noqa: PLC0415

    corpus = open_index(index, embedding=query_function(index, embedding))
    warn_of_unknown_keys(admitted, corpus)
    name = strategy or corpus.default_strategy
    over, fixed = swept_and_fixed(options, _placing(corpus, name, options.get("child")))
    with wrong_use():
        check_points(corpus, name, over, fixed)
    with progress() as update:
        found = swept(
            corpus,
            read_queries(queries, text=query_text, id=query_id, vector=query_vector),
            read_qrels(qrels, split=split),
            over=over,
            strategy=name,
            metric=metric,
            max_results=max_results,
            min_score=min_score,
            filters=admitted,
            folds=folds,
            threads=threads,
            progress=lambda done, total: update("points", done, total),
            **fixed,
        )
    points = sorted(found.points, key=lambda point: -point.value)[:top]
    if as_json:
        show_json({"points": [_as_json(found, point) for point in points], **_verdict(found)})
        return
    show("\t".join((*points[0].options, found.metric)))
    for point in points:
        texts = (printable(str(value)) for value in point.options.values())
        show("\t".join((*texts, f"{point.value:.4f}")))
    for line in _report(found):
        say(line)


def _placing(corpus: "SearchableCorpus", strategy: str, child: str | None) -> Callable[[str], str]:
    """Return what finds out whether an option is the strategy's, or that of the one inside."""
    from octavo.corpus.options import has_option  # noqa: PLC0415

    def placed(option: str) -> str:
        inner = child or corpus.default_strategy
        theirs = has_option(strategy, "child") and has_option(inner, option)
        return f"child.{option}" if theirs and not has_option(strategy, option) else option

    return placed


def _as_json(found: "Sweep", point: "SweepPoint") -> dict[str, Any]:
    return {**point.options, found.metric: point.value}


def _verdict(found: "Sweep") -> dict[str, Any]:
    return {
        "strategy": found.strategy,
        "metric": found.metric,
        "queries": len(found.query_ids),
        "best": _as_json(found, found.best),
        "held_out": found.held_out.value,
        "held_out_standard_error": found.held_out.standard_error,
        "default": found.default,
        "gain": found.gain,
        "gain_standard_error": found.gain_error,
    }


def _report(found: "Sweep") -> list[str]:
    chosen = ", ".join(f"{name}={value}" for name, value in found.best.options.items())
    folds = len(found.held_out.chosen)
    low, high = (found.gain + sign * _NORMAL * found.gain_error for sign in (-1, 1))
    report: list[tuple[str, object]] = [
        ("queries", f"{len(found.query_ids):,} judged"),
        ("points", f"{len(found.points):,} of {found.strategy}"),
        ("best", f"{chosen}: {found.metric} {found.best.value:.4f}, on the queries that chose it"),
        ("held out", f"{found.held_out.value:.4f}, on queries that did not ({folds} folds)"),
        ("defaults", f"{found.default:.4f}"),
        ("gain", f"{found.gain:+.4f} held out over defaults, 95 % of {low:+.4f} to {high:+.4f}"),
    ]
    if low <= 0.0 <= high:
        report.append(("", "These queries do not show that other settings than the defaults help."))
    return facts(report)

"""The options of strategies, shared by every command that searches.

A command takes them as one mapping, ``options``: :func:`with_strategy_options` turns that parameter
into the single options that typer shows. Which strategy takes which is the corpus's to say.
"""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from octavo.cli import values
from octavo.cli.options import known_strategy
from octavo.cli.spelled_out import spelled_out
from octavo.cli.values import checked

STRATEGY_OPTIONS: dict[str, Any] = {
    "child": Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=known_strategy,
            help="Strategy that hierarchical, temporal and multi-query start from; unset, hybrid "
            "where the index holds real vectors, else keyword.",
        ),
    ],
    "candidate_depth": Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Results of each inner stream; 100 or -k if unset."),
    ],
    "max_depth": Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Levels of hierarchical or reasoning retrieval, hops of a graph.",
        ),
    ],
    "decay": Annotated[
        float | None,
        typer.Option(
            metavar="X",
            callback=checked(values.fraction),
            help="What a hierarchical score keeps each level, a graph's each hop.",
        ),
    ],
    "graph": Annotated[
        bool | None,
        typer.Option("--graph", help="Fuse the index's graph into hybrid, as a third stream."),
    ],
    "seeds": Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=checked(values.seeds),
            help="Search that finds where the graph is entered: keyword, vector or hybrid.",
        ),
    ],
    "rrf_k": Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Constant of reciprocal rank fusion; 60 if unset."),
    ],
    "weights": Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            callback=checked(values.weights),
            help="What a vote of each stream of hybrid counts, such as keyword=1,vector=0.5; "
            "an extension, unset all count alike.",
        ),
    ],
    "half_life": Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            callback=checked(values.time_span),
            help="Of temporal freshness, such as 30d, 12h or 2w.",
        ),
    ],
    "floor": Annotated[
        float | None,
        typer.Option(
            metavar="X",
            callback=checked(values.fraction),
            help="What a temporal score keeps at any age, 0 to 1.",
        ),
    ],
    "now": Annotated[
        str | None,
        typer.Option(
            metavar="INSTANT",
            callback=checked(values.instant),
            help="Instant that ages are counted from; unset, now.",
        ),
    ],
    "expander": Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            callback=checked(values.expander),
            help="Of multi-query: table:FILE (JSON) or MODULE:ATTR.",
        ),
    ],
    "navigator": Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            callback=checked(values.navigator),
            help="Of reasoning: lexical or MODULE:ATTR.",
        ),
    ],
    "model": Annotated[
        str | None, typer.Option(metavar="NAME", help="Model of the expander or navigator.")
    ],
}


def with_strategy_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with its parameter ``options`` spelled out as single options.

    What was not given is left out of the mapping, so that the strategy's own default applies.
    """
    return spelled_out(command, "options", STRATEGY_OPTIONS, _given)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}

"""Options that several commands share."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

IndexPath = Annotated[Path, typer.Argument(metavar="INDEX", help="Directory of the index.")]
Strategy = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="keyword, vector or hybrid. Unset: hybrid where the index holds real vectors, "
        "else keyword.",
    ),
]
MaxResults = Annotated[int, typer.Option("-k", min=1, metavar="N", help="Results a query.")]
MinScore = Annotated[float, typer.Option(metavar="X", help="Lowest score returned.")]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter", metavar="KEY=VALUE", help="Exact metadata value; repeat to require several."
    ),
]
CandidateDepth = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Results of each stream that hybrid fuses."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def parsed_filters(filters: Iterable[str] | None) -> dict[str, str]:
    """Read ``KEY=VALUE`` options, split at the first ``=``.

    Raises
    ------
    typer.BadParameter
        One has no ``=``, no key or no value, or a key comes twice.

    Examples
    --------
    >>> parsed_filters(["tier=top", "formula=a=b"])
    {'tier': 'top', 'formula': 'a=b'}
    """
    parsed: dict[str, str] = {}
    for given in filters or ():
        key, separator, value = given.partition("=")
        if not separator or not key.strip() or not value.strip():
            raise typer.BadParameter(f"--filter: expected KEY=VALUE, found {given!r}")
        if key in parsed:
            raise typer.BadParameter(f"--filter: expected each key once, found {key!r} again")
        parsed[key] = value
    return parsed


def strategy_options(candidate_depth: int | None) -> dict[str, Any]:
    """Return the options of a strategy that were given."""
    return {} if candidate_depth is None else {"candidate_depth": candidate_depth}

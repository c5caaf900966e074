"""Options that several commands share."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli import values
from octavo.cli.output import say
from octavo.cli.values import checked
from octavo.errors import InvalidArgumentError

if TYPE_CHECKING:
    from octavo.corpus.searchable import SearchableCorpus

IndexPath = Annotated[Path, typer.Argument(metavar="INDEX", help="Directory of the index.")]

CorpusFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS...",
        help="Parquet, Arrow, JSON lines or CSV files, directories or globs of them, or URIs.",
    ),
]


def known_strategy(name: str | None) -> str | None:
    """Return the name of a strategy, if there is such a one.

    Raises
    ------
    typer.BadParameter
        There is none.
    """
    if name is not None and name.lower() not in STRATEGIES:
        raise typer.BadParameter(f"expected one of {', '.join(STRATEGIES)}, found {name!r}")
    return name


STRATEGIES = (
    "vector",
    "keyword",
    "hybrid",
    "graph",
    "multi-query",
    "hierarchical",
    "temporal",
    "reasoning",
)
Strategy = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        callback=known_strategy,
        help=f"{', '.join(STRATEGIES)}. Unset: hybrid where the index holds real vectors, "
        "else keyword.",
    ),
]
MaxResults = Annotated[int, typer.Option("-k", min=1, metavar="N", help="Results a query.")]
MinScore = Annotated[
    float,
    typer.Option(metavar="X", callback=checked(values.finite), help="Lowest score returned."),
]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter", metavar="KEY=VALUE", help="Exact metadata value; repeat to require several."
    ),
]


Recall = Annotated[
    float,
    typer.Option(
        metavar="R",
        callback=checked(values.recall),
        help="Share of the ten nearest that vector search shall find; 1.0 is exact search.",
    ),
]
VectorIndex = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        callback=checked(values.vector_index),
        help="automatic (exact up to 50,000 documents, inverted lists beyond), flat (exact), "
        "lists or graph.",
    ),
]
MemoryBudget = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        callback=checked(values.memory),
        help="Such as 2GiB, 512MiB at least; unset, a quarter of the memory.",
    ),
]
QueryText = Annotated[str | None, typer.Option(metavar="COL", help="Column of the queries' texts.")]
QueryId = Annotated[str | None, typer.Option(metavar="COL", help="Column of the queries' ids.")]
QueryVector = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Column of vectors to use in place of the texts'."),
]
Threads = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Unset: one for each processor.")
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


def warn_of_unknown_keys(filters: Mapping[str, str], corpus: "SearchableCorpus") -> None:
    """Say which filter keys the index does not have; such a filter matches nothing (S7)."""
    for key in unknown_keys(filters, corpus):
        say(f"No document has the key {key}, so nothing matches; {_keys(corpus)}.")


def refuse_unknown_keys(filters: Mapping[str, str], corpus: "SearchableCorpus") -> None:
    """Refuse filter keys that the index does not have, where a slip must not pass for nothing.

    Raises
    ------
    InvalidArgumentError
        The index has no such key.
    """
    for key in unknown_keys(filters, corpus):
        raise InvalidArgumentError(f"--filter: no document has the key {key}; {_keys(corpus)}")


def unknown_keys(filters: Mapping[str, str], corpus: "SearchableCorpus") -> Iterator[str]:
    """Yield the keys that the index does not have, each with the nearest one that it has."""
    for key in filters:
        if key not in corpus.filter_keys:
            near = difflib.get_close_matches(key, corpus.filter_keys, n=1)
            yield f"{key!r} (did you mean {near[0]!r}?)" if near else repr(key)


def _keys(corpus: "SearchableCorpus") -> str:
    return f"keys: {', '.join(corpus.filter_keys)}"

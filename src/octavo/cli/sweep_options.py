"""The options that a sweep goes over, each a list of values in one text."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

import typer

from octavo.cli import values
from octavo.cli.spelled_out import spelled_out
from octavo.cli.strategy_options import STRATEGY_OPTIONS
from octavo.cli.values import Check
from octavo.errors import InvalidArgumentError, checked_count


class _Kind(NamedTuple):
    """What the values of an option are: how one is read, and checked."""

    read: Callable[[str], Any]
    check: Check


def _from(least: int) -> Check:
    return lambda value: checked_count("each", value, least)


_KINDS: Mapping[str, _Kind] = {
    "candidate_depth": _Kind(int, _from(1)),
    "rrf_k": _Kind(int, _from(0)),
    "weights": _Kind(str, values.weights),
    "half_life": _Kind(str, values.time_span),
    "floor": _Kind(float, values.fraction),
    "decay": _Kind(float, values.fraction),
    "max_depth": _Kind(int, _from(0)),
    "seeds": _Kind(str, values.seeds),
    "max_expansions": _Kind(int, _from(1)),
}


def _listed(name: str, kind: _Kind, text: str) -> tuple[Any, ...]:
    """Read values between commas; weights, which have commas themselves, between semicolons."""
    option = f"--{name.replace('_', '-')}"
    pieces = [each.strip() for each in text.split(";" if name == "weights" else ",")]
    try:
        listed = tuple(kind.read(each) for each in pieces if each)
    except ValueError:
        raise typer.BadParameter(
            f"{option}: expected {kind.read.__name__} values between commas, found {text!r}"
        ) from None
    if not listed:
        raise typer.BadParameter(f"{option}: expected at least one value, found none")
    try:
        for value in listed:
            kind.check(value)
    except InvalidArgumentError as error:
        raise typer.BadParameter(f"{option}: {error}") from error
    return listed


_HELP = {
    "candidate_depth": "Results of each inner stream, such as 50,100,200.",
    "rrf_k": "Constants of reciprocal rank fusion, such as 10,60,100.",
    "weights": "Weights of streams, such as 'keyword=1,vector=0.5; keyword=1,vector=2'.",
    "half_life": "Of temporal freshness, such as 7d,30d,90d.",
    "floor": "What a temporal score keeps at any age, such as 0.5,0.8.",
    "decay": "What a score keeps each level or hop, such as 0.7,0.85.",
    "max_depth": "Levels of hierarchical or reasoning retrieval, hops of a graph: 1,2,3.",
    "seeds": "Searches that find where a graph is entered: keyword,vector,hybrid.",
    "max_expansions": "Variants of each query that multi-query asks for: 1,3,5.",
}

_FIXED = {name: option for name, option in STRATEGY_OPTIONS.items() if name not in _KINDS}
_SWEPT = {
    name: Annotated[str | None, typer.Option(metavar="LIST", help=help_)]
    for name, help_ in _HELP.items()
}


def with_sweep_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with its parameter ``options`` spelled out, those to sweep over as lists."""
    return spelled_out(command, "options", {**_FIXED, **_SWEPT}, _given)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def swept_and_fixed(
    options: Mapping[str, Any], takes: Callable[[str], str]
) -> tuple[dict[str, tuple[Any, ...]], dict[str, Any]]:
    """Return the values to sweep over, and the options that stay, by name.

    Parameters
    ----------
    options
        As given: lists as text.
    takes
        Gives the full name of an option: ``child.NAME`` where it is the inner strategy's.

    Raises
    ------
    typer.BadParameter
        A list has no value, or one that the option cannot have; or there is no list.
    """
    read = {name: partial(_listed, name, kind) for name, kind in _KINDS.items()}
    swept = {takes(name): read[name](text) for name, text in options.items() if name in read}
    fixed = {takes(name): value for name, value in options.items() if name not in read}
    if not swept:
        raise typer.BadParameter(
            "expected values for at least one option, such as --rrf-k 10,60, found none"
        )
    return swept, fixed

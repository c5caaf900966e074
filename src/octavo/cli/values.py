"""What the values of options may be: one that cannot be is wrong use (exit status 2), no failure (1).

Whoever runs a gate in CI reads the status: 1 says that quality fell or that something failed, and a
slip in the command must not look like it.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from octavo.errors import ConfigurationError, InvalidArgumentError, OctavoError

Check = Callable[[Any], object]


@contextmanager
def wrong_use(kind: type[OctavoError] = InvalidArgumentError) -> Iterator[None]:
    """Tell an error of a block as wrong use; around what depends on the command line alone.

    Raises
    ------
    typer.BadParameter
        In place of an error of that kind.
    """
    try:
        yield
    except kind as error:
        raise typer.BadParameter(str(error)) from error


def checked(check: Check) -> Callable[[Any], Any]:
    """Return the callback of an option whose values, where given, a check reads or refuses."""

    def callback(value: Any) -> Any:  # noqa: ANN401 - the option's
        given = value if isinstance(value, list) else [value]
        with wrong_use():
            for each in given:
                if each is not None:
                    check(each)
        return value

    return callback


# Each imports what it needs when it has something to check, so that `--help` imports none of it.


def finite(value: float) -> None:
    """Check a number."""
    if not math.isfinite(value):
        raise InvalidArgumentError(f"expected a finite number, found {value}")


def fraction(value: float) -> None:
    """Check a number from 0 to 1."""
    if not 0.0 <= value <= 1.0:
        raise InvalidArgumentError(f"expected a number from 0 to 1, found {value}")


def recall(value: float) -> None:
    """Check a share of neighbours to find."""
    if not 0.0 < value <= 1.0:
        raise InvalidArgumentError(f"expected a number above 0 and up to 1, found {value}")


def above_zero(value: float) -> None:
    """Check a rate."""
    if not 0.0 < value < math.inf:
        raise InvalidArgumentError(f"expected a number above 0, found {value}")


def time_span(text: str) -> None:
    """Check a duration."""
    from octavo.corpus.option_values import duration  # noqa: PLC0415

    duration("half_life", text)


def instant(text: str) -> None:
    """Check a moment with its zone."""
    from octavo.corpus.option_values import fixed_clock  # noqa: PLC0415

    fixed_clock(text)


def weights(text: str) -> None:
    """Check the weights of hybrid's streams."""
    from octavo.corpus.option_values import stream_weights  # noqa: PLC0415
    from octavo.strategies.fusion import checked_weights  # noqa: PLC0415

    given = stream_weights(text) or {}
    streams = ("keyword", "vector", "graph") if "graph" in given else ("keyword", "vector")
    checked_weights(given, streams)


def seeds(text: str) -> None:
    """Check what finds the seeds of a graph."""
    from octavo.corpus.option_values import graph_seeds  # noqa: PLC0415

    graph_seeds(text)


def expander(text: str) -> None:
    """Check the form of an expander's name; what it names is looked for later."""
    _named(text, "table:FILE or MODULE:ATTR")


def navigator(text: str) -> None:
    """Check the form of a navigator's name."""
    if text != "lexical":
        _named(text, "lexical or MODULE:ATTR")


def embedding(text: str) -> None:
    """Check the form of an embedding's name; what it names is looked for later."""
    from octavo.embeddings.specification import parse_specification  # noqa: PLC0415

    with wrong_use(ConfigurationError):
        parse_specification(text)


def language(code: str) -> None:
    """Check the code of a language."""
    from octavo.analysis.analyzer import Analyzer  # noqa: PLC0415

    with wrong_use(ConfigurationError):
        Analyzer(language=code)


def zone(name: str) -> None:
    """Check the name of a time zone."""
    from octavo.columns.timestamps import check_zone  # noqa: PLC0415

    check_zone(name)


def vector_index(kind: str) -> None:
    """Check the kind of a vector index."""
    if kind != "automatic":
        from octavo.engines.choice import requested_vector_index  # noqa: PLC0415

        requested_vector_index(1.0, kind)


def memory(size: str) -> None:
    """Check a memory budget."""
    from octavo.storage.build.memory_budget import parse_budget  # noqa: PLC0415

    parse_budget(size)


def result_format(name: str) -> None:
    """Check the name of a format of results."""
    from octavo.batch.result_format import format_of  # noqa: PLC0415

    format_of(Path(), name)


def sweep_metric(name: str) -> None:
    """Check the name of a measure of sweeps."""
    from octavo.sweeps.metric import parse_metric  # noqa: PLC0415

    parse_metric(name)


def document_id(text: str) -> None:
    """Check an id of a document."""
    if not text.strip():
        raise InvalidArgumentError("expected an id that is not blank, found a blank one")


def _named(text: str, expected: str) -> None:
    before, _, after = text.partition(":")
    if not (before and after):
        raise InvalidArgumentError(f"expected {expected}, found {text!r}")

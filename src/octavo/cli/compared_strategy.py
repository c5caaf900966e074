"""A strategy to compare with others, as one text: ``deep = hybrid --candidate-depth 500``.

After the name come the options of ``octavo search``, as one would write them there, so there is no
second way to write a value. The label is what reports and files call it.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Final, cast

import typer
from typer.main import get_command

from octavo.cli.options import known_strategy
from octavo.cli.strategy_options import with_strategy_options
from octavo.errors import shown

LONGEST_LABEL: Final = 60
"""Characters; a file is called by it."""

_NOT_IN_FILES: Final = r"""[/\\:*?"<>|]"""
_LABELLED: Final = re.compile(r"\s*(?P<label>[^=]*?)\s*=\s*(?P<rest>.*)", re.DOTALL)
# Of click, which some versions of typer carry with them.
_UsageError: Final = cast("type[Exception]", typer.BadParameter.__mro__[1])


@dataclass(frozen=True, slots=True)
class ComparedStrategy:
    """A strategy, options of its own, and what the report calls it.

    Parameters
    ----------
    strategy
        Its name.
    options
        Options that the other strategies do not share.
    label
        Told in full where none was given: ``hybrid,rrf_k=20``.
    """

    strategy: str
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or _label_of(self.strategy, self.options))


def parsed_strategy(text: str) -> ComparedStrategy:
    """Read ``NAME``, ``NAME --OPTION VALUE ...`` or ``LABEL = NAME ...``.

    Raises
    ------
    typer.BadParameter
        There is no such strategy or option, a value does not fit, or the label is none for a file.

    Examples
    --------
    >>> parsed_strategy("Keyword").label
    'keyword'
    >>> parsed_strategy("hybrid --rrf-k 20 --weights keyword=2,vector=1").label
    'hybrid,rrf_k=20,weights=keyword=2,vector=1'
    >>> parsed_strategy("deep = hybrid --candidate-depth 500")
    ComparedStrategy(strategy='hybrid', options={'candidate_depth': 500}, label='deep')
    """
    label, rest = _split(text)
    try:
        given = _command().make_context("--strategy", shlex.split(rest)).params
    except ValueError as error:  # of shlex
        raise typer.BadParameter(f"{shown(text)}: {error}") from None
    except _UsageError as error:
        message = cast("Any", error).format_message()
        raise typer.BadParameter(f"{shown(text)}: {message}") from None
    name = str(known_strategy(given.pop("name"))).lower()
    options = {option: value for option, value in given.items() if value is not None}
    return ComparedStrategy(name, options, label)


def _split(text: str) -> tuple[str, str]:
    """Return the label, empty where there is none, and the rest."""
    found = _LABELLED.fullmatch(text)
    if found is None or re.search(r"(^|\s)--", found["label"]):  # it is an option's value
        return "", text
    label = " ".join(found["label"].split())
    if not (
        0 < len(label) <= LONGEST_LABEL
        and label.isprintable()
        and not label.startswith((".", "-"))
        and not re.search(_NOT_IN_FILES, label)
    ):
        raise typer.BadParameter(
            f"expected a label of 1 to {LONGEST_LABEL} characters that a file can be called by "
            f'(no / \\ : * ? " < > |, no dot in front), found {shown(label)}'
        )
    return label, found["rest"]


def _label_of(strategy: str, options: Mapping[str, Any]) -> str:
    """Return a name that tells the options and is one for a file."""
    told = [name if value is True else f"{name}={value}" for name, value in options.items()]
    text = re.sub(rf"{_NOT_IN_FILES}|\s", "-", ",".join([strategy, *told]))
    return "".join(each if each.isprintable() else "-" for each in text)[:LONGEST_LABEL]


@cache
def _command() -> Any:  # noqa: ANN401 - a command of click's, or of typer's own
    """Return what parses the rest: a command with the options of strategies, never run."""
    app = typer.Typer(add_completion=False)

    @app.command(add_help_option=False)
    @with_strategy_options
    def strategy(
        name: Annotated[str, typer.Argument(metavar="NAME")], *, options: Mapping[str, Any]
    ) -> None: ...

    return get_command(app)

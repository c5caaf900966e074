"""What a Markdown file declares before its text: YAML between ``---``, TOML between ``+++``."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.formats.yaml_values import yaml_documents
from octavo.declarative.ingestion.limits import IngestionLimits

_FENCED: Final = re.compile(
    r"(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What is declared, and where the text begins: the offset, and how many lines come before."""

    fields: Mapping[str, object]
    end: int
    lines: int


def split_front_matter(text: str, limits: IngestionLimits) -> FrontMatter:
    r"""Return the front matter of a text, empty where it has none.

    What stands between ``---`` and is no mapping, such as a text between two rules, is text.

    Raises
    ------
    DamagedSource
        It breaks a limit, or is no TOML.

    Examples
    --------
    >>> split_front_matter("+++\ntitle = 'A'\n+++\nText", IngestionLimits())
    FrontMatter(fields={'title': 'A'}, end=20, lines=3)
    """
    match = _FENCED.match(text) if text.startswith(("---", "+++")) else None
    if match is None:
        return FrontMatter({}, 0, 0)
    end, lines = match.end(), text.count("\n", 0, match.end())
    if match[1] == "+++":
        try:
            return FrontMatter(tomllib.loads(match[2]), end, lines)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise DamagedSource(f"expected TOML between +++: {error}") from error
    try:
        documents = list(yaml_documents(match[2], limits))
    except DamagedSource:
        if re.search(r"^[\w.-]+[ \t]*:(?:[ \t]|$)", match[2], re.MULTILINE):
            raise
        return FrontMatter({}, 0, 0)
    fields = documents[0][0] if documents else {}
    if not isinstance(fields, Mapping):
        return FrontMatter({}, 0, 0)
    return FrontMatter({str(key): value for key, value in fields.items()}, end, lines)

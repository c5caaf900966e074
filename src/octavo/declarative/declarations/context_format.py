"""How one document is written into the context: a text with three known placeholders (S70)."""

import re
from typing import Final

from octavo.declarative.declarations.checks import text
from octavo.declarative.declarations.messages import did_you_mean
from octavo.errors import ConfigurationError

PLACEHOLDERS: Final = ("content", "source", "score")
# The reference says "source + content"; this is the form of its example.
DEFAULT_CONTEXT_FORMAT: Final = "[Source: ${source}]\n${content}\n\n"
PLACEHOLDER: Final = re.compile(r"\$\{([^{}]*)(\}?)")


def context_format(name: str, value: object) -> str:
    """Return a format that shows content, and in which every ``${`` begins a known placeholder.

    Raises
    ------
    ConfigurationError
        The format has another placeholder, one that is not closed, or no ``${content}``: documents
        would count as evidence that nobody sees.
    """
    found = text(name, value)
    for match in PLACEHOLDER.finditer(found):
        if not match[2]:
            raise ConfigurationError(f"{name}: the placeholder {match[0]!r} is not closed")
        if match[1] not in PLACEHOLDERS:
            known = did_you_mean(match[1], PLACEHOLDERS)
            raise ConfigurationError(f"{name}: there is no placeholder {match[0]!r}; {known}")
    if "${content}" not in found:
        raise ConfigurationError(f"{name}: expected ${{content}} in it, found {found!r}")
    return found

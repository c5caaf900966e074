"""Plain mappings, as TOML and JSON give them, with names as in Python or as in the reference."""

import re
from collections.abc import Iterable, Mapping

from octavo.declarative.declarations.messages import did_you_mean
from octavo.errors import ConfigurationError, plain_text, shown


def camel_case(name: str) -> str:
    """Return the reference's spelling of a member's name.

    Examples
    --------
    >>> camel_case("top_k"), camel_case("cache_ttl")
    ('topK', 'cacheTTL')
    """
    first, *others = name.split("_")
    return first + "".join("TTL" if each == "ttl" else each.capitalize() for each in others)


def members_from(mapping: object, known: Iterable[str]) -> dict[str, object]:
    """Return the entries of a mapping under the members' names in Python.

    ``top_k`` is the name; the reference's ``topK`` is accepted for it.

    Raises
    ------
    ConfigurationError
        It is no mapping, a key is unknown (the nearest known one is named), or a member is given in
        both spellings.
    """
    if not isinstance(mapping, Mapping):
        raise ConfigurationError(f"expected a mapping, found {shown(mapping)}")
    names = {spelling: name for name in known for spelling in (name, camel_case(name))}
    members: dict[str, object] = {}
    for key, value in mapping.items():
        found = plain_text(key)
        name = names.get(found) if found is not None else None
        if name is None:
            snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", found or "").replace("-", "_").lower()
            raise ConfigurationError(
                f"there is no member {shown(key)}; {did_you_mean(snake, names.values())}"
            )
        if name in members:
            raise ConfigurationError(f"{name}: given twice, as {name!r} and {camel_case(name)!r}")
        members[name] = value
    return members

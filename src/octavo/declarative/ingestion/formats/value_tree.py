"""A mapping as a document: what it holds directly is text, what is nested is sections."""

from collections.abc import Iterator, Mapping

from octavo.columns.schema import ID_NAMES, TITLE_NAMES
from octavo.declarative.ingestion.identifiers import SiblingNames, slug
from octavo.declarative.ingestion.metadata import value_text
from octavo.declarative.ingestion.sections import Outline, Section

_NAMES = (*TITLE_NAMES, "name", *ID_NAMES)


def value_outline(value: Mapping[str, object], text: str) -> Outline:
    r"""Return the sections of a mapping; the values that it holds directly are its metadata.

    Parameters
    ----------
    text
        The file, which a document that stays whole shows.

    Examples
    --------
    >>> outline = value_outline({"title": "Ports", "http": {"port": 80}}, "")
    >>> outline.root.text, [(each.name, each.text) for each in outline.root.children]
    ('title: Ports', [('http', 'http\nport: 80')])
    """
    root = _section(None, "", value)
    root.span = (0, len(text))
    fields = {str(key): each for key, each in value.items() if not _is_nested(each)}
    return Outline(root, fields, text)


def _section(title: str | None, name: str, value: object) -> Section:
    section = Section(title, name, "")
    names = SiblingNames()
    lines = [] if title is None else [title]
    for key, each in _members(value):
        if _is_nested(each):
            section.children.append(_section(key, names.distinct(slug(key)), each))
        elif (text := value_text(each)) is not None:
            lines.append(f"{key}: {text}")
    section.text = "\n".join(lines)
    return section


def _members(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((str(key), each) for key, each in value.items())
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield _item_name(each) or str(number), each


def _item_name(item: object) -> str | None:
    if not isinstance(item, Mapping):
        return None
    return next((text for name in _NAMES if (text := value_text(item.get(name)))), None)


def _is_nested(value: object) -> bool:
    if isinstance(value, list):
        return any(isinstance(each, list | Mapping) for each in value)
    return isinstance(value, Mapping) and bool(value)

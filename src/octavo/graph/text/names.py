"""The names of a text, found by how they are written."""

import re
from collections.abc import Iterator

from octavo.graph.text.function_words import is_function_word
from octavo.graph.text.inline_markup import InlineMarkup, read_inline_markup
from octavo.graph.text.lines import Lines
from octavo.graph.text.patterns import (
    ACRONYM,
    HIRAGANA,
    IDENTIFIER,
    JAPANESE,
    QUOTATION,
    UNSPACED,
    capitalised,
    is_inside_reference,
)
from octavo.graph.text.references import read_references
from octavo.graph.text.written_name import GAP, WrittenName
from octavo.spi import EntityKind

_LONGEST_NAME = 80  # characters
_MOST_WORDS = 6


def find_names(lines: Lines, markup: InlineMarkup) -> list[WrittenName]:
    """Return what a text names, in no promised order; linear in the text.

    Parameters
    ----------
    lines
        What its lines are.
    markup
        What the inline markup of its prose says.
    """
    found = [*_in_headings(lines), *_in_code(lines), *_in_markup(markup)]
    text = _read_quotations(read_references(markup.text, 0, found), found)
    if HIRAGANA.search(text):
        runs = JAPANESE.finditer(text)
        found += [WrittenName(*run.span(), run[0], EntityKind.NAME) for run in runs]
    text = UNSPACED.sub(lambda run: GAP * len(run[0]), text)
    for match in IDENTIFIER.finditer(text):
        found += _named(*match.span(), match[0], EntityKind.IDENTIFIER)
    found += _acronyms(text)
    found += _capitalised(text, lines.prose)
    return found


def _in_headings(lines: Lines) -> list[WrittenName]:
    found: list[WrittenName] = []
    for heading in lines.headings:
        start, title = heading.start, heading.title
        found += _named(start, start, title, EntityKind.HEADING, level=heading.level)
        read_references(title, start, found)
    return found


def _in_code(lines: Lines) -> list[WrittenName]:
    """Return the references in code: its other names are too many to tell anything."""
    found: list[WrittenName] = []
    for start, code in lines.code:
        read_references(code, start, found)
        for each in read_inline_markup(code).names:
            if each.kind is EntityKind.REFERENCE:
                found += _named(start, start, each.name, each.kind)
    return found


def _in_markup(markup: InlineMarkup) -> Iterator[WrittenName]:
    for each in markup.names:
        yield from _named(each.start, each.stop, each.name, each.kind, defines=each.defines)


def _acronyms(text: str) -> Iterator[WrittenName]:
    for match in ACRONYM.finditer(text):
        long_form = _long_form(text[max(0, match.start() - 120) : match.start()], match[1])
        if long_form:
            kind = EntityKind.DEFINITION
            yield WrittenName(*match.span(), match[1], kind, long_form=long_form)


def _read_quotations(text: str, found: list[WrittenName]) -> str:
    """Return the text with a gap for each short quotation."""

    def read(match: re.Match[str]) -> str:
        quoted = match[match.lastindex or 0]
        if len(quoted.split()) > _MOST_WORDS:
            return match[0]
        found.extend(_named(*match.span(), quoted.strip(" ,.;:!?"), EntityKind.QUOTATION))
        return GAP * len(match[0])

    return QUOTATION.sub(read, text)


def _named(
    start: int, stop: int, name: str, kind: EntityKind, *, defines: bool = False, level: int = 0
) -> Iterator[WrittenName]:
    name = " ".join(name.split()).removesuffix("()").rstrip(":")
    if (
        2 <= len(name) <= _LONGEST_NAME
        and GAP not in name
        and (kind is EntityKind.HEADING or not is_function_word(name.lower()))
        and any(map(str.isalpha, name))
    ):
        yield WrittenName(start, stop, name, kind, defines, level=level)


def _long_form(before: str, acronym: str) -> str:
    """Return the words before ``(ACRONYM)`` of which it has the initials; little words may lack."""
    words = before.split()
    left = list(acronym.lower())
    for place in range(len(words) - 1, -1, -1):
        initials = [part[:1] for part in words[place].lower().split("-")]
        if left[-len(initials) :] == initials:
            del left[-len(initials) :]
        elif left[-1:] == initials[:1]:
            del left[-1:]
        elif not is_function_word(words[place].lower()):
            return ""
        if not left:
            return " ".join(words[place:])
    return ""


def _capitalised(text: str, prose: str) -> Iterator[WrittenName]:
    """Find capitalised phrases in a text with gaps; ``prose`` is the same without."""
    ordinary: set[str] | None = None
    for match in capitalised().finditer(text):
        words = match[0].split()
        first = _begins_sentence(prose, match.start())
        while words and is_function_word(words[0].lower()):
            del words[0]
            first = False  # what follows has its capital by itself
        while words and is_function_word(words[-1].lower()):
            del words[-1]
        if first and words:
            if ordinary is None:
                ordinary = set(prose.split())
            if words[0].lower() in ordinary:
                del words[0]
                first = False
        if not words or len(words) > _MOST_WORDS or is_inside_reference(words):
            continue
        name = " ".join(words).removesuffix("'s").removesuffix("\u2019s")
        if 2 <= len(name) <= _LONGEST_NAME:
            certain = not first or len(words) > 1
            yield WrittenName(match.start(), match.end(), name, EntityKind.NAME, certain=certain)


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 40) : start]
    words = before.rstrip()
    line_ends = before.count("\n", len(words))
    words = words.rstrip("\"'“‘«„([*_ ")
    return not words or line_ends > 1 or words[-1] in ".!?…:。•|-–—>"

"""Entities and relations from the text itself: deterministic, without a model (S82)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from octavo.graph.inline_markup import GAP, InlineMarkup, read_inline_markup
from octavo.graph.name_patterns import (
    ACRONYM,
    CLAUSE,
    DEFINES,
    HIRAGANA,
    IDENTIFIER,
    ITEM,
    JAPANESE,
    NUMBERS,
    QUOTATION,
    SERIES,
    SERIES_NAME,
    capitalised,
    is_function_word,
    is_inside_reference,
)
from octavo.graph.relations import (
    HAS_SECTION,
    IS_ABBREVIATED,
    LINKS_TO,
    REFERS_TO,
    SPEAKS_OF,
    STANDS_FOR,
)
from octavo.graph.sentences import sentence_ends, shown_sentence
from octavo.graph.text_lines import Lines, read_lines
from octavo.spi import EntityKind, EntityMention, EntityRelation

_LONGEST_NAME = 80  # characters
_MOST_WORDS = 6
_SPOKEN_OF = 8  # entities of a section that its heading is linked to


class TextExtractor:
    """Finds what a text names by how it is written.

    Entities are headings, link texts, code, bold terms, quotations, explicit references (``PEP 8``,
    ``issue #12``, ``§ 5``), identifiers (``snake_case``, ``CamelCase``, ``dotted.names``), acronyms
    with their long forms, and capitalised phrases; in Japanese also words in Katakana or Han.
    Relations are references and links (from the document), sections (from a heading to those below
    it) and what a section speaks of first (from its heading). Linear in the text; code blocks are
    left out.

    Examples
    --------
    >>> found = TextExtractor().extract("The Auth Service follows RFC 6749.")
    >>> [each.name for each in found if isinstance(each, EntityMention)]
    ['Auth Service', 'RFC 6749']
    """

    def extract(self, text: str) -> Iterator[EntityMention | EntityRelation]:
        """Return what the text speaks of, in the order of the text; relations come last."""
        lines = read_lines(text)
        markup = read_inline_markup(lines.prose)
        found = sorted(_found(lines, markup), key=lambda each: each.start)
        relations: list[EntityRelation] = []
        sections = _Sections(relations)
        ends = sentence_ends(markup.text)
        start, end, sentence = 0, next(ends), ""
        for each in found:
            if each.start >= end:
                while each.start >= end:
                    start, end = end, next(ends, len(text) + 1)
                sentence = ""
            if not sentence:
                # Headings are blank in what was read, and are no part of the sentence beside them.
                read = markup.text[start:end]
                first = start + len(read) - len(read.lstrip())
                sentence = shown_sentence(text[first : start + len(read.rstrip())])
            sections.move_to(each)
            if each.kind is EntityKind.HEADING:
                yield EntityMention(each.name, each.kind)
                continue
            before = markup.text[start : each.start].strip(" *_\n-#").lower()
            defines = each.defines or (
                (not before or is_function_word(before))
                and DEFINES.match(markup.text, each.stop, end) is not None
            )
            yield EntityMention(each.name, each.kind, sentence, defines, each.certain)
            if each.kind is EntityKind.REFERENCE:
                relations.append(EntityRelation(None, REFERS_TO, each.name))
            if each.long_form:
                yield EntityMention(each.long_form, EntityKind.DEFINITION, sentence)
                relations.append(EntityRelation(each.name, STANDS_FOR, each.long_form))
                relations.append(EntityRelation(each.long_form, IS_ABBREVIATED, each.name))
        relations += [EntityRelation(None, LINKS_TO, target) for target in markup.links]
        yield from dict.fromkeys(relations)


class _Found(NamedTuple):
    start: int
    stop: int
    name: str
    kind: EntityKind
    defines: bool = False
    certain: bool = True
    long_form: str = ""
    level: int = 0


class _Sections:
    """Where the reading stands among the headings, and what is related by that."""

    def __init__(self, relations: list[EntityRelation]) -> None:
        self._relations = relations
        self._open: list[tuple[int, str]] = []
        self._spoken_of: dict[str, None] = {}

    def move_to(self, found: _Found) -> None:
        above = self._open[-1][1] if self._open else None
        if found.kind is EntityKind.HEADING:
            while self._open and self._open[-1][0] >= found.level:
                self._open.pop()
            above = self._open[-1][1] if self._open else None
            self._open.append((found.level, found.name))
            self._spoken_of = {}
            self._relations.append(EntityRelation(above, HAS_SECTION, found.name))
        elif found.certain and found.name not in self._spoken_of:
            if len(self._spoken_of) < _SPOKEN_OF:
                self._spoken_of[found.name] = None
                self._relations.append(EntityRelation(above, SPEAKS_OF, found.name))


def _found(lines: Lines, markup: InlineMarkup) -> list[_Found]:
    found: list[_Found] = []
    for heading in lines.headings:
        start, title = heading.start, heading.title
        found += _named(start, start, title, EntityKind.HEADING, level=heading.level)
        _read_references(title, start, found)
    for start, code in lines.code:
        _read_references(code, start, found)
        for each in read_inline_markup(code).names:
            if each.kind is EntityKind.REFERENCE:
                found += _named(start, start, each.name, each.kind)
    for each in markup.names:
        found += _named(each.start, each.stop, each.name, each.kind, defines=each.defines)
    text = _read_quotations(_read_references(markup.text, 0, found), found)
    for match in IDENTIFIER.finditer(text):
        found += _named(*match.span(), match[0], EntityKind.IDENTIFIER)
    for match in ACRONYM.finditer(text):
        long_form = _long_form(text[max(0, match.start() - 120) : match.start()], match[1])
        if long_form:
            kind = EntityKind.DEFINITION
            found.append(_Found(*match.span(), match[1], kind, long_form=long_form))
    if HIRAGANA.search(text):
        for match in JAPANESE.finditer(text):
            found.append(_Found(*match.span(), match[0], EntityKind.NAME))
    found += _capitalised(text, lines.prose)
    return found


def _read_references(text: str, start: int, found: list[_Found]) -> str:
    """Return the text with a gap for each reference."""

    def read(match: re.Match[str]) -> str:
        names = _reference_names(match)
        first, last = match.span()
        kind = EntityKind.REFERENCE
        found.extend(_Found(start + first, start + last, name, kind) for name in names)
        return GAP * len(match[0]) if names else match[0]

    return CLAUSE.sub(read, ITEM.sub(read, SERIES.sub(read, text)))


def _reference_names(match: re.Match[str]) -> list[str]:
    """Return the names of what is referred to, written in one way."""
    if match.re is CLAUSE:
        return [" ".join(match[0].split())]
    number = match["number"]
    if match.re is ITEM:
        tracker = match[0][: match.start("number") - match.start()].rstrip(" \u00a0#-")
        return [f"{tracker.lower()} #{int(number)}"]
    series = SERIES_NAME.match(match[0])[0]  # type: ignore[index]  # the pattern begins with it
    if is_function_word(series.lower()):
        return []
    if number is None:
        return [f"{series} {int(each)}" for each in NUMBERS.findall(match["numbers"])]
    return [f"{series} {int(number) if number.isdecimal() else number}"]


def _read_quotations(text: str, found: list[_Found]) -> str:
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
) -> Iterator[_Found]:
    name = " ".join(name.split()).removesuffix("()").rstrip(":")
    if (
        2 <= len(name) <= _LONGEST_NAME
        and GAP not in name
        and not is_function_word(name.lower())
        and any(map(str.isalpha, name))
    ):
        yield _Found(start, stop, name, kind, defines, level=level)


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


def _capitalised(text: str, prose: str) -> Iterator[_Found]:
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
        name = " ".join(words).removesuffix("'s").removesuffix("’s")
        if 2 <= len(name) <= _LONGEST_NAME:
            certain = not first or len(words) > 1
            yield _Found(match.start(), match.end(), name, EntityKind.NAME, certain=certain)


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 40) : start]
    words = before.rstrip()
    line_ends = before.count("\n", len(words))
    words = words.rstrip("\"'“‘«„([*_ ")
    return not words or line_ends > 1 or words[-1] in ".!?…:。•|-–—>"

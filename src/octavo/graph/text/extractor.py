"""Entities and relations from the text itself: deterministic, without a model (S82)."""

from collections.abc import Iterator

from octavo.graph.text.function_words import is_function_word
from octavo.graph.text.inline_markup import read_inline_markup
from octavo.graph.text.lines import read_lines
from octavo.graph.text.names import find_names
from octavo.graph.text.patterns import DEFINES
from octavo.graph.text.relations import (
    HAS_SECTION,
    IS_ABBREVIATED,
    LINKS_TO,
    REFERS_TO,
    SPEAKS_OF,
    STANDS_FOR,
)
from octavo.graph.text.sentences import sentence_ends, shown_sentence
from octavo.graph.text.written_name import WrittenName
from octavo.spi import EntityKind, EntityMention, EntityRelation

_LONGEST_LEAD = 40  # characters before a name that is still at the beginning
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
        found = sorted(find_names(lines, markup), key=lambda each: each.start)
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
            defines = each.defines or _defines(markup.text, start, each, end)
            yield EntityMention(each.name, each.kind, sentence, defines, each.certain)
            if each.kind is EntityKind.REFERENCE:
                relations.append(EntityRelation(None, REFERS_TO, each.name))
            if each.long_form:
                yield EntityMention(each.long_form, EntityKind.DEFINITION, sentence)
                relations.append(EntityRelation(each.name, STANDS_FOR, each.long_form))
                relations.append(EntityRelation(each.long_form, IS_ABBREVIATED, each.name))
        relations += [EntityRelation(None, LINKS_TO, target) for target in markup.links]
        yield from dict.fromkeys(relations)


def _defines(text: str, start: int, name: WrittenName, end: int) -> bool:
    """Whether a sentence begins with the name, and goes on to say what it is."""
    if name.start - start > _LONGEST_LEAD:
        return False
    before = text[start : name.start].strip(" *_\n-#").lower()
    return (not before or is_function_word(before)) and bool(DEFINES.match(text, name.stop, end))


class _Sections:
    """Where the reading stands among the headings, and what is related by that."""

    def __init__(self, relations: list[EntityRelation]) -> None:
        self._relations = relations
        self._open: list[tuple[int, str]] = []
        self._spoken_of: dict[str, None] = {}

    def move_to(self, found: WrittenName) -> None:
        """Go on to the next name, and note what relates it to its heading."""
        above = self._open[-1][1] if self._open else None
        if found.kind is EntityKind.HEADING:
            while self._open and self._open[-1][0] >= found.level:
                self._open.pop()
            above = self._open[-1][1] if self._open else None
            self._open.append((found.level, found.name))
            self._spoken_of = {}
            self._relations.append(EntityRelation(above, HAS_SECTION, found.name))
        elif found.certain and len(self._spoken_of) < _SPOKEN_OF:
            self._spoken_of[found.name] = None
            self._relations.append(EntityRelation(above, SPEAKS_OF, found.name))

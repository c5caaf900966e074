"""What extractors found in all chunks, as columns."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from octavo.errors import ExecutionError, OctavoError, shown, told
from octavo.graph.entities.chunks import Chunk, encodable_text, link_names
from octavo.graph.entities.known_names import KnownNames, is_uncased_name
from octavo.graph.identity import identity_key
from octavo.graph.text.sentences import shown_sentence
from octavo.spi import EntityExtractor, EntityKind, EntityMention, EntityRelation

KINDS = tuple(EntityKind)
_KIND_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
DOCUMENT = -1
"""Stands for the name of the chunk's own document."""


@dataclass(slots=True)
class EntityRecords:
    """Mentions and relations, one column a field; names, sentences and relations are numbers."""

    names: dict[str, int] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    relations: dict[str, int] = field(default_factory=dict)
    # A link may stand for several names: the likeliest one that is a document is the right one.
    choices: dict[tuple[int, ...], int] = field(default_factory=dict)

    mention_name: "array[int]" = field(default_factory=lambda: array("q"))
    mention_chunk: "array[int]" = field(default_factory=lambda: array("q"))
    mention_sentence: "array[int]" = field(default_factory=lambda: array("q"))
    mention_kind: "array[int]" = field(default_factory=lambda: array("b"))
    mention_defines: "array[int]" = field(default_factory=lambda: array("b"))
    mention_certain: "array[int]" = field(default_factory=lambda: array("b"))

    relation_source: "array[int]" = field(default_factory=lambda: array("q"))
    relation_name: "array[int]" = field(default_factory=lambda: array("q"))
    relation_target: "array[int]" = field(default_factory=lambda: array("q"))
    relation_chunk: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, number: int, chunk: Chunk, extractor: EntityExtractor) -> None:
        """Extract from one chunk.

        Raises
        ------
        ExecutionError
            The extractor raised something that is no OctavoError, or gave something else than the
            protocol says.
        """
        where = f"extractor, document {chunk.id!r}"
        try:
            found = extractor.extract(chunk.content)
            found = list(found) if isinstance(found, Iterable) else found
        except OctavoError:
            raise
        except Exception as error:
            raise ExecutionError(f"{where}: raised {told(error)}") from error
        if not isinstance(found, list):
            raise ExecutionError(f"{where}: expected a sequence, found {shown(found)}")
        last_sentence = ""
        for each in found:
            if isinstance(each, EntityMention):
                _check_mention(each, where)
                if each.sentence and each.sentence != last_sentence:
                    self.sentences.append(encodable_text(each.sentence))
                last_sentence = each.sentence
                self._mention(number, each)
            elif isinstance(each, EntityRelation):
                _check_relation(each, where)
                self._relation(number, chunk, each)
            else:
                raise ExecutionError(
                    f"{where}: expected an EntityMention or an EntityRelation, found {shown(each)}"
                )

    def add_known(self, chunks: Sequence[Chunk], titles: Sequence[str]) -> None:
        """Find in all chunks the names in scripts without capitals that are known by now.

        There a heading, a title or quotation marks tell what is a name, and running text does not.

        Parameters
        ----------
        chunks
            All documents.
        titles
            The name of each.
        """
        known: dict[str, int] = {}
        kinds = zip(list(self.names), self._kinds(), strict=True)
        for name, kind in [*kinds, *((title, EntityKind.DOCUMENT) for title in titles)]:
            key = "" if name.isascii() else identity_key(name)
            if is_uncased_name(key, kind):
                known.setdefault(key, self._number(name))
        if not known:
            return
        numbers = {
            (chunk, self.sentences[sentence]): sentence
            for chunk, sentence in zip(self.mention_chunk, self.mention_sentence, strict=True)
            if sentence >= 0
        }
        names = KnownNames(known)
        for number, chunk in enumerate(chunks):
            for sentence, keys in names.sentences(chunk.content):
                shown = shown_sentence(sentence)
                place = numbers.get((number, shown))
                if place is None:
                    place = len(self.sentences)
                    self.sentences.append(shown)
                for key in dict.fromkeys(keys):
                    self._append(number, EntityMention(""), known[key], place)

    def _mention(self, chunk: int, mention: EntityMention) -> None:
        sentence = len(self.sentences) - 1 if mention.sentence else -1
        self._append(chunk, mention, self._number(mention.name), sentence)

    def _kinds(self) -> list[EntityKind]:
        """Return of what kind each name is first mentioned; one that is a mere target, a link."""
        kinds = [EntityKind.LINK] * len(self.names)
        for name, kind in zip(
            reversed(self.mention_name), reversed(self.mention_kind), strict=True
        ):
            kinds[name] = KINDS[kind]
        return kinds

    def _append(self, chunk: int, mention: EntityMention, name: int, sentence: int) -> None:
        self.mention_name.append(name)
        self.mention_chunk.append(chunk)
        self.mention_sentence.append(sentence)
        self.mention_kind.append(_KIND_NUMBERS[mention.kind])
        self.mention_defines.append(bool(mention.defines))
        self.mention_certain.append(bool(mention.certain))

    def _relation(self, number: int, chunk: Chunk, relation: EntityRelation) -> None:
        source = DOCUMENT if relation.source is None else self._number(relation.source)
        choice = tuple(map(self._number, link_names(relation.target, chunk.place)))
        self.relation_source.append(source)
        self.relation_name.append(self.relations.setdefault(relation.relation, len(self.relations)))
        self.relation_target.append(self.choices.setdefault(choice, len(self.choices)))
        self.relation_chunk.append(number)

    def _number(self, name: str) -> int:
        return self.names.setdefault(encodable_text(name), len(self.names))


def _check_mention(mention: EntityMention, where: str) -> None:
    for name, value in (("name", mention.name), ("sentence", mention.sentence)):
        if not isinstance(value, str):
            raise ExecutionError(f"{where}: {name}: expected a string, found {shown(value)}")
    if not isinstance(mention.kind, EntityKind):
        raise ExecutionError(f"{where}: kind: expected an EntityKind, found {shown(mention.kind)}")


def _check_relation(relation: EntityRelation, where: str) -> None:
    if relation.source is not None and not isinstance(relation.source, str):
        raise ExecutionError(
            f"{where}: source: expected a string or None, found {shown(relation.source)}"
        )
    for name, value in (("relation", relation.relation), ("target", relation.target)):
        if not isinstance(value, str) or not value.strip():
            raise ExecutionError(
                f"{where}: {name}: expected a non-blank string, found {shown(value)}"
            )

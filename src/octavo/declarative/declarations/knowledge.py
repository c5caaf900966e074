"""A source of knowledge as a role or agent declares it, and as an action names it."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, ClassVar, cast

from octavo.declarative.declarations import enums
from octavo.declarative.declarations.checks import (
    count,
    flag,
    identifier,
    instance_of,
    location,
    one_of,
    pairs,
    text,
    texts,
)
from octavo.declarative.declarations.enums import (
    KnowledgeFormat,
    KnowledgeType,
    KnowledgeUnit,
    KnowledgeUse,
)
from octavo.declarative.declarations.kinds import check_kind
from octavo.declarative.declarations.mappings import members_from
from octavo.declarative.declarations.members import CHECK, member, represented, settle
from octavo.declarative.declarations.messages import naming
from octavo.declarative.declarations.search import Search
from octavo.declarative.declarations.unset import UNSET
from octavo.errors import ConfigurationError, shown


@dataclass(frozen=True, slots=True, repr=False)
class Knowledge:
    """One source: where its documents are, how they are cut, and how they ground (S61).

    Declared once, on a role or an agent. An action's entry names the source and may give only
    ``use``, ``max_tokens`` and ``search``. The name of an enumeration's member, in any case, stands
    for the member.

    Parameters
    ----------
    name
        What actions call the source; exact and case-sensitive.
    type
        FILE and URL have bundled loaders, DATABASE needs an application's, MEMORY is a corpus that
        the application gives to a chat, GRAPH is a handle of a graph store.
    format
        How files are read; AUTO finds out for each file, all others are strict.
    path
        File, directory or URL; a relative path is taken from the working directory.
    connection, query
        For the loader of a DATABASE.
    enabled
        A source that is not is never loaded and cannot be named.
    include, exclude
        Patterns of FILE paths that are read, and that are not.
    select
        ``key=value`` pairs that records or sections must match to be kept; a mapping is accepted.
    unit
        What a chunk is.
    chunk_context
        What stands before a chunk's searchable text.
    chunk_context_model
        The application's model for the chunk context MODEL.
    use
        Whether the source is searched, given whole, or given piece after piece.
    max_tokens
        The most tokens that the source gives, at least 1; ``None``: no bound of its own.
    search
        How it is searched, where ``use`` is SEARCH.
    given
        Names of the members that were given. Not for callers: :func:`dataclasses.replace` passes it
        on, so that a copy knows; ``UNSET`` for a member takes it back.

    Raises
    ------
    ConfigurationError
        A member has a value that it cannot have, or one that its type of source cannot have.

    Examples
    --------
    >>> manual = Knowledge("manual", path="docs", search=Search(top_k=8))
    >>> manual
    Knowledge(name='manual', path='docs', search=Search(top_k=8))
    >>> manual.type.name, sorted(manual.given)
    ('FILE', ['name', 'path', 'search'])
    """

    Type: ClassVar = KnowledgeType
    Format: ClassVar = KnowledgeFormat
    Use: ClassVar = KnowledgeUse
    Unit: ClassVar = KnowledgeUnit
    ChunkContext: ClassVar = enums.ChunkContext

    name: str = field(metadata={CHECK: identifier})
    _: KW_ONLY
    type: KnowledgeType = member(KnowledgeType.FILE, one_of(KnowledgeType))
    format: KnowledgeFormat = member(KnowledgeFormat.AUTO, one_of(KnowledgeFormat))
    path: str = member("", location)
    connection: str = member("", text)
    query: str = member("", text)
    enabled: bool = member(True, flag)  # noqa: FBT003 - the default
    include: Sequence[str] = member((), texts)
    exclude: Sequence[str] = member((), texts)
    select: Sequence[str] = member((), pairs)
    unit: KnowledgeUnit = member(KnowledgeUnit.AUTO, one_of(KnowledgeUnit))
    chunk_context: enums.ChunkContext = member(enums.ChunkContext.NONE, one_of(enums.ChunkContext))
    chunk_context_model: str = member("", identifier)
    use: KnowledgeUse = member(KnowledgeUse.SEARCH, one_of(KnowledgeUse))
    max_tokens: int | None = member(None, count(1))
    search: Search = member(Search(), instance_of(Search))
    given: frozenset[str] = field(default=cast("frozenset[str]", UNSET))  # set below

    def __post_init__(self) -> None:
        with naming(f"Knowledge {shown(self.name)}"):
            object.__setattr__(self, "given", settle(self, self.given))
            check_kind(self)

    @property
    def selection(self) -> tuple[tuple[str, str], ...]:
        """The pairs of ``select``: keys and the values they must have."""
        split = (each.partition("=") for each in self.select)
        return tuple((key.strip(), value.strip()) for key, _, value in split)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Knowledge":
        """Return the source that a plain mapping describes, as TOML or JSON gives it.

        Raises
        ------
        ConfigurationError
            A key is unknown, a value is not possible, or the name is missing.

        Examples
        --------
        >>> Knowledge.from_mapping({"name": "manual", "maxTokens": 500, "search": {"topK": 8}})
        Knowledge(name='manual', max_tokens=500, search=Search(top_k=8))
        """
        where = f"Knowledge {shown(mapping['name'])}" if _names(mapping) else "Knowledge"
        with naming(where):
            members = members_from(
                mapping, (each.name for each in fields(cls) if each.name != "given")
            )
            if isinstance(members.get("search"), Mapping):
                members["search"] = Search.from_mapping(members["search"])  # type: ignore[arg-type]
            if "name" not in members:
                raise ConfigurationError("name: expected a name, found none")
        return cls(**members)  # type: ignore[arg-type]  # they are checked when they are set

    def __repr__(self) -> str:
        return represented(self, self.given)


def _names(mapping: object) -> bool:
    return isinstance(mapping, Mapping) and "name" in mapping

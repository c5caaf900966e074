"""What an agent is: a specification that also grounds its chat (S60, S72, S76)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from octavo.declarative.declarations.class_specs import ClassSpec
from octavo.declarative.declarations.entries import entries_from
from octavo.declarative.declarations.enums import SearchStrategy
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.mappings import members_from
from octavo.declarative.declarations.messages import naming
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.declarations.scopes import chat_scope
from octavo.declarative.declarations.search import Search
from octavo.declarative.declarations.write_back import WriteBack
from octavo.errors import ConfigurationError, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec(ClassSpec):
    """What an agent is; applied to the class as a decorator. Its knowledge also grounds chat.

    Parameters
    ----------
    write_back
        Bounds of what the application may write back into the chat, which its KEYWORD search then
        finds; ``None``: nothing can be.
    """

    write_back: WriteBack | None = None

    def __post_init__(self) -> None:
        ClassSpec.__post_init__(self)
        if self.write_back is not None and not isinstance(self.write_back, WriteBack):
            raise ConfigurationError(
                f"write_back: expected a WriteBack, found {shown(self.write_back)}"
            )

    def check(self, cls: type) -> None:
        """Refuse what cannot work whatever roles the agent has.

        Raises
        ------
        ConfigurationError
            Naming the source and the member.
        """
        ClassSpec.check(self, cls)
        found = chat_scope(self.knowledge).search
        if found is not None:
            with naming(f"{cls.__name__}: chat: search"):
                ResolvedSearch.of(found)
        if self.write_back is not None:
            with naming(f"{cls.__name__}: write_back"):
                _check_write_back(found, self.knowledge)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Self:
        """Return the agent that a plain mapping describes, as TOML or JSON gives it.

        Raises
        ------
        ConfigurationError
            A key is unknown, or a value is not possible.
        """
        members = entries_from(members_from(mapping, (each.name for each in fields(cls))))
        if isinstance(members.get("write_back"), Mapping):
            members["write_back"] = WriteBack.from_mapping(members["write_back"])
        return cls(**members)


def agent_spec(
    *,
    name: str | None = None,
    description: str = "",
    knowledge: Knowledge | Sequence[Knowledge] = (),
    write_back: WriteBack | None = None,
) -> AgentSpec:
    """Return a decorator that declares an agent; parameters and errors as of :func:`role_spec`.

    What it declares can be named by the actions of its roles, and grounds its chat where it is used
    by SEARCH or DIRECT. With ``write_back`` the application may write further texts into the chat.

    Examples
    --------
    >>> @agent_spec(description="Support", knowledge=Knowledge("support-docs", path="support"))
    ... class SupportAgent: ...
    """
    return AgentSpec(
        name=name,
        description=description,
        knowledge=knowledge,  # type: ignore[arg-type]
        write_back=write_back,
    )


def _check_write_back(search: Search | None, sources: Sequence[Knowledge]) -> None:
    # What is written back joins KEYWORD searches only: elsewhere it would never be found.
    strategy = None if search is None else ResolvedSearch.of(search).strategy
    if strategy is not SearchStrategy.KEYWORD:
        found = "no source that is searched" if strategy is None else f"the strategy {strategy}"
        raise ConfigurationError(f"expected a chat that is searched by KEYWORD, found {found}")
    if any(each.name == WriteBack.SOURCE for each in sources):
        raise ConfigurationError(
            f"the source {WriteBack.SOURCE!r} needs another name: what is written back has it"
        )

"""The specification of an action: who carries it out, and what grounds it (S60, S75)."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

from octavo.declarative.declarations.checks import one_of, text
from octavo.declarative.declarations.entries import checked_entries, entries_from
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.mappings import members_from
from octavo.declarative.declarations.messages import naming
from octavo.declarative.declarations.scopes import check_names
from octavo.errors import ConfigurationError, shown

ActionT = TypeVar("ActionT", bound=Callable[..., object])

ACTION: Final = "__octavo_action__"
_GROUNDED = (ActionType.LLM, ActionType.LOCAL)
_OVERRIDES = ("use", "max_tokens", "search")


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSpec:
    """What a method is as an action; applied to the method as a decorator.

    Parameters
    ----------
    type
        Who carries it out.
    description
        What it does; begins the prompt of an LLM action.
    knowledge
        The sources that ground it, by name; an entry may give ``use``, ``max_tokens`` and
        ``search``.
    """

    type: ActionType
    description: str = ""
    knowledge: Sequence[Knowledge] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", one_of(ActionType)("type", self.type))
        object.__setattr__(self, "description", text("description", self.description))
        object.__setattr__(self, "knowledge", checked_entries(self.knowledge))

    def __call__(self, function: ActionT) -> ActionT:
        """Make a method an action.

        Raises
        ------
        ConfigurationError
            The entries are not possible, or the class body already has an action of this name.
        """
        method = getattr(function, "__func__", function)  # of a static or class method
        if not callable(method):
            raise ConfigurationError(f"action_spec: expected a method, found {shown(function)}")
        name = getattr(method, "__name__", type(method).__name__)
        with naming(getattr(method, "__qualname__", name).rpartition("<locals>.")[2]):
            body = sys._getframe(1).f_locals  # noqa: SLF001 - only here an earlier one still exists
            earlier = action_of(body.get(name)) if "__qualname__" in body else None
            if action_of(method) is not None or earlier is not None:
                raise ConfigurationError(f"the action {name!r} is declared twice")
            self.check()
        try:
            setattr(method, ACTION, self)
        except (AttributeError, TypeError):  # what is written in C
            raise ConfigurationError(
                f"action_spec: expected a method, found {shown(function)}"
            ) from None
        return function

    def check(self) -> None:
        """Refuse entries that no declaration can make possible.

        Raises
        ------
        ConfigurationError
            An action of this type has no knowledge, a source is named twice, or an entry gives what
            belongs to the declaration.
        """
        if self.knowledge and self.type not in _GROUNDED:
            raise ConfigurationError(
                f"knowledge: valid on LLM and LOCAL actions, found type {self.type}"
            )
        check_names(self.knowledge)
        for entry in self.knowledge:
            others = sorted(entry.given.difference({"name", *_OVERRIDES}))
            if others:
                raise ConfigurationError(
                    f"knowledge {entry.name!r}: {others[0]}: belongs to the declaration of the "
                    f"source; an action's entry gives only {', '.join(_OVERRIDES)}"
                )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "ActionSpec":
        """Return the specification that a plain mapping holds, as TOML or JSON gives it.

        Raises
        ------
        ConfigurationError
            A key is unknown, or a value is not possible.
        """
        members = members_from(mapping, (each.name for each in fields(cls)))
        if "type" not in members:
            raise ConfigurationError("type: expected an ActionType, found none")
        return cls(**entries_from(members))


def action_spec(
    *,
    type: ActionType,  # noqa: A002 - the reference's name
    description: str = "",
    knowledge: Knowledge | Sequence[Knowledge] = (),
) -> ActionSpec:
    """Return a decorator that makes a method of a role an action.

    Parameters
    ----------
    type
        Who carries it out.
    description
        What it does; begins the prompt of an LLM action.
    knowledge
        One entry, or several: each names a source and may give ``use``, ``max_tokens``, ``search``.

    Raises
    ------
    ConfigurationError
        Where it is applied, naming class, action and member.

    Examples
    --------
    >>> class Researcher:
    ...     @action_spec(type=ActionType.LLM, knowledge=Knowledge("research-corpus"))
    ...     def answer(self, question: str) -> str:
    ...         return question
    """
    return ActionSpec(type=type, description=description, knowledge=knowledge)  # type: ignore[arg-type]


def action_of(attribute: object) -> ActionSpec | None:
    """Return the specification of a method as it stands in its class, ``None`` without one."""
    method = getattr(attribute, "__func__", attribute)
    found = getattr(method, "__dict__", {}).get(ACTION)
    return found if isinstance(found, ActionSpec) else None

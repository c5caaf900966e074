"""The specifications of roles and agents: what they are called, and what they know (S60)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self, TypeVar

from octavo.declarative.declarations.action_specs import ActionSpec, action_of
from octavo.declarative.declarations.checks import identifier, text
from octavo.declarative.declarations.entries import checked_entries, entries_from
from octavo.declarative.declarations.enums import KnowledgeType
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.mappings import members_from
from octavo.declarative.declarations.messages import did_you_mean, naming
from octavo.declarative.declarations.parameters import check_query_param
from octavo.declarative.declarations.read_only import ReadOnlyMapping
from octavo.declarative.declarations.scopes import ClassScope, action_scope
from octavo.errors import ConfigurationError, shown

ClassT = TypeVar("ClassT", bound=type)

SPEC: Final = "__octavo_spec__"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSpec:
    """What a role and an agent have in common; applied to the class as a decorator.

    A subclass inherits it, and may be given one of its own, which replaces it.

    Parameters
    ----------
    name
        What it is called; ``None``: as its class.
    description
        What it is for.
    knowledge
        The sources it declares.
    """

    name: str | None = None
    description: str = ""
    knowledge: Sequence[Knowledge] = ()

    def __post_init__(self) -> None:
        if self.name is not None:
            object.__setattr__(self, "name", identifier("name", self.name))
        object.__setattr__(self, "description", text("description", self.description))
        object.__setattr__(self, "knowledge", checked_entries(self.knowledge))

    def __call__(self, cls: ClassT) -> ClassT:
        """Declare this of a class.

        Raises
        ------
        ConfigurationError
            The class is declared already, or what is declared cannot work.
        """
        if not isinstance(cls, type):
            raise ConfigurationError(f"expected a class, found {shown(cls)}")
        with naming(cls.__name__):
            if SPEC in vars(cls):
                raise ConfigurationError("the class is declared twice")
        self.check(cls)
        try:
            setattr(cls, SPEC, self)
        except TypeError:  # one of the interpreter's own
            raise ConfigurationError(f"expected a class of Python, found {shown(cls)}") from None
        return cls

    def check(self, cls: type) -> None:
        """Refuse what cannot work whatever the class is bound with.

        Raises
        ------
        ConfigurationError
            Naming the source and the member.
        """
        with naming(cls.__name__):
            ClassScope(tuple(self.knowledge))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Self:
        """Return the specification that a plain mapping holds, as TOML or JSON gives it.

        Raises
        ------
        ConfigurationError
            A key is unknown, or a value is not possible.
        """
        members = members_from(mapping, (each.name for each in fields(cls)))
        return cls(**entries_from(members))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSpec(ClassSpec):
    """What a role is; applied to the class as a decorator.

    Parameters
    ----------
    actions
        Specifications of its methods by name, where the methods have none of their own: so a whole
        role can be written in a file.

    Examples
    --------
    >>> settings = {
    ...     "name": "Researcher",
    ...     "knowledge": {"name": "research-corpus", "path": "research"},
    ...     "actions": {"answer": {"type": "LLM", "knowledge": {"name": "research-corpus"}}},
    ... }
    >>> @RoleSpec.from_mapping(settings)
    ... class Researcher:
    ...     def answer(self, question: str) -> str:
    ...         return question
    """

    actions: Mapping[str, ActionSpec] = field(
        default_factory=lambda: ReadOnlyMapping({}), hash=False
    )

    def __post_init__(self) -> None:
        ClassSpec.__post_init__(self)
        object.__setattr__(self, "actions", _checked_actions(self.actions))

    def check(self, cls: type) -> None:
        """Refuse what cannot work whatever agent has the role; actions of known sources too.

        Raises
        ------
        ConfigurationError
            Naming the action, the source and the member.
        """
        with naming(cls.__name__):
            scope = ClassScope(tuple(self.knowledge))
            _refuse_memory(self.knowledge)
            actions = actions_of(cls, self)
        names = {source.name for source in self.knowledge}
        for name, spec in actions.items():
            # Others may name sources of an agent, so they are looked at when both are bound.
            if names.issuperset(entry.name for entry in spec.knowledge):
                with naming(f"{cls.__name__}.{name}"):
                    found = action_scope(tuple(spec.knowledge), scope).search
                    check_query_param(cls, name, found)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Self:
        """Return the role that a plain mapping describes, as TOML or JSON gives it.

        Raises
        ------
        ConfigurationError
            A key is unknown, or a value is not possible.
        """
        members = entries_from(members_from(mapping, (each.name for each in fields(cls))))
        actions = members.get("actions")
        if isinstance(actions, Mapping):
            members["actions"] = {name: _action(name, each) for name, each in actions.items()}
        return cls(**members)


def role_spec(
    *,
    name: str | None = None,
    description: str = "",
    knowledge: Knowledge | Sequence[Knowledge] = (),
) -> RoleSpec:
    """Return a decorator that declares a role.

    Parameters
    ----------
    name
        What it is called; without one, as its class.
    description
        What it is for.
    knowledge
        One source, or several; a role's sources reach only the actions that name them.

    Raises
    ------
    ConfigurationError
        Where it is applied, naming class, action and member.

    Examples
    --------
    >>> @role_spec(name="Researcher", knowledge=Knowledge("research-corpus", path="research"))
    ... class Researcher: ...
    """
    return RoleSpec(name=name, description=description, knowledge=knowledge)  # type: ignore[arg-type]


def actions_of(cls: type, spec: RoleSpec) -> dict[str, ActionSpec]:
    """Return a class's actions by name: its methods', those it inherits, those in its specification.

    A method that overrides an action without a specification of its own is none.

    Raises
    ------
    ConfigurationError
        An action is a property; one of the specification is no method, or has one of its own.
    """
    found: dict[str, ActionSpec] = {}
    methods: set[str] = set()
    for base in reversed(cls.__mro__):
        for name, attribute in vars(base).items():
            methods.add(name)
            getter = getattr(attribute, "fget", None) or getattr(attribute, "func", None)
            if action_of(attribute) is None and action_of(getter) is not None:
                raise ConfigurationError(f"{name}: expected a method, found a property")
            action = action_of(attribute)
            if action is not None:
                found[name] = action
            else:
                found.pop(name, None)
    for name, action in spec.actions.items():
        with naming(f"actions.{name}"):
            if name not in methods:
                known = (each for each in methods if not each.startswith("_"))
                raise ConfigurationError(f"there is no such method; {did_you_mean(name, known)}")
            if name in found:
                raise ConfigurationError("the method has a specification of its own")
            action.check()
        found[name] = action
    return found


def _refuse_memory(sources: Sequence[Knowledge]) -> None:
    for source in sources:
        if source.type is KnowledgeType.MEMORY:
            raise ConfigurationError(
                f"knowledge: {source.name!r} is a MEMORY source, which grounds chat: it belongs to "
                f"the agent"
            )


def _checked_actions(actions: object) -> Mapping[str, ActionSpec]:
    if not isinstance(actions, Mapping):
        raise ConfigurationError(f"actions: expected a mapping, found {shown(actions)}")
    for name, each in actions.items():
        if not isinstance(name, str) or not isinstance(each, ActionSpec):
            raise ConfigurationError(
                f"actions: expected an ActionSpec by name, found {shown(name)}: {shown(each)}"
            )
    return ReadOnlyMapping(actions)


def _action(name: str, value: object) -> object:
    with naming(f"actions.{name}"):
        return ActionSpec.from_mapping(value) if isinstance(value, Mapping) else value

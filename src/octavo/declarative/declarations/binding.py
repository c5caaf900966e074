"""What a role's actions and an agent's chat mean, once both classes are known; nothing is loaded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from octavo.declarative.declarations.action_specs import ActionSpec
from octavo.declarative.declarations.agent_specs import AgentSpec
from octavo.declarative.declarations.class_specs import (
    SPEC,
    ClassSpec,
    RoleSpec,
    actions_of,
)
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.messages import naming
from octavo.declarative.declarations.parameters import action_parameters, query_parameter
from octavo.declarative.declarations.read_only import ReadOnlyMapping
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.declarations.scopes import (
    ClassScope,
    SearchScope,
    action_scope,
    chat_scope,
)
from octavo.declarative.declarations.write_back import WriteBack
from octavo.errors import ConfigurationError, shown

SpecT = TypeVar("SpecT", bound=ClassSpec)


@dataclass(frozen=True, slots=True)
class BoundAction:
    """An action with everything about it decided.

    Parameters
    ----------
    name
        The method's.
    type, description
        As it was declared.
    parameters
        Names of the method's parameters in declaration order, ``self`` left out.
    knowledge
        The sources it names, with its overrides applied, in the order in which it names them.
    search
        How those of use SEARCH are searched together; ``None`` where there are none.
    query_parameter
        The parameter that is the query; ``None`` where nothing is searched.
    """

    name: str
    type: ActionType
    description: str
    parameters: tuple[str, ...]
    knowledge: tuple[Knowledge, ...]
    search: ResolvedSearch | None
    query_parameter: str | None


@dataclass(frozen=True, slots=True)
class BoundChat:
    """What grounds an agent's chat: its enabled sources of use SEARCH or DIRECT (S72).

    ``search`` is how those of use SEARCH are searched together; ``None`` where there are none.
    ``write_back`` bounds what may be written back; ``None`` where nothing may.
    """

    knowledge: tuple[Knowledge, ...] = ()
    search: ResolvedSearch | None = None
    write_back: WriteBack | None = None


@dataclass(frozen=True, slots=True)
class BoundDeclarations:
    """A role as an agent has it.

    Parameters
    ----------
    role_name, agent_name
        Declared names, else the classes'; blank without an agent.
    sources
        The enabled sources of role and agent, as declared, in this order.
    actions
        The role's actions by name.
    chat
        What grounds the agent's chat; a role's sources never do.
    role_class, agent_class
        The classes themselves; what is loaded for them is invalidated by them.
    """

    role_name: str
    agent_name: str
    sources: tuple[Knowledge, ...]
    actions: Mapping[str, BoundAction] = field(hash=False)
    chat: BoundChat
    role_class: type = object
    agent_class: type | None = None


def bind(role_class: type, agent_class: type | None = None) -> BoundDeclarations:
    """Decide everything that the declarations of a role, and of its agent, leave to be decided.

    Raises
    ------
    ConfigurationError
        Naming class, action and member: two sources have one name, members contradict each other or
        do not go together, a source is unknown or disabled, or the query is missing.

    Examples
    --------
    >>> from octavo.declarative import ActionType, Knowledge, action_spec, role_spec
    >>> @role_spec(knowledge=Knowledge("research-corpus", path="research"))
    ... class Researcher:
    ...     @action_spec(type=ActionType.LLM, knowledge=Knowledge("research-corpus"))
    ...     def answer(self, question: str) -> str:
    ...         return question
    >>> action = bind(Researcher).actions["answer"]
    >>> action.query_parameter, action.search.top_k
    ('question', 5)
    """
    role = _spec_of(role_class, RoleSpec)
    agent = AgentSpec() if agent_class is None else _spec_of(agent_class, AgentSpec)
    where = role_class.__name__
    both = where if agent_class is None else f"{where} with {agent_class.__name__}"
    with naming(both):
        scope = ClassScope((*role.knowledge, *agent.knowledge))
    with naming(where):
        specs = actions_of(role_class, role)
    actions = {}
    for name, spec in specs.items():
        with naming(f"{where}.{name}"):
            actions[name] = _bound_action(role_class, name, spec, scope)
    return BoundDeclarations(
        role.name or where,
        "" if agent_class is None else agent.name or agent_class.__name__,
        scope.enabled,
        ReadOnlyMapping(actions),
        BoundChat() if agent_class is None else bind_chat(agent_class),
        role_class,
        agent_class,
    )


def bind_chat(agent_class: type) -> BoundChat:
    """Return what grounds an agent's chat, without any role.

    Raises
    ------
    ConfigurationError
        Naming class, source and member.
    """
    spec = _spec_of(agent_class, AgentSpec)
    with naming(agent_class.__name__):
        found = chat_scope(spec.knowledge)
        with naming("chat"):
            return BoundChat(found.knowledge, _resolved(found), spec.write_back)


def _bound_action(cls: type, name: str, spec: ActionSpec, scope: ClassScope) -> BoundAction:
    spec.check()
    parameters = action_parameters(cls, name)
    found = action_scope(tuple(spec.knowledge), scope)
    search = _resolved(found)
    return BoundAction(
        name,
        spec.type,
        spec.description,
        tuple(each.name for each in parameters),
        found.knowledge,
        search,
        None if search is None else query_parameter(parameters, search.query_param),
    )


def _resolved(scope: SearchScope) -> ResolvedSearch | None:
    if scope.search is None:
        return None
    with naming("search"):
        return ResolvedSearch.of(scope.search)


def _spec_of(cls: object, kind: type[SpecT]) -> SpecT:
    if not isinstance(cls, type):
        raise ConfigurationError(f"expected a class, found {shown(cls)}")
    spec = getattr(cls, SPEC, None)
    if spec is None:
        return kind()
    if not isinstance(spec, kind):
        raise ConfigurationError(
            f"{cls.__name__}: expected a {kind.__name__}, found a {type(spec).__name__}"
        )
    return spec

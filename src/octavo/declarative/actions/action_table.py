"""The actions of an agent's roles, by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from octavo.declarative.actions.arguments import ActionSignature
from octavo.declarative.declarations.binding import BoundAction, BoundDeclarations, bind
from octavo.declarative.declarations.described import description_of
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.declarations.messages import did_you_mean, naming
from octavo.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class RoleAction:
    """An action of one role, ready to be called.

    Parameters
    ----------
    bindings
        The role as the agent has it.
    action, signature
        The action, and what its method accepts.
    method
        The method of the role's instance.
    instructions
        Descriptions of agent and role.
    """

    bindings: BoundDeclarations
    action: BoundAction
    signature: ActionSignature
    method: Callable[..., Any]
    instructions: tuple[str, ...]


class ActionTable:
    """Finds actions by name, or by role and name (``Researcher.answer``).

    Parameters
    ----------
    roles
        Instances of roles.
    agent_class
        The class of their agent; ``None`` for a role by itself.

    Raises
    ------
    ConfigurationError
        A declaration cannot work, or two roles have one name.
    """

    def __init__(self, roles: Sequence[object], agent_class: type | None) -> None:
        self._by_name: dict[str, list[RoleAction]] = {}
        self._by_role: dict[str, RoleAction] = {}
        names = set()
        for role in roles:
            bindings = bind(type(role), agent_class)
            if bindings.role_name in names:
                raise ConfigurationError(
                    f"get_roles: two roles have the name {bindings.role_name!r}"
                )
            names.add(bindings.role_name)
            for action in bindings.actions.values():
                self._add(role, agent_class, bindings, action)

    def find(self, name: str) -> RoleAction:
        """Return an action.

        Raises
        ------
        ConfigurationError
            There is none of that name, or several roles have one.
        """
        found = self._by_name.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            roles = ", ".join(repr(each.bindings.role_name) for each in found)
            raise ConfigurationError(
                f"action {name!r}: the roles {roles} have one; call it by its role, such as "
                f"{found[0].bindings.role_name + '.' + name!r}"
            )
        if name in self._by_role:
            return self._by_role[name]
        raise ConfigurationError(
            f"there is no action {name!r}; {did_you_mean(name, self._by_name)}"
        )

    def _add(
        self,
        role: object,
        agent_class: type | None,
        bindings: BoundDeclarations,
        action: BoundAction,
    ) -> None:
        classes = [each for each in (agent_class, type(role)) if each is not None]
        with naming(f"{type(role).__name__}.{action.name}"):
            signature = ActionSignature.of(type(role), action.name)
            if signature.result_parameter is not None and action.type is not ActionType.LLM:
                raise ConfigurationError(
                    f"{signature.result_parameter}: only LLM actions have an ActionResult, found "
                    f"type {action.type}"
                )
        one = RoleAction(
            bindings,
            action,
            signature,
            getattr(role, action.name),
            tuple(description_of(each) for each in classes),
        )
        self._by_name.setdefault(action.name, []).append(one)
        self._by_role[f"{bindings.role_name}.{action.name}"] = one

"""The arguments of a dispatch: checked and cleaned before anything is retrieved (S64, S65)."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args, get_origin

from octavo.declarative.actions.action_context import RESERVED_KEYS
from octavo.declarative.actions.annotations import annotation_text, fits
from octavo.declarative.actions.requests import ActionResult
from octavo.declarative.declarations.messages import did_you_mean
from octavo.declarative.declarations.parameters import ActionParameter, action_parameters
from octavo.errors import ConfigurationError, InvalidArgumentError, plain_text, shown

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_HALF: Final = re.compile("[\ud800-\udfff]")
_RESULT: Final = re.compile(rf"\b{ActionResult.__name__}\b")
_DEEPEST: Final = 32
_CONTAINERS: Final = (list, tuple, dict, set, frozenset)


@dataclass(frozen=True, slots=True)
class ActionSignature:
    """What an action's method accepts.

    Parameters
    ----------
    parameters
        In declaration order, those for an :class:`~octavo.declarative.ActionResult` left out.
    defaults
        By name.
    collects
        Whether the method takes further arguments by name (``**kwargs``).
    result_parameter
        The parameter for the executor's result; ``None``: the body of an LLM action does not run.
    positional
        Those that can only be given by position.
    bound
        The parameter that the method itself fills in (``self``); no argument can be given for it.
    """

    parameters: tuple[ActionParameter, ...]
    defaults: Mapping[str, object]
    collects: bool
    result_parameter: str | None
    positional: tuple[str, ...] = ()
    bound: str | None = None

    @classmethod
    def of(cls, role_class: type, action: str) -> "ActionSignature":
        """Return the signature of an action of a role.

        Raises
        ------
        ConfigurationError
            Two parameters ask for the result.
        """
        parameters = action_parameters(role_class, action)
        attribute = inspect.getattr_static(role_class, action)
        function = inspect.unwrap(getattr(attribute, "__func__", attribute))
        signature = inspect.signature(function).parameters
        results = [each.name for each in parameters if _asks_for_result(each.annotation)]
        if len(results) > 1:
            raise ConfigurationError(f"{results[1]}: a second parameter of type ActionResult")
        return cls(
            tuple(each for each in parameters if each.name not in results),
            {
                each.name: signature[each.name].default
                for each in parameters
                if signature[each.name].default is not inspect.Parameter.empty
            },
            any(each.kind is inspect.Parameter.VAR_KEYWORD for each in signature.values()),
            results[0] if results else None,
            tuple(
                each.name
                for each in parameters
                if signature[each.name].kind is inspect.Parameter.POSITIONAL_ONLY
            ),
            None if isinstance(attribute, staticmethod) else next(iter(signature), None),
        )

    def called(
        self,
        method: Callable[..., Any],
        arguments: Mapping[str, object],
        result: ActionResult | None,
    ) -> Any:  # noqa: ANN401 - whatever the action returns
        """Call the method with checked arguments, and with the executor's result where it asks for one."""
        named = dict(arguments)
        if self.result_parameter is not None:
            named[self.result_parameter] = result
        by_position = [named.pop(name) for name in self.positional]
        return method(*by_position, **named)


def checked_arguments(
    signature: ActionSignature, arguments: Mapping[str, object]
) -> dict[str, object]:
    """Return the arguments of an action in declaration order, cleaned, defaults filled in.

    Control characters, but for tabs and line breaks, are taken out of texts, halves of characters are
    replaced; also inside lists, mappings and sets. Reserved keys that a caller's mapping brings are left
    out. The mapping itself is not changed.

    Raises
    ------
    InvalidArgumentError
        Naming an argument that is unknown, missing, of another type, or nested too deeply.
    """
    if not isinstance(arguments, Mapping):
        raise InvalidArgumentError(f"arguments: expected a mapping, found {shown(arguments)}")
    given = {name: value for name, value in arguments.items() if name not in RESERVED_KEYS}
    known = [each.name for each in signature.parameters]
    for name in given:
        if not isinstance(name, str):
            raise InvalidArgumentError(f"arguments: expected names, found {shown(name)}")
        taken = name in {signature.result_parameter, signature.bound}
        if name not in known and (taken or not signature.collects):
            raise InvalidArgumentError(
                f"arguments: there is no argument {name!r}; {did_you_mean(name, known)}"
            )
    found: dict[str, object] = {}
    for each in signature.parameters:
        if each.name in given:
            found[each.name] = _checked(each, given.pop(each.name))
        elif each.name in signature.defaults:
            found[each.name] = signature.defaults[each.name]
        else:
            raise InvalidArgumentError(
                f"{each.name}: the argument is missing; expected {annotation_text(each.annotation)}"
            )
    return found | {name: cleaned(name, value) for name, value in given.items()}


def cleaned(name: str, value: object, depth: int = 0) -> object:
    r"""Return a value without control characters and halves of characters in its texts.

    Lists, tuples, mappings and sets are copies; one of a class of its own stays, unless something in
    it was cleaned: then it is a plain one.

    Raises
    ------
    InvalidArgumentError
        Lists or mappings are nested too deeply, or hold themselves.

    Examples
    --------
    >>> cleaned("question", ["a\x00b", {"k": "c\ud800"}])
    ['ab', {'k': 'c\ufffd'}]
    """
    text = plain_text(value)
    if text is not None:
        found = _HALF.sub("\ufffd", _CONTROL.sub("", text))
        return value if found == text else found  # a member of an enumeration stays one
    plain = next((kind for kind in _CONTAINERS if isinstance(value, kind)), None)
    if plain is None:
        return value
    if depth == _DEEPEST:
        raise InvalidArgumentError(f"{name}: nested more than {_DEEPEST} deep")
    given: Any = value.items() if isinstance(value, dict) else value
    made: Callable[..., Any] = plain
    parts = made(cleaned(name, each, depth + (plain is not dict)) for each in given)
    # One of a class of its own stays what it is, where there is nothing to be cleaned.
    return value if type(value) is not plain and parts == value else parts


def _checked(parameter: ActionParameter, value: object) -> object:
    value = cleaned(parameter.name, value)
    if not fits(value, parameter.annotation):
        raise InvalidArgumentError(
            f"{parameter.name}: expected {annotation_text(parameter.annotation)}, found "
            f"{shown(value)}"
        )
    return value


def _asks_for_result(annotation: Any) -> bool:  # noqa: ANN401 - a form of typing
    if isinstance(annotation, str):  # of a name that is imported for type checkers only
        return _RESULT.search(annotation) is not None
    if isinstance(annotation, type):
        return issubclass(annotation, ActionResult)
    return get_origin(annotation) is not Literal and any(
        map(_asks_for_result, get_args(annotation))
    )

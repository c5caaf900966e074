"""Which parameter of an action is the query (S65)."""

import inspect
from dataclasses import dataclass
from types import SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from octavo.declarative.declarations.messages import did_you_mean
from octavo.declarative.declarations.search import Search
from octavo.errors import ConfigurationError, shown

_COLLECTED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class ActionParameter:
    """A parameter of an action; the annotation is what it evaluates to, text where it does not."""

    name: str
    annotation: Any

    @property
    def is_text(self) -> bool:
        """Whether it is declared as ``str``: optional, annotated or narrowed text too."""
        return _is_text(self.annotation)

    @property
    def may_be_text(self) -> bool:
        """Whether a ``str`` can be given: only a class that is no text rules it out."""
        kind = self.annotation
        if kind is Any or not isinstance(kind, type) or issubclass(kind, str):
            return True
        try:
            return issubclass(str, kind)
        except TypeError:  # a protocol that cannot be asked
            return True


def action_parameters(cls: type, action: str) -> tuple[ActionParameter, ...]:
    """Return the parameters of an action in declaration order, ``self`` and collecting ones left out.

    Raises
    ------
    ConfigurationError
        The method has no signature.
    """
    attribute = inspect.getattr_static(cls, action)
    function = inspect.unwrap(getattr(attribute, "__func__", attribute))
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"expected a method with a signature, found {shown(attribute)}"
        ) from None
    if not isinstance(attribute, staticmethod):
        parameters = parameters[1:]
    names = getattr(function, "__globals__", {})
    return tuple(
        ActionParameter(each.name, _evaluated(each.annotation, names))
        for each in parameters
        if each.kind not in _COLLECTED
    )


def query_parameter(parameters: tuple[ActionParameter, ...], query_param: str | None) -> str:
    """Return the name of the parameter that is the query.

    Raises
    ------
    ConfigurationError
        There is no parameter of that name, it is no text, or, where none is named, there is no
        ``str`` parameter.
    """
    if not query_param:
        for each in parameters:
            if each.is_text:
                return each.name
        found = ", ".join(each.name for each in parameters) or "none"
        raise ConfigurationError(
            f"search.query_param: unset, and there is no str parameter to be the query; "
            f"parameters: {found}"
        )
    for each in parameters:
        if each.name == query_param:
            if not each.may_be_text:
                raise ConfigurationError(
                    f"search.query_param: a query is text, found {query_param!r} declared as "
                    f"{each.annotation.__name__}"
                )
            return query_param
    known = did_you_mean(query_param, (each.name for each in parameters))
    raise ConfigurationError(f"search.query_param: there is no parameter {query_param!r}; {known}")


def check_query_param(cls: type, action: str, search: Search | None) -> None:
    """Refuse a named query that the action does not have.

    Raises
    ------
    ConfigurationError
        As :func:`query_parameter`.
    """
    if search is not None and isinstance(search.query_param, str) and search.query_param:
        query_parameter(action_parameters(cls, action), search.query_param)


def _evaluated(annotation: object, names: dict[str, Any]) -> object:
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    # Each by itself: one that cannot be evaluated (imported for type checkers only) spoils no other.
    one = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(one, globalns=names, include_extras=True)["it"]
    except Exception:  # noqa: BLE001 - an annotation is code, and may do anything
        return annotation


def _is_text(annotation: Any) -> bool:  # noqa: ANN401 - a type, or a form of typing
    if isinstance(annotation, NewType):
        return _is_text(annotation.__supertype__)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _is_text(arguments[0])
    if origin is Literal:
        return all(isinstance(each, str) for each in arguments)
    if origin in {Union, UnionType}:
        kinds = [each for each in arguments if each is not type(None)]
        return bool(kinds) and all(map(_is_text, kinds))
    return isinstance(annotation, type) and issubclass(annotation, str)

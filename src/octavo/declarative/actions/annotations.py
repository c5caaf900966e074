"""Whether a value is of an annotated type, as far as annotations can be asked."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import UnionType
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, get_args, get_origin


def fits(value: object, annotation: Any) -> bool:  # noqa: ANN401, PLR0911 - a form of typing; one a form
    """Return whether a value is of an annotated type.

    Numbers are what typing says: an ``int`` fits ``float``, a boolean fits neither. Containers are
    looked into. An annotation that cannot be asked, such as text that does not evaluate, admits all.

    Examples
    --------
    >>> fits(3, float), fits(True, int), fits(["a", 1], list[str]), fits(None, str | None)
    (True, False, False, True)
    """
    if annotation is Any or annotation is object:
        return True
    if isinstance(annotation, NewType):
        return fits(value, annotation.__supertype__)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return fits(value, arguments[0])
    if origin in {Union, UnionType}:
        return any(fits(value, each) for each in arguments)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if annotation is None:
        return value is None
    if isinstance(origin, type):
        return _is_a(value, origin) and _elements_fit(value, origin, arguments)
    if isinstance(annotation, type) and not isinstance(annotation, TypeVar):
        return _is_a(value, annotation)
    return True


def annotation_text(annotation: Any) -> str:  # noqa: ANN401 - a form of typing
    """Return an annotation as it is written, for messages.

    Examples
    --------
    >>> annotation_text(str), annotation_text(list[int] | None)
    ('str', 'list[int] | None')
    """
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return annotation.__qualname__
    return str(annotation).replace("typing.", "")


def _is_a(value: object, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol, or a typed dictionary, that cannot be asked
        return True


def _elements_fit(value: object, origin: type, arguments: tuple[Any, ...]) -> bool:
    if not arguments:
        return True
    if issubclass(origin, tuple) and isinstance(value, tuple):
        if arguments[-1] is Ellipsis:
            return all(fits(each, arguments[0]) for each in value)
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if isinstance(value, Mapping) and issubclass(origin, Mapping) and len(arguments) == 2:
        return all(fits(k, arguments[0]) and fits(v, arguments[1]) for k, v in value.items())
    if isinstance(value, Sequence | AbstractSet) and len(arguments) == 1:
        return all(fits(each, arguments[0]) for each in value)
    return True

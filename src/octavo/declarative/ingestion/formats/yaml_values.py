"""YAML as plain values, with bounds: safe tags only, no nesting or aliases without end."""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.importing import optional

_WRONG_TAGS: Final = (
    *(ValueError, TypeError, OverflowError, RecursionError),
    *(AttributeError, LookupError),  # a time or a truth value that is none
)
_LONGEST_NUMBER: Final = 1_000
"""Longer numbers are text: those to the base of 60 take a time that grows with the square."""


def yaml_documents(text: str, limits: IngestionLimits) -> Iterator[tuple[object, int]]:
    """Yield the value of each document of a stream, and the line it begins at, from 1.

    Raises
    ------
    DamagedSource
        The text is no YAML, has tags beyond the standard's, or breaks a limit: aliases are counted
        as if everything were written out.

    Examples
    --------
    >>> list(yaml_documents("a: [1, 2]", IngestionLimits()))
    [({'a': [1, 2]}, 1)]
    """
    yaml = optional("yaml", "declarative", "reading YAML")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if sum(map(text.count, "-:?[{")) > limits.depth:  # what every level begins with
            _check_depth(yaml, loader, text, limits)
        for node in yaml.compose_all(text, Loader=loader):
            if node is not None:
                if "*" in text or len(text) > limits.nodes:
                    _check_size(node, limits)
                constructor = _constructing(yaml)("")
                try:
                    yield constructor.construct_document(node), node.start_mark.line + 1
                finally:
                    constructor.dispose()
    except (yaml.YAMLError, *_WRONG_TAGS) as error:
        told = " ".join(str(error).split())
        raise DamagedSource(f"expected YAML: {told}") from error


@cache
def _constructing(yaml: Any) -> Any:  # noqa: ANN401
    """Return a class that makes the values of the standard's tags."""
    made = type("_Constructing", (yaml.SafeLoader,), {})
    for kind, construct in (
        ("int", yaml.SafeLoader.construct_yaml_int),
        ("float", yaml.SafeLoader.construct_yaml_float),
    ):

        def number(constructor: Any, node: Any, construct: Any = construct) -> object:  # noqa: ANN401
            is_long = len(node.value) > _LONGEST_NUMBER
            return constructor.construct_scalar(node) if is_long else construct(constructor, node)

        made.add_constructor(f"tag:yaml.org,2002:{kind}", number)  # type: ignore[attr-defined]
    return made


def _check_depth(yaml: Any, loader: Any, text: str, limits: IngestionLimits) -> None:  # noqa: ANN401
    """Follow the parser's events, which need no stack, before anything recursive runs."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > limits.depth:
                raise DamagedSource(f"expected YAML nested at most {limits.depth} deep, found more")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check_size(root: Any, limits: IngestionLimits) -> None:  # noqa: ANN401
    """Count the nodes with every alias written out; an alias inside itself is refused."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def size(node: Any, depth: int) -> int:  # noqa: ANN401
        known = sizes.get(id(node))
        if known is not None:
            return known
        if id(node) in open_nodes:
            raise DamagedSource("expected YAML that ends, found an alias inside of what it names")
        if depth > limits.depth:
            raise DamagedSource(f"expected YAML nested at most {limits.depth} deep, found more")
        open_nodes.add(id(node))
        total = 1
        if isinstance(node.value, list):
            for each in node.value:
                for below in each if isinstance(each, tuple) else (each,):
                    total += size(below, depth + 1)
                    if total > limits.nodes:
                        raise DamagedSource(f"expected at most {limits.nodes:,} values, found more")
        open_nodes.discard(id(node))
        sizes[id(node)] = total
        return total

    size(root, 0)

"""A mapping that cannot be changed, and can be copied and sent to other processes."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar

Value = TypeVar("Value")


class ReadOnlyMapping(Mapping[str, Value]):
    """What a mapping held when it was given.

    The standard's proxy can be neither pickled nor copied, nor can what holds one.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(pickle.dumps(ReadOnlyMapping({"answer": 1})))
    {'answer': 1}
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Value]) -> None:
        self._items = MappingProxyType(dict(items))

    def __getitem__(self, key: str) -> Value:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(dict(self._items))

    def __reduce__(self) -> tuple[type, tuple[dict[str, Value]]]:
        return type(self), (dict(self._items),)

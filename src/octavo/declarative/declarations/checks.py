"""Checks of single members: each takes a name and a value and returns the value as it is kept."""

import os
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Any

from octavo.declarative.declarations.messages import did_you_mean
from octavo.errors import (
    ConfigurationError,
    InvalidArgumentError,
    checked_count,
    checked_fraction,
    plain_text,
    shown,
)

Check = Callable[[str, object], Any]


def flag(name: str, value: object) -> bool:
    """Return a boolean; numbers and text are none."""
    if isinstance(value, bool):
        return value
    raise _unexpected(name, "True or False", value)


def count(lowest: int) -> Check:
    """Return a check for an integer of at least ``lowest``; a boolean is none."""

    def check(name: str, value: object) -> int:
        single(name, value, "an integer")
        try:
            return checked_count(name, value, lowest)
        except InvalidArgumentError as error:
            raise ConfigurationError(str(error)) from None

    return check


def fraction(name: str, value: object) -> float:
    """Return a number from 0 to 1 as a float; NaN and a boolean are none."""
    single(name, value, "a number from 0 to 1")
    try:
        return checked_fraction(name, value)
    except InvalidArgumentError as error:
        raise ConfigurationError(str(error)) from None


def text(name: str, value: object) -> str:
    """Return text that can be written as UTF-8, unchanged."""
    found = plain_text(value)
    if found is None:
        raise _unexpected(name, "text", value)
    try:
        found.encode()
    except UnicodeEncodeError:
        raise ConfigurationError(
            f"{name}: expected text, found a lone surrogate in {found!a}"
        ) from None
    return found


def location(name: str, value: object) -> str:
    """Return text, or the text of a path object."""
    return text(name, os.fspath(value) if isinstance(value, os.PathLike) else value)


def name_or_blank(name: str, value: object) -> str:
    """Return text, and nothing for what is blank."""
    found = text(name, value)
    return found if found.strip() else ""


def identifier(name: str, value: object) -> str:
    """Return text that is not blank, unchanged: names and models are exact."""
    found = text(name, value)
    if not found.strip():
        raise ConfigurationError(f"{name}: expected a name, found {found!r}, which is blank")
    return found


def texts(name: str, value: object) -> tuple[str, ...]:
    """Return the texts of a sequence; one text is a sequence of one."""
    if isinstance(value, str):
        return (identifier(name, value),)
    if not isinstance(value, Sequence) or isinstance(value, bytes | bytearray):
        raise ConfigurationError(f"{name}: expected a sequence of text, found {shown(value)}")
    return tuple(identifier(f"{name}[{place}]", each) for place, each in enumerate(value))


def pairs(name: str, value: object) -> tuple[str, ...]:
    """Return ``key=value`` texts; a mapping stands for its pairs."""
    if isinstance(value, Mapping):
        value = [_pair(name, key, wanted) for key, wanted in value.items()]
    found = texts(name, value)
    for each in found:
        if not each.partition("=")[0].strip() or "=" not in each:
            raise ConfigurationError(f"{name}: expected key=value, found {each!r}")
    return found


def _pair(name: str, key: object, wanted: object) -> str:
    key = text(f"{name} key", key)
    if "=" in key:
        raise ConfigurationError(f"{name}: expected a key without '=', found {key!r}")
    return f"{key}={text(f'{name}.{key}', wanted)}"


def one_of(kind: type[StrEnum]) -> Check:
    """Return a check for a member of an enumeration; its name, in any case, stands for it."""

    def check(name: str, value: object) -> StrEnum:
        if isinstance(value, kind):
            return value
        found = plain_text(value)
        if found is None or isinstance(value, StrEnum):
            raise _unexpected(name, f"a {kind.__name__}", value)
        # Upper case would make an I of other letters too, such as the dotless one of Turkish.
        member = kind.__members__.get(found.strip().upper().replace("-", "_"))
        if member is None or not found.isascii():
            known = did_you_mean(found, kind.__members__)
            raise ConfigurationError(f"{name}: {found!r} is no {kind.__name__}; {known}")
        return member

    return check


def instance_of(kind: type) -> Check:
    """Return a check for an object of a class."""

    def check(name: str, value: object) -> object:
        if isinstance(value, kind):
            return value
        raise _unexpected(name, f"a {kind.__name__}", value)

    return check


def single(name: str, value: object, expected: str) -> None:
    """Refuse several values where one belongs, even a sequence of one, and ``None``."""
    if value is None:
        raise ConfigurationError(
            f"{name}: expected {expected}, found None; leave the member out to leave it unset"
        )
    if isinstance(value, Sequence | AbstractSet) and not isinstance(value, str | bytes | bytearray):
        raise ConfigurationError(
            f"{name}: expected {expected}, one value, found the sequence {shown(value)}"
        )


def _unexpected(name: str, expected: str, value: object) -> ConfigurationError:
    single(name, value, expected)
    return ConfigurationError(f"{name}: expected {expected}, found {shown(value)}")


def checked_class(cls: object) -> None:
    """Raise :class:`InvalidArgumentError` unless it is a class, as roles and agents are."""
    if not isinstance(cls, type):
        raise InvalidArgumentError(f"expected a role's or an agent's class, found {shown(cls)}")

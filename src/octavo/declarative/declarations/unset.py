"""The value of a member that was not given."""

from enum import Enum
from typing import Final


class Unset(Enum):
    """The type of :data:`UNSET`, for annotations: ``int | Unset``.

    An enumeration of one, so that ``is UNSET`` narrows a type, and a copy or an unpickled value is
    the same object. It is false, as nothing given is.
    """

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset.UNSET

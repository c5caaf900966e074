"""The points of a sweep: every combination of some values of options."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Final

from octavo.errors import InvalidArgumentError, shown

CHILD: Final = "child."
_MOST_POINTS: Final = 100_000


def grid_points(over: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Return all combinations, in the order of the values, the last option changing fastest.

    Parameters
    ----------
    over
        Values by name of option; ``child.NAME`` is an option of the strategy inside.

    Raises
    ------
    InvalidArgumentError
        There is no option, one has no value, or there are more than 100,000 points.

    Examples
    --------
    >>> grid_points({"rrf_k": [10, 60], "candidate_depth": [50]})
    [{'rrf_k': 10, 'candidate_depth': 50}, {'rrf_k': 60, 'candidate_depth': 50}]
    """
    if not isinstance(over, Mapping) or not over:
        raise InvalidArgumentError(
            f"over: expected values for at least one option by name, found {shown(over)}"
        )
    axes: dict[str, Sequence[Any]] = {}
    for name, values in over.items():
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise InvalidArgumentError(
                f"over: {name}: expected a sequence of values, found {shown(values)}"
            )
        axes[name] = tuple(values)
        if not axes[name]:
            raise InvalidArgumentError(f"over: {name}: expected at least one value, found none")
    points = prod(map(len, axes.values()))
    if points > _MOST_POINTS:
        raise InvalidArgumentError(
            f"over: expected at most {_MOST_POINTS:,} points, found {points:,}"
        )
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of the strategy and those of its child."""
    own = {name: value for name, value in options.items() if not name.startswith(CHILD)}
    inner = {
        name.removeprefix(CHILD): value for name, value in options.items() if name.startswith(CHILD)
    }
    return own, inner

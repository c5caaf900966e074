"""The parts of a score as people read them: the rank and score of a stream as one."""

from collections.abc import Iterable, Mapping
from typing import Any


def stream_names(parts: Iterable[str]) -> tuple[str, ...]:
    """Return the names of parts in order, ``x_rank`` and ``x_score`` as one, ``x``.

    Examples
    --------
    >>> stream_names(["keyword_rank", "keyword_score", "hops"])
    ('keyword', 'hops')
    """
    return tuple(
        dict.fromkeys(
            name.removesuffix("_rank").removesuffix("_score")
            if name.endswith(("_rank", "_score"))
            else name
            for name in parts
        )
    )


def in_stream(parts: Mapping[str, Any], stream: str) -> str | None:
    """Return ``rank (score)`` in a stream, or the value of a part that is no stream.

    Examples
    --------
    >>> (
    ...     in_stream({"keyword_rank": 2, "keyword_score": 8.5}, "keyword"),
    ...     in_stream({"hops": 1}, "hops"),
    ... )
    ('2 (8.5000)', '1')
    >>> in_stream({"multiplier": 2.5e-7}, "multiplier")
    '2.5e-07'
    """
    rank, score = parts.get(f"{stream}_rank"), parts.get(f"{stream}_score")
    if rank is not None and score is not None:
        return f"{rank} ({_written(score)})"
    values = [value for value in (rank, score, parts.get(stream)) if value is not None]
    return _written(values[0]) if values else None


def _written(value: object) -> str:
    """Write four decimals, or digits where those were all zeros; what is no fraction as it is."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if 0 < abs(value) < 0.00005 else f"{value:.4f}"

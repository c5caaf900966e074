"""Figures as people read them."""

from octavo.benchmark.measure import Unit
from octavo.benchmark.targets import Figure, Verdict

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def amount(value: float, unit: str) -> str:
    """Return a value of a unit with three digits.

    Examples
    --------
    >>> amount(0.00123456, "s/query"), amount(2.5e-7, "s"), amount(1.5e9, "bytes")
    ('1.23 ms/query', '250 ns', '1.50 GB')
    """
    steps = _BYTES if unit == Unit.BYTES else _SECONDS
    size, name = next((step for step in steps if value >= 0.9995 * step[0]), steps[-1])
    _, _, item = unit.partition("/")
    return f"{three_digits(value / size)} {name}" + (f"/{item}" if item else "")


def three_digits(value: float) -> str:
    """Return a number with three digits, or all before the point.

    Examples
    --------
    >>> three_digits(0.01234), three_digits(1.5), three_digits(123.4), three_digits(12345.0)
    ('0.0123', '1.50', '123', '12,345')
    """
    if value >= 100:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    return text if "e" in text or len(text.replace(".", "").lstrip("0")) >= 3 else f"{value:#.3g}"


def times(ratio: float, unit: str) -> str:
    """Return a ratio as a factor of its baseline; of times, as a factor faster or slower.

    Examples
    --------
    >>> times(0.25, "s"), times(1.5, "s"), times(1.02, "s"), times(0.25, "bytes")
    ('4.00x faster', '1.50x slower', '1.02x', '0.250x')
    """
    if unit != Unit.BYTES and 0 < ratio < 0.95:
        return f"{three_digits(1 / ratio)}x faster"
    if unit != Unit.BYTES and ratio > 1.05:
        return f"{three_digits(ratio)}x slower"
    return f"{three_digits(ratio)}x"


def facts_text(facts: dict[str, float]) -> str:
    """Return facts on one line.

    Examples
    --------
    >>> facts_text({"recall": 0.97, "resident bytes": 2e6})
    'recall 0.970, resident 2.00 MB'
    """
    return ", ".join(
        f"{name.removesuffix(' bytes')} {amount(value, Unit.BYTES)}"
        if "bytes" in name
        else f"{name} {amount(value, Unit.CALL)}"
        if name == "seconds"
        else f"{name} {value:.3f}"
        for name, value in facts.items()
    )


def measured(verdict: Verdict) -> str:
    """Return what was found for a target."""
    if verdict.found is None or verdict.result is None:
        return "not measured"
    if verdict.target.figure is Figure.RECALL:
        return f"{verdict.found:.3f}"
    if verdict.target.figure is Figure.VALUE:
        return amount(verdict.found, verdict.result.unit)
    plain = f"{three_digits(verdict.found)}x"
    said = times(verdict.found, verdict.result.unit)
    return said if verdict.found > 1 or said == plain else f"{plain} ({said})"

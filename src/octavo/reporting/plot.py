"""Figures as SVG or PNG, by matplotlib (the extras ``bench`` and ``eval``)."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any

from octavo.errors import ConfigurationError

SIZE = (7.0, 4.2)
"""Width and height of a figure, inches."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawn figure.

    Parameters
    ----------
    name
        Of its file, without the ending.
    caption
        What it shows.
    figure
        A ``matplotlib.figure.Figure``.
    """

    name: str
    caption: str
    figure: Any

    def svg(self) -> str:
        """Return the figure as an SVG document; the same bytes for the same figures."""
        matplotlib = require_matplotlib()
        drawn = BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "octavo", "svg.fonttype": "none"}):
            self.figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
        lines = drawn.getvalue().decode().splitlines()
        return "\n".join(line.rstrip() for line in lines) + "\n"

    def file_content(self, ending: str) -> bytes:
        """Return the figure as the content of a file; its ending says how (``.svg``, ``.png``)."""
        if ending.lower() == ".svg":
            return self.svg().encode()
        drawn = BytesIO()
        self.figure.savefig(drawn, format=ending.removeprefix(".").lower(), dpi=150, metadata={})
        return drawn.getvalue()


def new_axes(size: tuple[float, float] = SIZE) -> tuple[Any, Any]:
    """Return an empty figure and its axes, with a grid.

    Raises
    ------
    ConfigurationError
        matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    axes.grid(visible=True, alpha=0.3)
    return figure, axes


def require_matplotlib() -> Any:  # noqa: ANN401 - the module
    """Return matplotlib.

    Raises
    ------
    ConfigurationError
        It is not installed.
    """
    try:
        import matplotlib  # noqa: PLC0415, ICN001 - an extra
    except ImportError as error:
        raise ConfigurationError(
            "plots need matplotlib, which the extras 'bench' and 'eval' bring: "
            "pip install 'octavo[bench]'"
        ) from error
    return matplotlib

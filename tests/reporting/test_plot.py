"""Figures of the same values are the same bytes."""

import pytest

from octavo.reporting.plot import Plot, new_axes


@pytest.mark.parametrize(
    ("ending", "begin"), [(".svg", b"<?xml"), (".SVG", b"<?xml"), (".PNG", b"\x89PNG")]
)
def test_the_same_figure_is_the_same_file(ending, begin):
    pytest.importorskip("matplotlib")
    contents = []
    for _ in range(2):
        figure, axes = new_axes()
        axes.bar([0, 1], [0.5, 0.25])
        contents.append(Plot("bars", "Bars", figure).file_content(ending))
    assert contents[0] == contents[1]
    assert contents[0].startswith(begin)

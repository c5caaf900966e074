"""Figures of the same values are the same bytes."""

import pytest

from octavo.reporting.plot import Plot, new_axes


@pytest.mark.parametrize("name", ["a.svg", "a.SVG", "a.PNG"])
def test_the_same_figure_is_the_same_file(tmp_path, name):
    pytest.importorskip("matplotlib")
    files = [tmp_path / "one" / name, tmp_path / "two" / name]
    for file in files:
        file.parent.mkdir()
        figure, axes = new_axes()
        axes.bar([0, 1], [0.5, 0.25])
        Plot("bars", "Bars", figure).save(file)
    assert files[0].read_bytes() == files[1].read_bytes()

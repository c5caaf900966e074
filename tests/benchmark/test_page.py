import re
from xml.etree import ElementTree as ET

import pytest

from octavo.benchmark.page import write_docs
from octavo.benchmark.plots import growth_series, plots
from octavo.errors import ConfigurationError


@pytest.fixture(autouse=True)
def _matplotlib():
    pytest.importorskip("matplotlib")


def test_sizes_come_from_results_and_baselines(report):
    sizes = growth_series(report)["hybrid"]
    assert sizes == [(1_000, 1e-3), (10_000, 3e-3), (100_000, 4e-3)]


def test_a_page_is_the_same_whenever_it_is_made_again(report, tmp_path):
    pages = []
    for name in ("one", "two"):
        write_docs([report], tmp_path / name)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        pages.append({path.relative_to(tmp_path / name): path.read_bytes() for path in files})
    assert pages[0] == pages[1]
    assert {str(path) for path in pages[0]} == {
        "benchmarks.md",
        "images/growth.svg",
        "images/pareto.svg",
    }


def test_the_page_links_the_plots_and_states_the_environment(report, tmp_path):
    write_docs([report, report], tmp_path)
    page = (tmp_path / "benchmarks.md").read_text()
    for image in re.findall(r"\]\((images/[^)]+)\)", page):
        assert (tmp_path / image).is_file()
    assert page.count("](images/") == 4
    assert "A | processor, 2 cores, 9 GB; Linux, Python 3.11.7; octavo 0.1" in page
    assert "octavo bench --suite quick" in page


def test_tables_have_as_many_cells_in_every_row(report, tmp_path):
    write_docs([report], tmp_path)
    widths = [
        len(re.findall(r"(?<!\\)\|", line))
        for line in (tmp_path / "benchmarks.md").read_text().splitlines()
        if line.startswith("|")
    ]
    assert len(widths) > 20
    tables = re.split(r"\n\n", (tmp_path / "benchmarks.md").read_text())
    for table in tables:
        lines = [line for line in table.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) <= 1


def test_svg_is_xml_with_its_text(report):
    for plot in plots(report):
        root = ET.fromstring(plot.svg())
        assert root.tag.endswith("svg")
    assert "FAISS IVF" in plots(report)[0].svg()


def test_plots_can_be_png(report):
    assert plots(report)[0].file_content(".png").startswith(b"\x89PNG")


def test_a_report_without_figures_has_no_plots(report):
    from dataclasses import replace

    assert plots(replace(report, results=(), pareto=())) == ()


def test_plots_say_which_extra_they_need(report, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigurationError, match=r"octavo\[bench\]"):
        plots(report)

import re
from dataclasses import replace
from html.parser import HTMLParser

from octavo.benchmark.html_page import page_text, write_html
from octavo.benchmark.report import ParetoPoint


def test_the_page_needs_no_other_file(report, tmp_path):
    path = tmp_path / "report.html"
    write_html([report], path)
    seen = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag, attrs):
            seen.append(tag)
            given = dict(attrs)
            assert "src" not in given
            assert (given.get("href") or "#").startswith(("#", "data:,"))

    Parser().feed(path.read_text())
    assert seen.count("svg") == 2
    assert seen.count("table") >= 5
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_page_is_the_same_whenever_it_is_made_again(report):
    assert page_text([report, report]) == page_text([report, report])


def test_identifiers_are_unique_with_several_reports(report):
    found = re.findall(r'\bid="([^"]+)"', page_text([report, report]))
    assert len(found) == len(set(found))


def test_figures_sort_by_their_values_not_by_their_texts(report):
    row = next(part for part in page_text([report]).split("<tr>") if "micro.fusion" in part)
    assert re.findall(r'data-key="([^"]+)"', row) == ["4e-05", "0.001", "0.04", "0.02"]


def test_texts_of_a_saved_report_are_escaped(report):
    hostile = replace(report, command="<script>alert(1)</script>", collection='"><img src=x>')
    page = page_text([hostile])
    assert page.count("<script>") == 1
    assert "<img" not in page


def test_what_a_logarithmic_axis_cannot_show_is_left_out(report):
    points = (
        ParetoPoint("octavo", "exact", 1.0, 0.0),
        ParetoPoint("FAISS IVF", "nprobe 1", 0.5, 1e-5),
    )
    page = page_text([replace(report, pareto=points)])
    assert page.count("<svg") == 2
    assert page_text([replace(report, pareto=points[:1])]).count("<svg") == 1


def test_a_report_without_figures_is_a_page(report):
    page = page_text([replace(report, results=(), pareto=(), peers=())])
    assert "<svg" not in page
    assert "Targets" in page

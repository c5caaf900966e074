import json
from dataclasses import replace

import pytest

from octavo.benchmark.report import read_report, write_report
from octavo.errors import CorpusFormatError


def test_a_report_is_read_as_it_was_written(report, saved):
    assert read_report(saved) == report
    assert [path.name for path in saved.parent.iterdir()] == ["report.json"]


def test_results_are_found_by_name(report):
    assert report.find("micro.fusion").ratio == 0.04
    assert report.find("micro.nothing") is None


def test_wrong_results_are_errors(report):
    assert report.errors == ()
    wrong = replace(report.results[0], error="rows: differ")
    assert replace(report, results=(wrong, *report.results[1:])).errors == (wrong,)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 1}', "null", '{"format": 1, "results": [{"name": 1}]}']
)
def test_another_file_is_refused(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(CorpusFormatError, match=r"other.json: expected a report"):
        read_report(path)


def test_another_format_is_refused(saved):
    newer = {**json.loads(saved.read_text()), "format": 99}
    saved.write_text(json.dumps(newer))
    with pytest.raises(CorpusFormatError, match="format 1, found 99"):
        read_report(saved)


def test_a_report_that_cannot_be_written_leaves_the_old_one(report, saved, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr("json.dumps", lambda *_, **__: "\ud800")  # cannot be encoded
    with pytest.raises(UnicodeEncodeError):
        write_report(report, saved)
    assert saved.read_bytes() == before
    assert len(list(saved.parent.iterdir())) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 5),
        ("ratio", "fast"),
        ("ratio", None),
        ("ratio", float("nan")),
        ("ratio", -1.0),
        ("noise", float("inf")),
        ("facts", [1]),
        ("facts", {"recall": "all"}),
    ],
)
def test_figures_of_another_kind_are_refused(field, value, saved):
    edited = json.loads(saved.read_text())
    edited["results"][0][field] = value
    saved.write_text(json.dumps(edited))
    with pytest.raises(CorpusFormatError, match=r"report.json: expected a report"):
        read_report(saved)

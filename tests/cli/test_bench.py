import sys
from dataclasses import replace

import pytest

from octavo.benchmark.environment import this_environment
from octavo.benchmark.report import Report, Result, read_report, write_report


@pytest.fixture
def report():
    result = Result(
        name="micro.fusion", what="fusion", unit="s/query", baseline="dict", value=2e-6, best=1e-6,
        baseline_value=4e-5, ratio=0.05, noise=0.01, rounds=5,
    )  # fmt: skip
    return Report(
        command="octavo bench", suite="quick", collection="documents", documents=10, dimensions=4,
        seconds=1.0, environment=this_environment(), results=(result,),
    )  # fmt: skip


@pytest.fixture
def ran(report, monkeypatch):
    """Let a run find the report; gives what was asked for."""
    asked = []

    def run_bench(request, say):
        asked.append(request)
        say("measuring")
        return replace(report, command=request.command)

    monkeypatch.setattr("octavo.benchmark.run.run_bench", run_bench)
    return asked


def test_it_shows_figures_and_targets(octavo, ran):
    shown = octavo("bench", "--only", "micro.*", "--documents", "5000", "--seed", "3", "--long")
    assert shown.exit_code == 0
    assert shown.stderr == "measuring\n"
    assert "2.00 µs/query" in shown.stdout
    assert "20.0x faster" in shown.stdout
    assert "Targets" in shown.stdout
    (request,) = ran
    assert (request.only, request.documents, request.seed) == (("micro.*",), 5000, 3)
    assert (request.suite.value, request.long, request.peers) == ("quick", True, False)


def test_a_saved_report_is_shown_again_without_a_run(octavo, report, ran, tmp_path):
    path = tmp_path / "a.json"
    assert octavo("bench", "--json", path).exit_code == 0
    ran.clear()
    assert "2.00 µs/query" in octavo("bench", "--from", path).stdout
    assert ran == []
    assert read_report(path).results == report.results


@pytest.mark.parametrize(("old_ratio", "status"), [(0.05, 0), (0.02, 1)])
def test_a_regression_exits_with_1(octavo, report, ran, tmp_path, old_ratio, status):
    result = replace(report.results[0], ratio=old_ratio)
    write_report(replace(report, results=(result,)), tmp_path / "old.json")
    shown = octavo("bench", "--compare", tmp_path / "old.json")
    assert shown.exit_code == status
    assert ("regression: micro.fusion: ratio 0.02 -> 0.05" in shown.stderr) == bool(status)


def test_reports_on_other_documents_cannot_be_compared(octavo, report, ran, tmp_path):
    write_report(replace(report, collection="others"), tmp_path / "old.json")
    shown = octavo("bench", "--compare", tmp_path / "old.json")
    assert shown.exit_code == 1
    assert "nothing to compare" in shown.stderr


def test_wrong_results_exit_with_1(octavo, report, tmp_path):
    wrong = replace(report.results[0], error="rows: differ")
    write_report(replace(report, results=(wrong,)), tmp_path / "a.json")
    shown = octavo("bench", "--from", tmp_path / "a.json")
    assert shown.exit_code == 1
    assert "octavo: micro.fusion: rows: differ" in shown.stderr
    assert "WRONG RESULT" in shown.stdout


def test_pages_and_plots_are_written(octavo, report, tmp_path):
    pytest.importorskip("matplotlib")
    write_report(report, tmp_path / "a.json")
    options = ("--html", tmp_path / "a.html", "--plots", tmp_path / "plots")
    shown = octavo("bench", "--from", tmp_path / "a.json", *options, "--write-docs", tmp_path / "d")
    assert shown.exit_code == 0, shown.stderr
    assert (tmp_path / "a.html").is_file()
    assert (tmp_path / "plots").is_dir()
    assert (tmp_path / "d" / "benchmarks.md").is_file()


def test_an_unknown_suite_is_wrong_use(octavo):
    shown = octavo("bench", "--suite", "huge")
    assert shown.exit_code == 2
    assert "expected quick or full, found 'huge'" in " ".join(shown.stderr.split())


def test_a_missing_report_fails(octavo, tmp_path):
    shown = octavo("bench", "--compare", tmp_path / "no.json")
    assert shown.exit_code == 1
    assert "no.json" in shown.stderr


@pytest.mark.parametrize(
    "options",
    [("--json", "no/a.json"), ("--html", "no/a.html"), ("--plots", "file"), ("--json", ".")],
)
def test_what_could_not_be_written_is_refused_before_the_run(
    octavo, ran, tmp_path, monkeypatch, options
):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert octavo("bench", *options).exit_code == 1
    assert ran == []


def test_missing_matplotlib_is_said_before_the_run(octavo, ran, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    shown = octavo("bench", "--plots", tmp_path / "plots")
    assert shown.exit_code == 1
    assert "pip install 'octavo[bench]'" in shown.stderr
    assert ran == []
    assert not (tmp_path / "plots").exists()


@pytest.mark.parametrize(
    "options",
    [
        ("--from", "a.json", "--only", "micro.*"),
        ("--from", "a.json", "--suite", "huge"),
        ("--corpus", "a.parquet", "--documents", "1000"),
        ("--corpus", "a.parquet", "--long"),
    ],
)
def test_options_that_would_do_nothing_are_wrong_use(
    octavo, ran, report, tmp_path, monkeypatch, options
):
    monkeypatch.chdir(tmp_path)
    write_report(report, tmp_path / "a.json")
    assert octavo("bench", *options).exit_code == 2
    assert ran == []

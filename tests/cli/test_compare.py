import errno
import os
import shutil
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[1] / "evaluation" / "fixtures"
RUN, QRELS = FIXTURES / "small.run", FIXTURES / "small.qrels"


def test_a_run_of_any_system(octavo):
    shown = octavo("compare", RUN, QRELS, "--metric", "RR", "--metric", "P@1")
    assert shown.exit_code == 0, shown.stderr
    lines = [line.split("\t") for line in shown.stdout.splitlines()]
    assert [line[:3] for line in lines[1:]] == [
        ["small", "RR", "0.3750"],
        ["small", "P@1", "0.2500"],
    ]
    assert shown.stderr.splitlines()[:4] == [
        "judged queries: 4",
        "of them without a relevant document, counted as zero: 1",
        "small: judged queries without results, counted as zero: 2",
        "small: queries without judgements, left out: 1",
    ]


def test_files_of_one_name_are_told_apart_by_their_paths(octavo, tmp_path):
    other = tmp_path / "small.run"
    shutil.copy(RUN, other)
    shown = octavo("compare", RUN, other, QRELS, "--metric", "AP", "--baseline", other)
    assert [line.split("\t")[0] for line in shown.stdout.splitlines()[1:]] == [str(RUN), str(other)]
    assert f"differences to {other}" in shown.stderr


def test_names_of_files_do_nothing_to_a_terminal(octavo, tmp_path):
    odd = tmp_path / "a\tb\x1b[31m.run"
    shutil.copy(RUN, odd)
    shown = octavo("compare", odd, QRELS, "--metric", "AP")
    assert [line.split("\t")[0] for line in shown.stdout.splitlines()[1:]] == ["a b\ufffd[31m"]
    assert "\x1b" not in shown.stdout + shown.stderr


def test_the_gate(octavo, tmp_path):
    better = tmp_path / "better.run"
    better.write_text("1 Q0 d1 1 2 t\n2 Q0 d2 1 1 t\n")
    assert octavo("compare", better, QRELS, "--against", RUN, "--metric", "P@1").exit_code == 0
    failed = octavo("compare", RUN, QRELS, "--against", better, "--metric", "RR")
    assert failed.exit_code == 1
    assert failed.stderr.splitlines()[-2:] == [
        "compared with better over the judged queries that it has results for: 2 of 4",
        "octavo: small: RR is 0.7500, below 1.0000 (1.0000 in better, tolerance 0)",
    ]


def test_on_a_terminal_it_is_a_table(octavo, monkeypatch):
    from octavo.cli import evaluation_options

    shown = []
    monkeypatch.setattr(evaluation_options, "show_table", shown.append)

    class Terminal:
        @staticmethod
        def isatty():
            return True

    monkeypatch.setattr(evaluation_options.sys, "stdout", Terminal)
    from octavo.evaluation import evaluate, read_qrels, read_run

    evaluation_options._show(evaluate(read_run(RUN), read_qrels(QRELS), ["RR"]), as_json=False)
    (table,) = shown
    assert table.columns == ("system", "RR")
    assert table.rows[0][1].startswith("0.3750 [0.000, 0.")


@pytest.mark.parametrize("arguments", [(), (QRELS,)])
def test_too_few_files_are_wrong_use(octavo, arguments):
    assert octavo("compare", *arguments).exit_code == 2


def test_what_is_read_is_never_replaced(octavo, tmp_path):
    run, qrels = (shutil.copy(each, tmp_path) for each in (RUN, QRELS))
    before = QRELS.read_bytes()
    both = ("--per-query", tmp_path / "a.csv", "--html", tmp_path / "a.csv")
    for options in (("--html", qrels), ("--html", run), both):
        refused = octavo("compare", run, qrels, *options)
        assert refused.exit_code == 2
        assert refused.stdout == ""
        assert "--html: expected a file of its own" in refused.stderr
    assert Path(qrels).read_bytes() == before


def test_a_page_of_runs(octavo, index, tmp_path):
    page = tmp_path / "report.html"
    shown = octavo(
        "compare", RUN, QRELS, "--html", page, "--index", index, "--queries", FIXTURES / "beir"
    )
    assert shown.exit_code == 0, shown.stderr
    assert "1 system on 4 judged queries" in page.read_text()
    for option, value in (("--index", index), ("--queries", QRELS)):
        refused = octavo("compare", RUN, QRELS, option, value)
        assert f"{option}: expected --html beside it, found none" in refused.stderr


@pytest.mark.parametrize("option", ["--plot", "--per-query", "--html"])
def test_outputs_of_an_evaluation_are_whole_or_as_they_were(octavo, tmp_path, monkeypatch, option):
    pytest.importorskip("matplotlib")
    name = {"--plot": "a.svg", "--per-query": "a.csv", "--html": "a.html"}[option]
    (tmp_path / name).write_text("old")
    real = os.fsync

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    failed = octavo("compare", RUN, QRELS, option, tmp_path / name)
    monkeypatch.setattr(os, "fsync", real)
    assert failed.exit_code == 1
    assert f"octavo: {tmp_path / name}: No space left on device" in failed.stderr
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {name: "old"}

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.evaluation import read_run

FIXTURES = Path(__file__).parents[1] / "evaluation" / "fixtures"
BEIR = FIXTURES / "beir"  # red fox: a, d; blue whale: b


def rows(shown):
    return list(csv.DictReader(io.StringIO(shown.stdout), delimiter="\t"))


def test_strategies_side_by_side(octavo, index):
    shown = octavo("eval", index, BEIR, BEIR, "--strategy", "keyword", "--strategy", "hybrid")
    assert shown.exit_code == 0, shown.stderr
    found = rows(shown)
    assert [(row["system"], row["metric"]) for row in found] == [
        (system, metric)
        for system in ("keyword", "hybrid")
        for metric in ("nDCG@10", "AP", "R@100")
    ]
    # Keyword finds d before a for "red fox": grades 1, 2 in place of 2, 1; and b first for the other.
    gained, ideal = 1 + 2 / 1.584962500721156, 2 + 1 / 1.584962500721156
    assert found[0]["mean"] == f"{(gained / ideal + 1) / 2:.4f}"
    assert (found[1]["mean"], found[2]["mean"], found[1]["p"]) == ("1.0000", "1.0000", "")
    assert found[3]["p"] != ""
    assert "queries without judgements, left out: 1" in shown.stderr
    assert "judged queries: 2" in shown.stderr
    assert "differences to keyword: paired randomisation test" in shown.stderr


def test_without_a_strategy_all_that_apply_are_compared(octavo, index):
    shown = octavo("eval", index, BEIR, BEIR, "--metric", "AP", "--json")
    assert "Strategies: keyword, vector, hybrid" in shown.stderr
    found = json.loads(shown.stdout)
    assert [system["name"] for system in found["systems"]] == ["keyword", "vector", "hybrid"]
    assert found["metrics"] == ["AP"]
    assert len(found["comparisons"]) == 2


def test_options_go_to_the_strategies_that_have_them(octavo, index):
    shown = octavo(
        "eval", index, BEIR, BEIR, "--strategy", "keyword", "--strategy", "HYBRID",
        "--candidate-depth", 1, "-k", 5, "--baseline", "hybrid", "--filter", "tier=top",
    )  # fmt: skip
    assert shown.exit_code == 0, shown.stderr
    assert "differences to hybrid" in shown.stderr
    assert "R@100 looks at 100 results, but only 5 are asked (-k)" in shown.stderr
    refused = octavo("eval", index, BEIR, BEIR, "--strategy", "keyword", "--half-life", "3d")
    assert refused.exit_code == 2
    assert (
        "strategy keyword: expected options that one of them has, found half_life" in refused.stderr
    )


def test_one_strategy_with_several_settings(octavo, index, tmp_path):
    pytest.importorskip("matplotlib")
    settings = {
        "hybrid": "hybrid",
        "deep one": " deep  one = HYBRID --candidate-depth 500",
        "hybrid,rrf_k=1,weights=keyword=9,vector=1": "hybrid --rrf-k 1 --weights keyword=9,vector=1",
    }
    given = [each for text in settings.values() for each in ("--strategy", text)]
    files = {name: tmp_path / name for name in ("q.csv", "p.svg", "r.html", "runs")}
    shown = octavo(
        "eval", index, BEIR, BEIR, *given, "--baseline", "deep one", "--per-query", files["q.csv"],
        "--plot", files["p.svg"], "--html", files["r.html"], "--runs", files["runs"],
    )  # fmt: skip
    assert shown.exit_code == 0, shown.stderr
    assert list(dict.fromkeys(row["system"] for row in rows(shown))) == list(settings)
    assert "differences to deep one" in shown.stderr
    for name in ("q.csv", "p.svg", "r.html"):
        text = files[name].read_text()
        assert all(label in text for label in settings)
    for label, text in settings.items():
        _, *options = text.removeprefix(" deep  one = ").split()
        one = ("--strategy", "hybrid", *options, "--runs", tmp_path / "one")
        alone = octavo("eval", index, BEIR, BEIR, *one)
        assert [row["mean"] for row in rows(alone)] == [
            row["mean"] for row in rows(shown) if row["system"] == label
        ]
        found, expected = (
            read_run(each).table()
            for each in (files["runs"] / f"{label}.trec", tmp_path / "one" / "hybrid.trec")
        )
        assert found == expected
    again = octavo("compare", *(files["runs"] / f"{each}.trec" for each in settings), BEIR)
    assert [row["system"] for row in rows(again)] == [row["system"] for row in rows(shown)]


def test_options_of_one_strategy_go_before_those_of_all(octavo, index, tmp_path):
    asked = ("--strategy", "hybrid --rrf-k 1", "--strategy", "shared = hybrid", "--rrf-k", 5)
    shown = octavo("eval", index, BEIR, BEIR, *asked, "--runs", tmp_path)
    assert shown.exit_code == 0, shown.stderr
    together = [read_run(tmp_path / f"{label}.trec") for label in ("hybrid,rrf_k=1", "shared")]
    for constant, run in zip((1, 5), together, strict=True):
        alone = ("--strategy", "hybrid", "--rrf-k", constant, "--runs", tmp_path)
        assert octavo("eval", index, BEIR, BEIR, *alone).exit_code == 0
        assert run.table() == read_run(tmp_path / "hybrid.trec").table()
    assert together[0].table() != together[1].table()


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        (["hybrid --rrf-kk 3"], "'hybrid --rrf-kk 3': No such option: --rrf-kk"),
        (["hybrid --rrf-k many"], "'hybrid --rrf-k many': Invalid value for '--rrf-k'"),
        (["hybrid --rrf-k"], "Option '--rrf-k' requires an argument"),
        (["hybrid 'x"], "No closing quotation"),
        (["hybrid fusion"], "(fusion)"),
        (["deep = "], "'deep = ': Missing argument"),
        (["deep = hybird"], "expected one of vector, keyword, hybrid"),
        (["a/b = hybrid"], "expected a label of 1 to 60 characters"),
        (["hybrid --help"], "'hybrid --help': No such option"),
        (["keyword --rrf-k 3"], "strategy 'keyword': no option rrf_k; its options are: none"),
        (["hybrid --weights keyword=x"], "weights"),
        (["hybrid --weights keyword=-1"], "weights"),
        (["keyword", "KEYWORD"], "expected a label of its own for each, found 'keyword' again"),
        (["a = hybrid", "A = keyword"], "found 'A' again; give it one (label=; --strategy"),
    ],
)
def test_bad_settings_are_told_before_the_work(octavo, index, strategies, message):
    given = [each for text in strategies for each in ("--strategy", text)]
    shown = octavo("eval", index, BEIR, BEIR, *given)
    assert shown.exit_code == 2
    assert message in " ".join(shown.stderr.replace("│", " ").split())
    assert "left out" not in shown.stderr  # queries were not read yet
    assert shown.stdout == ""


def test_files_are_written(octavo, index, tmp_path):
    pytest.importorskip("matplotlib")
    shown = octavo(
        "eval", index, BEIR / "queries.jsonl", BEIR / "qrels" / "test.tsv", "--per-query",
        tmp_path / "q.parquet", "--plot", tmp_path / "p.svg", "--runs", tmp_path / "runs",
    )  # fmt: skip
    assert shown.exit_code == 0, shown.stderr
    assert len(pq.read_table(tmp_path / "q.parquet")) == 3 * 2
    assert "<svg" in (tmp_path / "p.svg").read_text()
    assert sorted(each.name for each in (tmp_path / "runs").iterdir()) == [
        "hybrid.trec", "keyword.trec", "vector.trec",
    ]  # fmt: skip
    assert read_run(tmp_path / "runs" / "keyword.trec").query_ids.to_pylist() == ["q1", "q2"]
    again = octavo(
        "compare",
        *(tmp_path / "runs" / f"{each}.trec" for each in ("keyword", "vector", "hybrid")),
        BEIR,
    )
    assert again.stdout == shown.stdout


def test_the_gate(octavo, index, tmp_path):
    asked = ("eval", index, BEIR, BEIR, "--strategy", "keyword", "--metric", "AP")
    runs = tmp_path / "runs"
    assert octavo(*asked, "--fail-below", "R@10=1", "--runs", runs).exit_code == 0
    failed = octavo(*asked, "--fail-below", "nDCG@10=0.99", "--fail-below", "AP=0.5")
    assert failed.exit_code == 1
    assert failed.stderr.splitlines()[-1].startswith("octavo: keyword: nDCG@10 is 0.9")
    assert [row["metric"] for row in rows(failed)] == ["AP", "nDCG@10"]
    same = octavo(*asked, "--against", runs / "keyword.trec")
    assert same.exit_code == 0
    assert (
        "compared with keyword over the judged queries that it has results for: 2 of 2"
        in same.stderr
    )
    worse = ("eval", index, BEIR, BEIR, "--strategy", "keyword", "--metric", "R@10", "-k", 1)
    failed = octavo(*worse, "--against", runs / "keyword.trec", "--tolerance", 0.005)
    assert failed.exit_code == 1
    assert failed.stderr.splitlines()[-1] == (
        "octavo: keyword: R@10 is 0.7500, below 0.9950 (1.0000 in keyword, tolerance 0.005)"
    )
    assert octavo(*worse, "--against", runs / "keyword.trec", "--tolerance", 0.25).exit_code == 0


def test_vectors_of_queries(octavo, corpus_file, tmp_path):
    documents = pq.read_table(corpus_file)
    vectors = pa.array(
        [[float(at == place) for place in range(5)] for at in range(5)], pa.list_(pa.float32())
    )
    pq.write_table(documents.append_column("v", vectors), tmp_path / "d.parquet")
    built = octavo(
        "index", tmp_path / "d.parquet", "--out", tmp_path / "index", "--embedding", "column:v"
    )
    assert built.exit_code == 0, built.stderr
    queries = tmp_path / "q.parquet"
    pq.write_table(pa.table({"id": ["q1"], "text": ["unknown"], "v": vectors.slice(0, 1)}), queries)
    shown = octavo(
        "eval", tmp_path / "index", queries, BEIR, "--query-vector", "v", "--metric", "P@1"
    )
    assert {row["system"]: row["mean"] for row in rows(shown)} == {
        "keyword": "0.0000", "vector": "0.5000", "hybrid": "0.5000",
    }  # fmt: skip
    assert "keyword: judged queries without results, counted as zero: 2" in shown.stderr
    assert "vector: judged queries without results, counted as zero: 1" in shown.stderr


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--metric", "nDGC@10"), 2, "metric: expected one of"),
        (("--fail-below", "AP"), 2, "fail-below: expected METRIC=NUMBER"),
        (("--tolerance", "0.1"), 2, "--tolerance: expected --against beside it"),
        (("--per-query", "a.txt"), 2, "per-query: expected a .parquet or .csv file"),
        (("--per-query", "no/a.csv"), 1, "octavo: no: No such file or directory"),
        (("--plot", "a.pdf"), 2, "--plot: expected a .svg or .png file"),
        (("--strategy", "nothing"), 2, "expected one of vector, keyword"),
        (("--baseline", "nothing"), 2, "baseline: expected one of keyword"),
        (("--against", "no.run"), 1, "octavo: no.run: no such file"),
        (("--split", "dev"), 1, "expected dev.tsv of qrels"),
    ],
)
def test_bad_options_are_told(octavo, index, options, status, message):
    shown = octavo("eval", index, BEIR, BEIR, *options)
    assert shown.exit_code == status
    assert message in " ".join(shown.stderr.replace("│", " ").split())
    assert shown.stdout == ""


def test_a_page_has_texts_and_parts(octavo, index, tmp_path):
    page = tmp_path / "report.html"
    shown = octavo("eval", index, BEIR, BEIR, "--html", page, "--html-queries", 1)
    assert shown.exit_code == 0, shown.stderr
    text = page.read_text()
    assert text.count("<details") == 1
    assert "<mark>" in text
    assert 'class="parts"' in text
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".html"] == ["report.html"]


def test_a_page_that_cannot_be_written_is_said_before_the_work(octavo, index, tmp_path):
    refused = octavo("eval", index, BEIR, BEIR, "--html", tmp_path / "none" / "report.html")
    assert refused.exit_code == 1
    assert "Strategies" not in refused.stderr
    refused = octavo("eval", index, BEIR, BEIR, "--html-queries", 3)
    assert "--html-queries: expected --html beside it, found none" in refused.stderr

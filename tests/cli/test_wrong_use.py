"""What cannot be on any data exits with 2; what failed, or fell below a gate, with 1."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

FIXTURES = Path(__file__).parents[1] / "evaluation" / "fixtures"
BEIR, QRELS, RUN = FIXTURES / "beir", FIXTURES / "small.qrels", FIXTURES / "small.run"


@pytest.fixture
def queries(tmp_path):
    path = tmp_path / "q.parquet"
    pq.write_table(pa.table({"id": ["q1"], "text": ["red fox"]}), path)
    return path


def refused(done):
    """The message of wrong use, on one line, without the box that is drawn around it."""
    assert done.exit_code == 2, (done.exit_code, done.stderr)
    assert done.stdout == ""
    return " ".join(done.stderr.replace("│", " ").split())


STRATEGY_VALUES = [
    ("temporal", "--half-life", "soon", "expected a duration"),
    ("temporal", "--half-life", "99999999999d", "too long"),
    ("temporal", "--floor", "1.5", "expected a number from 0 to 1"),
    ("temporal", "--floor", "nan", "expected a number from 0 to 1"),
    ("temporal", "--now", "today", "expected an instant"),
    ("temporal", "--child", "nothing", "expected one of vector, keyword"),
    ("hierarchical", "--decay", "-1", "expected a number from 0 to 1"),
    ("hybrid", "--weights", "keyword", "expected such as keyword=1,vector=0.5"),
    ("hybrid", "--weights", "keyword=1", "expected one for each of keyword, vector"),
    ("hybrid", "--weights", "keyword=-1,vector=1", "weights: keyword: expected 0 or"),
    ("hybrid", "--rrf-k", "-1", "--rrf-k"),
    ("hybrid", "--max-depth", "1", "expected graph=True"),
    ("hybrid", "--candidate-depth", "0", "--candidate-depth"),
    ("graph", "--seeds", "words", "expected one of keyword, vector, hybrid"),
    ("multi-query", "--expander", "words", "expected table:FILE or MODULE:ATTR"),
    ("reasoning", "--navigator", "map:", "expected lexical or MODULE:ATTR"),
    ("keyword", "--min-score", "nan", "expected a finite number"),
    ("nothing", "-k", "3", "expected one of vector, keyword"),
    ("keyword", "--filter", "tier", "expected KEY=VALUE"),
]


@pytest.mark.parametrize(("strategy", "option", "value", "message"), STRATEGY_VALUES)
def test_values_of_strategies(octavo, index, queries, tmp_path, strategy, option, value, message):
    asked = ("--strategy", strategy, option, value)
    assert message in refused(octavo("search", index, "fox", *asked))
    out = tmp_path / "out.parquet"
    assert message in refused(octavo("batch", index, queries, "--out", out, *asked))
    assert not out.exists()
    assert message in refused(octavo("eval", index, BEIR, BEIR, *asked))
    assert message in refused(octavo("sweep", index, BEIR, BEIR, "--candidate-depth", "9", *asked))


def test_options_of_other_strategies(octavo, index, queries, tmp_path):
    asked = ("--strategy", "keyword", "--half-life", "3d")
    assert "no option half_life" in refused(octavo("search", index, "fox", *asked))
    batch = octavo("batch", index, queries, "--out", tmp_path / "o.parquet", *asked)
    assert "no option half_life" in refused(batch)
    assert "found half_life" in refused(octavo("eval", index, BEIR, BEIR, *asked))
    assert "no option half_life" in refused(octavo("sweep", index, BEIR, BEIR, *asked))


@pytest.mark.parametrize("command", ["eval", "compare"])
@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--fail-below", "AP", "fail-below: expected METRIC=NUMBER"),
        ("--fail-below", "AP=high", "fail-below: expected METRIC=NUMBER"),
        ("--fail-below", "nDGC@10=0.3", "metric: expected one of"),
        ("--fail-below", "NumQ=1", "expected a mean over queries"),
        ("--metric", "nDGC@10", "metric: expected one of"),
        ("--metric", "P", "expected a value of cutoff"),
        ("--tolerance", "nan", "--tolerance"),
        ("--tolerance", "-1", "--tolerance"),
        ("--per-query", "a.txt", "per-query: expected a .parquet or .csv file"),
        ("--plot", "a.pdf", "expected a .svg or .png file"),
        ("--baseline", "nothing", "baseline: expected one of"),
    ],
)
def test_a_broken_gate_is_no_fall(octavo, index, command, option, value, message):
    judged = ("eval", index, BEIR, BEIR) if command == "eval" else ("compare", RUN, QRELS)
    against = ("--against", RUN) if option == "--tolerance" else ()
    assert message in refused(octavo(*judged, *against, option, value))


@pytest.mark.parametrize("gate", [("--fail-below", "P@1=1.1"), ("--against", "better.run")])
def test_a_fallen_gate_is_a_failure(octavo, tmp_path, monkeypatch, gate):
    monkeypatch.chdir(tmp_path)
    Path("better.run").write_text("1 Q0 d1 1 2 t\n2 Q0 d2 1 1 t\n")
    fallen = octavo("compare", RUN, QRELS, "--metric", "RR", *gate)
    assert fallen.exit_code == 1
    assert "below" in fallen.stderr


def test_data_that_is_wrong_is_a_failure(octavo, index, tmp_path):
    (tmp_path / "bad.run").write_text("1 Q0 d1 1 high t\n")
    for done in (
        octavo("compare", tmp_path / "bad.run", QRELS),
        octavo("compare", RUN, QRELS, "--against", tmp_path / "none.run"),
        octavo("search", tmp_path / "none", "fox"),
        octavo("search", index, "fox", "--strategy", "graph"),
        octavo("search", index, "fox", "--strategy", "multi-query", "--model", "m", "--expander", "table:none"),
    ):  # fmt: skip
        assert done.exit_code == 1, done.stderr
        assert done.stderr.startswith("octavo: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rrf-k", "1,many"], "--rrf-k: expected int values between commas"),
        (["--rrf-k", "1,-2"], "--rrf-k: each: expected an integer of at least 0"),
        (["--rrf-k", ","], "--rrf-k: expected at least one value"),
        (["--floor", "0.5,2"], "--floor: expected a number from 0 to 1"),
        (["--half-life", "1d,soon"], "--half-life: half_life: expected a duration"),
        (["--weights", "keyword=1,vector=1; keyword=1"], "--weights: weights: expected one for each"),
        (["--seeds", "words"], "--seeds: seeds: expected one of"),
        (["--rrf-k", "1", "--metric", "BLEU"], "metric: expected nDCG"),
        (["--rrf-k", "1", "--folds", "1"], "--folds"),
        ([], "expected values for at least one option"),
        (["--rrf-k", "0:1"], "--rrf-k"),
    ],
)  # fmt: skip
def test_values_of_sweeps(octavo, index, options, message):
    done = octavo("sweep", index, BEIR, BEIR, "--strategy", "hybrid", *options)
    assert message in refused(done)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--embedding", "words"], "embedding: expected hash"),
        (["--embedding", "hash:1"], "embedding 'hash:1': expected an integer"),
        (["--recall", "0"], "expected a number above 0 and up to 1"),
        (["--recall", "nan"], "expected a number above 0 and up to 1"),
        (["--vector-index", "tree"], "vector_index: expected one of"),
        (["--memory-budget", "some"], "memory budget"),
        (["--timestamp-zone", "Middle/Earth"], "expected a zone"),
        (["--language", "xx"], "language: no stemmer"),
        (["--edge-column", "head"], "expected PART=COL"),
        (["--edge-column", "middle=x"], "edge_columns: expected one of"),
        (["--shards", "0"], "--shards"),
        (["--engine", "cloud"], "--engine"),
    ],
)
def test_values_of_builds(octavo, corpus_file, tmp_path, options, message):
    out = tmp_path / "index"
    assert message in refused(octavo("index", corpus_file, "--out", out, *options))
    assert not out.exists()


def test_other_commands(octavo, index, queries, tmp_path):
    assert "a blank one" in refused(octavo("delete", index, "--id", " "))
    assert "vector_index" in refused(octavo("tune", index, "--vector-index", "tree"))
    assert "above 0" in refused(octavo("tune", index, "--recall", "2"))
    out = tmp_path / "o.parquet"
    batch = ("batch", index, queries, "--out")
    assert "format: expected one of" in refused(octavo(*batch, out, "--format", "xml"))
    assert "tells no format" in refused(octavo(*batch, tmp_path / "o.xml"))
    embed = ("embed", queries, "--out", out, "--model")
    assert "embedding: expected hash" in refused(octavo(*embed, "minilm"))
    assert "above 0" in refused(octavo(*embed, "openai:m", "--requests-per-minute", "0"))
    assert "base_url: expected an address" in refused(octavo(*embed, "openai:m", "--base-url", "x"))
    drawn = octavo("search", index, "fox", "--strategy", "keyword", "--draw", tmp_path / "a.dot")
    assert "--draw: expected a strategy that walks a graph" in refused(drawn)
    assert "expected quick or full" in refused(octavo("bench", "--suite", "huge"))
    assert not list(tmp_path.glob("o.*"))

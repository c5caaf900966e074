"""``octavo tune`` and what ``octavo info`` says of it."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture(scope="module")
def corpus_file(tmp_path_factory):
    rows = range(1200)
    texts = [f"w{row % 37} w{row % 41} w{row % 43} w{row % 47} w{row % 53}" for row in rows]
    path = tmp_path_factory.mktemp("tune") / "docs.parquet"
    pq.write_table(pa.table({"id": [str(row) for row in rows], "text": texts}), path)
    return path


@pytest.fixture(scope="module")
def lists(corpus_file):
    from typer.testing import CliRunner

    from octavo.cli.main import app

    out = corpus_file.with_name("index")
    arguments = ["index", str(corpus_file), "--out", str(out), "--embedding", "hash"]
    done = CliRunner().invoke(app, [*arguments, "--recall", "0.7", "--vector-index", "lists"])
    assert done.exit_code == 0, done.output
    return out


@pytest.fixture
def tuned(lists, tmp_path):
    shutil.copytree(lists, tmp_path / "index")
    return tmp_path / "index"


def measured(octavo, index):
    described = json.loads(octavo("info", index, "--json").stdout)
    return described["vector_search"][0]["measured"]


def test_info_shows_recall_time_and_memory(octavo, lists):
    text = " ".join(octavo("info", lists).stdout.split())
    assert "vector search lists: " in text
    assert "recall at 10: " in text
    assert "for texts (target 0.7" in text
    assert "ms alone" in text
    assert measured(octavo, lists)["recall"] >= 0.7


def test_tune_prints_what_it_found(octavo, tuned):
    done = octavo("tune", tuned, "--recall", "0.9")
    assert done.exit_code == 0, done.output
    assert "(target 0.9" in done.stdout
    assert "Tuned" in done.stderr
    assert measured(octavo, tuned)["target"] == 0.9


def test_tune_to_exact(octavo, tuned):
    assert octavo("tune", tuned, "--recall", "1.0").exit_code == 0
    assert measured(octavo, tuned)["kind"] == "flat"


def test_info_says_why_an_index_with_lists_is_searched_exactly(octavo, tuned):
    """Lists that were not asked for do not pay in so few rows, once a search is exact."""
    octavo("tune", tuned, "--recall", "1.0")
    assert "kept unused\n" in octavo("info", tuned).stdout
    octavo("tune", tuned, "--recall", "0.9")
    assert "kept unused: they do not pay at a recall of 0.9" in octavo("info", tuned).stdout


def test_tune_for_queries_of_a_file(octavo, tuned, tmp_path):
    queries = pa.table({"question": [f"w{row % 37} w{row % 41}" for row in range(60)]})
    pq.write_table(queries, tmp_path / "queries.parquet")
    arguments = ("tune", tuned, "--vector-index", "lists", "--recall", "0.8")
    done = octavo(*arguments, "--queries", tmp_path / "queries.parquet")
    assert done.exit_code == 0, done.output
    assert list(measured(octavo, tuned)["recalls"]) == ["queries"]
    assert octavo(*arguments, "--query-text", "question").exit_code == 2


@pytest.mark.parametrize("recall", ["0", "1.1", "nan", "-1"])
def test_bad_targets_fail(octavo, lists, corpus_file, tmp_path, recall):
    assert octavo("tune", lists, "--recall", recall).exit_code == 2
    arguments = ("index", corpus_file, "--out", tmp_path / "new", "--embedding", "hash")
    assert octavo(*arguments, "--recall", recall).exit_code == 2
    assert not (tmp_path / "new").exists()


def test_unknown_kinds_fail(octavo, lists):
    assert octavo("tune", lists, "--vector-index", "ivf").exit_code == 2

import json

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.corpus.corpus import Corpus


def test_it_builds_and_says_what_it_chose(octavo, corpus_file, tmp_path):
    out = tmp_path / "index"
    made = octavo("index", corpus_file, "--out", out, "--metadata", "tier")
    assert (made.exit_code, made.stdout) == (0, "")
    assert "Columns: id 'id'; text 'text'; title 'title'; metadata 'tier'" in made.stderr
    lines = made.stderr.splitlines()
    assert "documents     5" in lines
    assert "empty texts   0" in lines  # the one without text has a title
    assert len(Corpus.open(out)) == 5


def test_the_hash_default_is_said_once_with_the_alternative(octavo, corpus_file, tmp_path):
    # S45
    by_default = octavo("index", corpus_file, "--out", tmp_path / "a").stderr
    assert by_default.count("--embedding column:COL") == 1
    chosen = octavo("index", corpus_file, "--out", tmp_path / "b", "--embedding", "hash").stderr
    assert "weak" not in chosen
    assert (
        "weak"
        not in octavo("index", corpus_file, "--out", tmp_path / "c", "--embedding", "none").stderr
    )


def test_options_reach_the_build(octavo, tmp_path):
    path = tmp_path / "d.parquet"
    table = pa.table(
        {
            "key": [1],
            "words": ["running foxes"],
            "title": ["Ignored"],
            "from": ["book"],
            "v": [[1.0, 0.0]],
        }
    )
    pq.write_table(table, path)
    out = tmp_path / "index"
    options = ("--id", "key", "--text", "words", "--no-title", "--source", "from", "--stem")
    made = octavo(
        "index", path, "--out", out, *options, "--stop-words", "--language", "en",
        "--embedding", "column:v", "--memory-budget", "1GiB",
    )  # fmt: skip
    assert made.exit_code == 0, made.stderr
    described = json.loads(octavo("info", out, "--json").stdout)
    assert described["columns"]["title"] is None
    assert described["columns"]["source"] == "from"
    assert described["analyzer"]["stem"] is True
    assert described["embedding"]["specification"] == "column:v"
    assert described["default_strategy"] == "hybrid"
    corpus = Corpus.open(out)
    assert [hit.source for hit in corpus.search("fox run", strategy="keyword")] == ["book"]
    assert corpus.search("ignored", strategy="keyword") == ()


def test_an_index_is_replaced_only_with_overwrite(octavo, corpus_file, tmp_path):
    out = tmp_path / "index"
    assert octavo("index", corpus_file, "--out", out).exit_code == 0
    refused = octavo("index", corpus_file, "--out", out)
    assert refused.exit_code == 1
    assert "overwrite" in refused.stderr
    assert octavo("index", corpus_file, "--out", out, "--overwrite").exit_code == 0


def test_title_and_no_title_are_wrong_use(octavo, corpus_file, tmp_path):
    options = ("--title", "title", "--no-title")
    assert octavo("index", corpus_file, "--out", tmp_path / "i", *options).exit_code == 2


def test_bad_input_is_one_line_and_no_index(octavo, tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"id": ["a", "a"], "text": ["x", "y"]}), path)
    failed = octavo("index", path, "--out", tmp_path / "i", "--embedding", "hash")
    assert failed.exit_code == 1
    assert failed.stderr.splitlines()[-1].startswith("octavo: ")
    assert "'a'" in failed.stderr
    assert not (tmp_path / "i").exists()
    assert octavo("index", tmp_path / "no.parquet", "--out", tmp_path / "i").exit_code == 1
    path.write_bytes(path.read_bytes()[:-9])
    truncated = octavo("index", path, "--out", tmp_path / "i")
    assert truncated.exit_code == 1
    assert truncated.stderr.splitlines()[-1].startswith(f"octavo: {path}: ")

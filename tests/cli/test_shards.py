import json

import pyarrow as pa
import pyarrow.parquet as pq


def test_an_index_in_shards_is_used_as_any_other(octavo, corpus_file, tmp_path):
    out = tmp_path / "index"
    options = ("--embedding", "hash", "--metadata", "tier")
    made = octavo("index", corpus_file, "--out", out, "--shards", "3", *options)
    assert (made.exit_code, made.stdout) == (0, "")
    assert "Columns: id 'id'; text 'text'; title 'title'; metadata 'tier'" in made.stderr
    assert "documents     5" in made.stderr.splitlines()
    single = tmp_path / "single"
    octavo("index", corpus_file, "--out", single, *options)
    for query in (("fox", "--json"), ("whale sea", "--json", "--filter", "tier=rest")):
        found = octavo("search", out, *query)
        assert found.exit_code == 0
        assert found.stdout == octavo("search", single, *query).stdout
        assert found.stdout
    described = json.loads(octavo("info", out, "--json").stdout)
    assert (described["shards"], described["documents"]) == (3, 5)
    assert "shards" in octavo("info", out).stdout
    assert octavo("verify", out).exit_code == 0
    pq.write_table(pa.table({"id": ["q"], "text": ["red fox"]}), tmp_path / "q.parquet")
    for index in (out, single):
        done = octavo("batch", index, tmp_path / "q.parquet", "--out", f"{index}.parquet")
        assert done.exit_code == 0, done.stderr
    assert (tmp_path / "index.parquet").read_bytes() == (tmp_path / "single.parquet").read_bytes()


def test_what_does_not_work_over_shards_is_said(octavo, corpus_file, tmp_path):
    out = tmp_path / "index"
    octavo("index", corpus_file, "--out", out, "--shards", "2", "--embedding", "none")
    again = octavo("index", corpus_file, "--out", out, "--shards", "2", "--embedding", "none")
    assert again.exit_code == 1
    assert "--overwrite" in again.stderr
    for command in (("compact", out), ("add", out, corpus_file), ("delete", out, "--id", "a")):
        refused = octavo(*command)
        assert refused.exit_code == 1
        assert "found a sharded one" in refused.stderr
    refused = octavo("search", out, "fox", "--strategy", "hierarchical")
    assert refused.exit_code == 1
    assert "not over a sharded index" in refused.stderr


def test_options_of_a_cluster_need_one(octavo, corpus_file, tmp_path):
    given = ("index", corpus_file, "--out", tmp_path / "index")
    for wrong in (
        ("--engine", "ray"),
        ("--workers", "2"),
        ("--ray-address", "auto", "--shards", "2"),
    ):
        assert octavo(*given, *wrong).exit_code == 2
    batch = ("batch", tmp_path, corpus_file, "--out", tmp_path / "r.parquet")
    assert octavo(*batch, "--engine", "ray", "--threads", "2").exit_code == 2
    derived = octavo(*given, "--shards", "2", "--derive-edges")
    assert derived.exit_code == 1
    assert "edges: expected none with shards" in derived.stderr

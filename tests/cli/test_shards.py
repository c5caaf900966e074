import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import Corpus
from octavo.shards import ShardedCorpus

BEIR = Path(__file__).parents[1] / "evaluation" / "fixtures" / "beir"


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
    for command in (
        ("compact", out),
        ("add", out, corpus_file),
        ("delete", out, "--id", "a"),
        ("delete", out, "--filter", "entryId=a", "--dry-run"),
    ):
        refused = octavo(*command)
        assert refused.exit_code == 1
        assert "found a sharded one: its 2 shards, in " in refused.stderr
        assert "generation-00000001, are built together" in refused.stderr
        assert f"octavo index DOCUMENTS --out {out} --shards 2 --overwrite" in refused.stderr
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


@pytest.fixture(scope="module")
def both(corpus_file, tmp_path_factory):
    """The same documents as one index and in shards."""
    out = tmp_path_factory.mktemp("both")
    single = Corpus.build(corpus_file, out / "single", embedding="hash", metadata=["tier"])
    sharded = ShardedCorpus.build(
        corpus_file, out / "sharded", 3, embedding="hash", metadata=["tier"]
    )
    return single.path, sharded.path


def test_strategies_are_evaluated_and_swept_as_over_a_single_index(octavo, both, tmp_path):
    shown = []
    for index in both:
        out = tmp_path / index.name
        evaluated = octavo(
            "eval", index, BEIR, BEIR, "--filter", "tier=top", "--html", f"{out}.html",
            "--per-query", f"{out}.csv", "--runs", out,
        )  # fmt: skip
        assert evaluated.exit_code == 0, evaluated.stderr
        assert "Strategies: keyword, vector, hybrid" in evaluated.stderr
        swept = octavo(
            "sweep", index, BEIR, BEIR, "--strategy", "hybrid", "--rrf-k", "1,60",
            "--candidate-depth", "1,5", "--folds", "2",
        )  # fmt: skip
        assert swept.exit_code == 0, swept.stderr
        compared = octavo(
            "compare", out / "keyword.trec", out / "vector.trec", BEIR, "--html", f"{out}-2.html",
            "--index", index, "--queries", BEIR,
        )  # fmt: skip
        assert compared.exit_code == 0, compared.stderr
        files = [f"{out}.csv", f"{out}.html", f"{out}-2.html"]
        texts = [Path(each).read_text() for each in files]
        assert all("<mark>" in each for each in texts[1:])
        shown.append([evaluated.stdout, swept.stdout, swept.stderr, compared.stdout, *texts])
    assert shown[0] == shown[1]


def test_what_follows_links_is_not_evaluated(octavo, both):
    for command in (("eval",), ("sweep", "--decay", "0.5", "--folds", "2")):
        refused = octavo(command[0], both[1], BEIR, BEIR, "--strategy", "graph", *command[1:])
        assert refused.exit_code == 1
        assert "strategy 'graph': not over a sharded index" in refused.stderr


@pytest.fixture
def lists(tmp_path):
    rows = range(900)
    texts = [f"w{row % 37} w{row % 41} w{row % 43}" for row in rows]
    documents = pa.table({"id": [str(row) for row in rows], "text": texts})
    return ShardedCorpus.build(
        documents, tmp_path / "index", 3, embedding="hash", vector_index="lists", recall=0.6
    ).path


def test_shards_are_tuned_and_summed_up(octavo, lists, tmp_path):
    done = octavo("tune", lists, "--recall", "0.9")
    assert done.exit_code == 0, done.stderr
    assert "Tuned" in done.stderr
    shown = [line for line in done.stdout.splitlines() if line.startswith("vector search")]
    assert len(shown) == 3
    assert re.search(r"lists in 3 shards: [\d ,to]+ lists probed, [\d ,to]+ nominees; ", shown[0])
    pattern = (
        r"recall at 10: .*(\d\.\d{3}) for texts, (\d\.\d{3}) in the worst shard.* \(target 0\.9\)"
    )
    mean, worst = map(float, re.search(pattern, shown[1]).groups())
    described = json.loads(octavo("info", lists, "--json").stdout)["vector_search"]
    recalls = [each["measured"]["recalls"]["texts"] for each in described]
    sizes = [each["stored_bytes"] for each in described]
    assert mean == pytest.approx(np.average(recalls, weights=sizes), abs=6e-4)
    assert worst == pytest.approx(min(recalls), abs=6e-4)
    assert "all shards in turn" in shown[2]
    pq.write_table(
        pa.table({"text": [f"w{row % 37}" for row in range(60)]}), tmp_path / "q.parquet"
    )
    queries = ("--queries", tmp_path / "q.parquet")
    assert octavo("tune", lists, "--recall", "0.8", *queries).exit_code == 0
    assert "for queries, " in octavo("info", lists).stdout
    exact = octavo("tune", lists, "--recall", "1.0")
    assert "exact in 3 shards" in exact.stdout
    assert "of lists or a graph are kept unused\n" in exact.stdout


def test_a_tuning_that_did_not_end_shows(octavo, lists):
    place = ShardedCorpus.open(lists).shards[1]
    assert octavo("tune", place.snapshot().path, "--recall", "0.9").exit_code == 0
    assert "(target 0.6, 0.9)" in octavo("info", lists).stdout


def test_damaged_shards_are_repaired(octavo, lists):
    assert "Nothing is damaged" in octavo("repair", lists).stderr
    path = next(lists.rglob("id_hashes.npy"))
    path.write_bytes(path.read_bytes()[:-1])
    assert octavo("verify", lists).exit_code == 1
    done = octavo("repair", lists)
    assert (done.exit_code, done.stdout[:21]) == (0, "rebuilt ids of shard ")
    assert octavo("verify", lists).exit_code == 0

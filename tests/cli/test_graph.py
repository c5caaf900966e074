"""The graph of an index from the command line (S23, S24)."""

import json
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from octavo.cli import index as cli_index
from octavo.cli.main import app
from octavo.corpus.corpus import Corpus

EDGES = [("a", "hunts", "b"), ("b", "meets", "e"), ("e", "names", "gone")]


@pytest.fixture(scope="module")
def linked(corpus_file, tmp_path_factory):
    """The index of five documents, with edges between them."""
    folder = tmp_path_factory.mktemp("linked")
    lines = "\n".join(",".join(edge) for edge in [("head", "relation", "tail"), *EDGES])
    (folder / "edges.csv").write_text(lines)
    made = CliRunner().invoke(
        app, ["index", str(corpus_file), "--edges", f"{folder}/edges.csv", "--out",
              f"{folder}/index", "--embedding", "hash", "--metadata", "tier"]
    )  # fmt: skip
    assert made.exit_code == 0, made.stderr
    return folder / "index"


@pytest.fixture(scope="module")
def queries(tmp_path_factory):
    path = tmp_path_factory.mktemp("queries") / "queries.parquet"
    pq.write_table(pa.table({"id": ["q1", "q2"], "text": ["jumps over", "nothing of this"]}), path)
    return path


def hits_of(found):
    assert found.exit_code == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


def test_search_walks_the_graph(octavo, linked):  # S24
    hits = hits_of(octavo("search", linked, "jumps over", "--strategy", "graph", "--json"))
    assert [hit["id"] for hit in hits] == ["a", "b", "e"]
    assert [hit["parts"]["hops"] for hit in hits] == [0, 1, 2]
    assert {hit["source"] for hit in hits} == {"corpus"}
    assert hits[1]["score"] == hits[0]["score"] * 0.85
    bounded = octavo("search", linked, "jumps over", "--strategy", "graph", "--max-depth", 1,
                     "--decay", 0.5, "--seeds", "keyword", "--json")  # fmt: skip
    assert [hit["score"] for hit in hits_of(bounded)] == [hits[0]["score"], hits[0]["score"] / 2]


def test_search_fuses_the_graph(octavo, linked):  # S23
    hits = hits_of(
        octavo("search", linked, "jumps over", "--strategy", "hybrid", "--graph", "--json")
    )
    expected = Corpus.open(linked).search("jumps over", strategy="hybrid", graph=True)
    assert [(hit["id"], hit["score"]) for hit in hits] == [
        (hit.metadata["entryId"], hit.score) for hit in expected
    ]
    assert hits[0]["parts"]["graph_rank"] == 1
    assert "graph_rank" not in next(hit for hit in hits if hit["id"] == "d")["parts"]
    explained = octavo(
        "search", linked, "jumps over", "--strategy", "hybrid", "--graph", "--explain"
    )
    assert explained.stdout.splitlines()[0].split("\t") == [
        "#", "score", "id", "keyword", "vector", "graph", "text", "path",
    ]  # fmt: skip
    shallow = octavo("search", linked, "jumps over", "--strategy", "hybrid", "--graph",
                     "--max-depth", 0, "--decay", 0.1, "--json")  # fmt: skip
    assert "graph_rank" not in next(hit for hit in hits_of(shallow) if hit["id"] == "b")["parts"]


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        (["--strategy", "graph"], ["hops", "seed_score", "node_id"]),
        (["--strategy", "hybrid", "--graph"],
         ["voting_streams", "keyword_rank", "keyword_score", "vector_rank", "vector_score",
          "graph_rank", "graph_score", "hops", "seed_score", "node_id"]),
    ],
)  # fmt: skip
def test_batch(octavo, linked, queries, tmp_path, options, columns):
    outs = [tmp_path / f"{threads}.parquet" for threads in (1, 2)]
    for threads, out in enumerate(outs, start=1):
        done = octavo("batch", linked, queries, "--out", out, *options, "--threads", threads)
        assert done.exit_code == 0, done.stderr
    assert outs[0].read_bytes() == outs[1].read_bytes()
    table = pq.read_table(outs[0])
    assert table.column_names == ["query_id", "rank", "id", "score", *columns]
    assert table["id"].to_pylist()[0] == "a"
    assert {"a", "b", "e"} <= set(table["id"].to_pylist())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--graph"], "strategy 'keyword': no option graph"),  # the default of hashes
        (["--strategy", "vector", "--graph"], "(graph of hybrid)"),
        (["--strategy", "graph", "--graph"], "(graph of hybrid)"),
        (["--strategy", "hybrid", "--max-depth", "1"], "expected graph=True (--graph)"),
        (["--strategy", "graph", "--seeds", "words"], "seeds: expected one of keyword, vector, hybrid"),
    ],
)  # fmt: skip
def test_wrong_use_is_told(octavo, linked, options, message):  # S50
    refused = octavo("search", linked, "fox", *options)
    assert refused.exit_code == 2
    assert message in " ".join(refused.stderr.split())


@pytest.mark.parametrize("options", [["--strategy", "graph"], ["--strategy", "hybrid", "--graph"]])
def test_an_index_without_edges(octavo, index, queries, tmp_path, options):  # S81
    for refused in (
        octavo("search", index, "fox", *options),
        octavo("batch", index, queries, "--out", tmp_path / "out.parquet", *options),
    ):
        assert refused.exit_code == 1
        assert "the index has no graph" in refused.stderr
        assert "--edges" in refused.stderr
        assert not (tmp_path / "out.parquet").exists()


def test_info_describes_the_graph(octavo, linked):
    lines = octavo("info", linked).stdout.splitlines()
    described = dict(line.split("  ", 1) for line in lines)
    described = {name: value.strip() for name, value in described.items()}
    assert described["graph"] == "4 nodes, 3 edges of 3 relations"
    assert described["dangling"] == "1 node without a document, on 1 edge"
    assert json.loads(octavo("info", linked, "--json").stdout)["graph"] == {
        "nodes": 4, "dangling_nodes": 1, "edges": 3, "dangling_edges": 1, "relations": 3,
    }  # fmt: skip


def test_edges_of_other_documents_are_told(octavo, corpus_file, tmp_path):
    (tmp_path / "links.csv").write_text("head,tail\nelse,where\n")
    made = octavo("index", corpus_file, "--out", tmp_path / "index", "--edges", tmp_path / "links.csv",
                  "--embedding", "none")  # fmt: skip
    assert "2 nodes without a document, on 1 edge; no edge joins two documents" in made.stderr


def test_info_says_nothing_of_a_graph_that_is_not_there(octavo, index):
    assert "graph" not in octavo("info", index).stdout
    assert json.loads(octavo("info", index, "--json").stdout)["graph"] is None


def test_progress_counts_edges_by_themselves(octavo, corpus_file, tmp_path, monkeypatch):
    pq.write_table(
        pa.table({"head": ["a", "b"], "tail": ["b", "gone"]}), tmp_path / "links.parquet"
    )
    told = []

    @contextmanager
    def progress():
        yield lambda *update: told.append(update)

    monkeypatch.setattr(cli_index, "progress", progress)
    octavo("index", corpus_file, "--out", tmp_path / "index", "--edges", tmp_path / "links.parquet")
    assert ("edges", 2, 2) in told


def test_edges_can_be_derived_from_what_documents_refer_to(octavo, tmp_path):  # S82
    table = pa.table({"docno": ["pep-0008", "pep-0257", "x"], "body": [
        "How to write Python.", "Docstrings. See PEP 8.", "Neither of them."]})  # fmt: skip
    pq.write_table(table, tmp_path / "peps.parquet")
    arguments = (tmp_path / "peps.parquet", "--out", tmp_path / "index", "--embedding", "none",
                 "--id", "docno", "--text", "body", "--derive-edges")  # fmt: skip
    built = octavo("index", *arguments)
    assert built.exit_code == 0, built.stderr
    edges = Corpus.open(tmp_path / "index").graph.edges("pep-0257")
    assert [(edge.relation, edge.target) for edge in edges] == [("refers to", "pep-0008")]
    again = octavo("index", *arguments)
    assert again.exit_code == 1
    assert "--overwrite" in again.stderr
    both = octavo("index", *arguments, "--edges", "links.csv", "--overwrite")
    assert both.exit_code == 2
    assert "--derive-edges" in both.stderr


def test_a_build_that_is_refused_reads_no_documents(octavo, tmp_path, monkeypatch):
    pq.write_table(pa.table({"id": ["a"], "text": ["b"]}), tmp_path / "a.parquet")
    (tmp_path / "index").write_text("a file")
    monkeypatch.setattr("octavo.columns.read_batches.read_batches", None)
    refused = octavo("index", tmp_path / "a.parquet", "--out", tmp_path / "index", "--derive-edges",
                     "--embedding", "none")  # fmt: skip
    assert refused.exit_code == 1
    assert "expected a directory for the index" in refused.stderr


def test_what_deriving_edges_raises_is_told_as_it_is(octavo, tmp_path):
    pq.write_table(pa.table({"id": ["a", "a"], "text": ["b", "c"]}), tmp_path / "a.parquet")
    refused = octavo("index", tmp_path / "a.parquet", "--out", tmp_path / "index", "--derive-edges",
                     "--embedding", "none")  # fmt: skip
    assert refused.exit_code == 1
    assert "distinct ids, found 'a'" in refused.stderr
    assert not (tmp_path / "index").exists()

"""``octavo search --explain`` and ``--draw`` where a graph finds hits (S24)."""

import json
import re
import shutil
import xml.etree.ElementTree as ET

import pytest

from octavo.cli import drawing
from octavo.cli.search import search
from octavo.corpus.corpus import Corpus
from octavo.graph.csr_graph import CsrGraph
from octavo.graph.drawing import dot, mermaid
from octavo.spi import GraphEdge, GraphNode
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hybrid import HybridRAGStrategy

HOSTILE = "\x1b[31mred\x1b[0m\nline\ttab \u202e"


@pytest.fixture
def graphs(monkeypatch):
    """Let ``--strategy graph`` and ``hybrid`` walk a graph over the corpus; returns the first."""
    graph = CsrGraph(
        [
            GraphNode("a", "Foxes", "wiki"),
            GraphNode("topic", HOSTILE, "wiki", {}, ("b",)),
            GraphNode("d", "Boxes", "wiki"),
            GraphNode("only", "", "wiki"),
        ],
        [
            GraphEdge("a", "lives\x07 near", "topic"),
            GraphEdge("topic", "is in", "d"),
            GraphEdge("topic", "", "only"),
        ],
        lambda query, limit: [("a", 3.2)] if "fox" in query else [],
    )

    def strategy(corpus, name=None, **options):
        walk = GraphRAGStrategy("wiki", graph, (), 2, 0.85, 1024, documents=corpus.keyword_index)
        if name == "graph":
            return walk
        if name == "hybrid":
            return HybridRAGStrategy(corpus.keyword_index, corpus.vector_store, walk)
        return known(corpus, name, **options)

    known = Corpus.strategy
    monkeypatch.setattr(Corpus, "strategy", strategy)
    return lambda index, name="graph": strategy(Corpus.open(index), name)


ON = "seed 'Foxes' [a] (3.2000) --lives\ufffd near--> '\ufffd[31mred\ufffd[0m' [topic]"
LINES = [
    "seed 'Foxes' [a] (3.2000)",
    f"{ON} => document 'b'; 1 hop, 3.2000 x 0.85 = 2.7200",
    f"{ON} --is in--> 'Boxes' [d]; 2 hops, 3.2000 x 0.85^2 = 2.3120",
    f"{ON} --> 'only'; 2 hops, 3.2000 x 0.85^2 = 2.3120",
]


def test_a_pipe_gets_a_field_with_the_path(octavo, index, graphs):  # S24
    found = octavo("search", index, "fox", "--strategy", "graph", "--explain")
    assert found.exit_code == 0
    header, *rows = [line.split("\t") for line in found.stdout.splitlines()]
    assert header == ["#", "score", "id", "text", "path"]
    assert [row[2] for row in rows] == ["a", "b", "d", "only"]
    assert [row[4] for row in rows] == LINES
    plain = octavo("search", index, "fox", "--strategy", "graph").stdout
    assert "seed" not in plain


def test_hits_that_the_graph_does_not_rank_have_none(octavo, index, graphs):  # S23 S24
    found = octavo("search", index, "fox", "--strategy", "hybrid", "--explain")
    header, *rows = [line.split("\t") for line in found.stdout.splitlines()]
    assert header == ["#", "score", "id", "keyword", "vector", "graph", "text", "path"]
    paths = {row[2]: row[7] for row in rows}
    assert [paths[each] for each in ("a", "b", "d", "only")] == LINES
    others = [row for row in rows if row[2] not in ("a", "b", "d", "only")]
    assert others
    assert all((row[5], row[7]) == ("-", "-") for row in others)
    nothing = octavo("search", index, "whale", "--strategy", "hybrid", "--explain").stdout
    assert nothing.splitlines()[0].split("\t")[-1] == "text"


def test_json_has_the_path(octavo, index, graphs):  # S24
    for strategy in ("graph", "hybrid"):
        found = octavo("search", index, "fox", "--strategy", strategy, "--json", "--explain")
        hits = {hit["id"]: hit for hit in map(json.loads, found.stdout.splitlines())}
        assert hits["d"]["path"] == {
            "nodes": ["a", "topic", "d"],
            "names": ["Foxes", "\x1b[31mred\x1b[0m", "Boxes"],
            "relations": ["lives\x07 near", "is in"],
            "hops": 2,
            "seed_score": 3.2,
            "decay": 0.85,
            "score": 3.2 * 0.85 * 0.85,
            "document": "d",
        }
        assert hits["b"]["path"]["document"] == "b"
        assert "path" not in hits.get("e", {})
        plain = octavo("search", index, "fox", "--strategy", strategy, "--json")
        assert "path" not in json.loads(plain.stdout.splitlines()[0])


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_terminal_wraps_the_path_below_the_text(index, graphs, columns, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    search(index, "fox", strategy="graph", explain=True)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert all(len(line) <= columns for line in shown.splitlines())
    assert shown.count("path:") == 4
    assert "red\ufffd" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "hops" not in shown.splitlines()[1]


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("paths.dot", dot),
        ("paths.gv", dot),
        ("paths.MMD", mermaid),
        ("paths.md", lambda paths: f"```mermaid\n{mermaid(paths)}```\n"),
    ],
)
@pytest.mark.parametrize("strategy", ["graph", "hybrid"])
def test_a_drawing_is_of_the_hits_shown(octavo, index, graphs, tmp_path, name, drawn, strategy):
    out = tmp_path / name
    found = octavo("search", index, "fox", "--strategy", strategy, "--draw", out)
    assert (found.exit_code, found.stderr) == (0, f"Drawn: {out}\n")
    expected = [path for path in graphs(index, strategy).paths("fox") if path is not None]
    assert len(expected) == 4
    assert out.read_text(encoding="utf-8") == drawn(expected)
    octavo("search", index, "fox", "--strategy", "graph", "-k", 2, "--draw", out)
    assert out.read_text(encoding="utf-8") == drawn(graphs(index).paths("fox")[:2])


def test_nothing_to_draw_is_said(octavo, index, graphs, tmp_path):
    out = tmp_path / "paths.dot"
    found = octavo("search", index, "whale", "--strategy", "hybrid", "--draw", out)
    assert (found.exit_code, found.stderr) == (
        0, f"The graph found none of the results: {out} is not drawn.\n",
    )  # fmt: skip
    assert not out.exists()


@pytest.mark.parametrize("name", ["paths", "paths.png", "paths.dot.txt"])
def test_a_name_that_says_no_language_is_wrong_use(octavo, index, name):
    found = octavo("search", index, "fox", "--draw", name)
    assert found.exit_code == 2
    assert "expected a file that ends in .svg, .dot, .gv, .mmd, .md" in found.stderr


@pytest.mark.parametrize("strategy", ["keyword", "vector", "hybrid"])
def test_a_strategy_without_a_graph_draws_nothing(octavo, index, strategy, tmp_path):
    found = octavo(
        "search", index, "fox", "--strategy", strategy, "--draw", tmp_path / "a.dot", "--explain"
    )
    assert (found.exit_code, found.stdout) == (2, "")
    assert "expected a strategy that walks a graph (--strategy graph" in found.stderr
    assert found.stderr.endswith(f"found {strategy}\n")


def test_a_place_that_cannot_be_written_is_named(octavo, index, graphs, tmp_path):
    out = tmp_path / "none" / "paths.dot"
    found = octavo("search", index, "fox", "--strategy", "graph", "--draw", out)
    assert (found.exit_code, found.stderr) == (1, f"octavo: {out}: No such file or directory\n")


def test_without_graphviz_nothing_is_searched_for(octavo, index, graphs, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = octavo("search", index, "fox", "--strategy", "graph", "--draw", tmp_path / "a.svg")
    assert (found.exit_code, found.stdout) == (1, "")
    assert "needs Graphviz" in found.stderr
    assert "apt install graphviz" in found.stderr


def graphviz_that(does, folder, monkeypatch):
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_graphviz_is_given_dot(octavo, index, graphs, tmp_path, monkeypatch):
    graphviz_that('test "$1" = -Tsvg && cat', tmp_path, monkeypatch)
    out = tmp_path / "paths.svg"
    assert octavo("search", index, "fox", "--strategy", "graph", "--draw", out).exit_code == 0
    assert out.read_text(encoding="utf-8") == dot(graphs(index).paths("fox"))


def test_a_graphviz_that_fails_or_hangs_is_named(octavo, index, graphs, tmp_path, monkeypatch):
    out = tmp_path / "paths.svg"
    arguments = ("search", index, "fox", "--strategy", "graph", "--draw", out)
    graphviz_that("echo no fonts >&2; exit 3", tmp_path, monkeypatch)
    found = octavo(*arguments)
    assert found.exit_code == 1
    assert found.stderr == "octavo: --draw: Graphviz failed with status 3: no fonts\n"
    monkeypatch.setattr(drawing, "SECONDS", 0.1)
    graphviz_that("exec sleep 30", tmp_path, monkeypatch)
    found = octavo(*arguments)
    assert found.exit_code == 1
    assert "drew nothing within 0.1 s" in found.stderr
    assert not out.exists()


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_draws(octavo, index, graphs, tmp_path):
    out = tmp_path / "paths.svg"
    assert octavo("search", index, "fox", "--strategy", "graph", "--draw", out).exit_code == 0
    drawn = ET.parse(out)
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Foxes", "\ufffd[31mred\ufffd[0m", "lives\ufffd near", "b"} <= set(texts)

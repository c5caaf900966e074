"""A graph of 40,943 words end to end, on the command line, against a walk in plain Python."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.data

QUERIES, SEEDS, DEPTH, DECAY, MOST, KEPT = 60, 100, 2, 0.85, 1024, 10


def batch(octavo, index, queries, out, *options):
    """Return the hits of each query, best first: id, score."""
    done = octavo("batch", index, queries, "--out", out, *options)
    assert done.exit_code == 0, done.stderr
    found = {}
    table = pq.read_table(out, columns=["query_id", "id", "score"])
    for query, name, score in zip(*(column.to_pylist() for column in table.columns), strict=True):
        found.setdefault(query, []).append((name, score))
    return found


def walk(seeds, tails):
    """Return the score of each of the best nodes: the best of all paths, tried hop by hop."""
    best = {}
    for place, (seed, score) in enumerate(seeds):
        reached = {seed}
        decayed = score
        frontier = {seed}
        for hops in range(DEPTH + 1):
            for node in frontier:
                label = (-decayed, hops, place)
                best[node] = min(label, best.get(node, label))
            frontier = {tail for node in frontier for tail in tails.get(node, ())} - reached
            reached |= frontier
            decayed *= DECAY
    visited = sorted(best, key=lambda node: (*best[node], node))[:MOST]
    return {node: -best[node][0] for node in visited}


def test_graph_and_hybrid_batches_equal_plain_python(octavo, collections, tmp_path):  # S22 S24
    wordnet, index = collections / "kg_wn18rr", tmp_path / "index"
    triples = wordnet / "triples.parquet"
    done = octavo(
        "index", wordnet / "corpus.parquet", "--out", index, "--edges", triples, "--embedding", "hash"
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "40,943 nodes, 93,003 edges of 11 relations" in octavo("info", index).stdout

    documents = pq.read_table(wordnet / "corpus.parquet")
    row = {name: at for at, name in enumerate(documents["id"].to_pylist())}
    tails = {}
    for triple in pq.read_table(triples).to_pylist():
        tails.setdefault(triple["head"], []).append(triple["tail"])
    asked = documents.take(pa.array(range(0, len(documents), len(documents) // QUERIES)))
    queries = tmp_path / "queries.parquet"
    pq.write_table(asked.select(["id", "text"]), queries)

    streams = {
        name: batch(
            octavo, index, queries, tmp_path / f"{name}.parquet", "--strategy", name, "-k", SEEDS
        )
        for name in ("keyword", "vector", "graph")
    }
    expected = {}
    for query, seeds in streams["keyword"].items():
        scores = walk(seeds, tails)
        order = sorted(scores, key=lambda node: (-scores[node], row[node]))[:SEEDS]
        expected[query] = [(node, scores[node]) for node in order]
    assert streams["graph"] == expected
    assert any(
        name not in dict(streams["keyword"][query])
        for query, hits in expected.items()
        for name, _ in hits
    )

    fused = batch(
        octavo, index, queries, tmp_path / "hybrid.parquet", "--strategy", "hybrid", "--graph"
    )
    assert len(fused) == len(asked)
    for query, hits in fused.items():
        found = [each[query] for each in streams.values() if each.get(query)]
        scores = {}
        for each in found:
            for rank, (name, _) in enumerate(each, start=1):
                scores[name] = scores.get(name, 0.0) + 61 / (60 + rank) / len(found)
        order = sorted(scores, key=lambda name: (-round(scores[name], 12), row[name]))[:KEPT]
        assert [name for name, _ in hits] == order
        assert [score for _, score in hits] == pytest.approx([scores[name] for name in order])

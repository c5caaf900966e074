"""Every strategy from the command line, with its options as text."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

NOW = "2026-01-31T00:00:00Z"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """An index of sections with chapters that are only parents, and queries."""
    folder = tmp_path_factory.mktemp("tree")
    sections = {
        "id": ["setup", "usage", "old", "new"],
        "text": ["install the fox", "feed the fox", "fox news", "fox news"],
        "title": ["Setup", "Usage", None, None],
        "chapter": ["guide", "guide", None, None],
        "time": [None, None, "2020-01-01T00:00:00Z", "2026-01-30T00:00:00Z"],
    }
    pq.write_table(pa.table(sections), folder / "sections.parquet")
    pq.write_table(pa.table({"id": ["guide"], "title": ["Guide"]}), folder / "chapters.parquet")
    pq.write_table(
        pa.table({"id": ["q1", "q2"], "text": ["install nourish", "news"]}),
        folder / "queries.parquet",
    )
    (folder / "synonyms.json").write_text('{"nourish": ["feed"]}')
    return folder


@pytest.fixture(scope="module")
def built(tree):
    from typer.testing import CliRunner

    from octavo.cli.main import app

    made = CliRunner().invoke(
        app,
        ["index", f"{tree}/sections.parquet", "--out", f"{tree}/index", "--parent", "chapter",
         "--parents", f"{tree}/chapters.parquet", "--timestamp", "time", "--embedding", "none"],
    )  # fmt: skip
    assert made.exit_code == 0, made.stderr
    return tree / "index"


def options_of(strategy, tree):
    return {
        "hierarchical": ["--child", "keyword", "--max-depth", "2", "--decay", "0.5"],
        "temporal": ["--now", NOW, "--half-life", "1d", "--floor", "0.5"],
        "multi-query": ["--expander", f"table:{tree}/synonyms.json", "--model", "table"],
        "reasoning": ["--navigator", "lexical", "--model", "any", "--max-depth", "3"],
    }[strategy]


@pytest.mark.parametrize(
    ("strategy", "query", "expected"),
    [
        ("hierarchical", "install", ["setup", "guide"]),
        ("temporal", "news", ["new", "old"]),
        ("reasoning", "usage", ["usage"]),
        ("multi-query", "nourish", ["usage"]),
    ],
)
def test_search(octavo, built, tree, strategy, query, expected):
    found = octavo(
        "search", built, query, "--strategy", strategy, *options_of(strategy, tree), "--json"
    )
    assert found.exit_code == 0, found.stderr
    hits = [json.loads(line) for line in found.stdout.splitlines()]
    assert [hit["id"] for hit in hits][: len(expected)] == expected
    assert all(hit["parts"] for hit in hits)
    explained = octavo(
        "search", built, query, "--strategy", strategy, *options_of(strategy, tree), "--explain"
    )
    assert explained.exit_code == 0
    assert f"strategy: {strategy}" in explained.stderr


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "trec"])
@pytest.mark.parametrize("strategy", ["hierarchical", "temporal", "multi-query", "reasoning"])
def test_batch(octavo, built, tree, tmp_path, strategy, ending):
    options = options_of(strategy, tree)
    outs = [tmp_path / f"{threads}.{ending}" for threads in (1, 2)]
    for threads, out in enumerate(outs, start=1):
        done = octavo("batch", built, tree / "queries.parquet", "--out", out, "--strategy", strategy,
                      *options, "--threads", threads)  # fmt: skip
        assert done.exit_code == 0, done.stderr
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert outs[0].stat().st_size > 0


def test_a_job_that_is_resumed_keeps_its_moment(built, tree, tmp_path, monkeypatch):  # S27
    """Ages count from the moment in which the job was begun, not resumed."""
    from octavo.batch import BatchJob, run_batch
    from octavo.batch import run as running

    job = {"index": built, "queries": tree / "queries.parquet", "strategy": "temporal"}
    out = tmp_path / "out.parquet"

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(running, "write_output", stop)
        with pytest.raises(KeyboardInterrupt):
            run_batch(BatchJob(out=out, **job))
    run_batch(BatchJob(out=out, resume=True, **job))
    ages = pq.read_table(out)["age_seconds"].drop_null().to_pylist()
    assert ages
    later = tmp_path / "later.parquet"
    run_batch(BatchJob(out=later, **job))
    assert pq.read_table(later)["age_seconds"].drop_null().to_pylist() != ages


@pytest.mark.parametrize(
    "arguments",
    [
        ["--strategy", "keyword", "--half-life", "3d"],
        ["--strategy", "temporal", "--half-life", "soon"],
        ["--strategy", "temporal", "--navigator", "lexical"],
        ["--strategy", "reasoning", "--model", "m"],
    ],
)
def test_options_that_mean_nothing_are_refused(octavo, built, arguments):
    refused = octavo("search", built, "fox", *arguments)
    assert (refused.exit_code, refused.stdout) == (2, "")

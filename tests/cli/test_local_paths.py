"""URIs, where commands take them and where they do not."""

import pytest

PLACE = "s3://id:SECRET@bucket/deep"


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", PLACE, "red"),
        ("info", PLACE),
        ("eval", "{index}", f"{PLACE}/q.tsv", "qrels"),
        ("eval", "{index}", "q.tsv", "qrels", "--per-query", f"{PLACE}/v.csv"),
        ("compare", "qrels", "a.run", f"{PLACE}/b.run"),
        ("diff", f"{PLACE}/a.parquet", "b.parquet"),
        ("sweep", "{index}", f"{PLACE}/q.tsv", "qrels"),
        ("embed", "{corpus}", "--model", "hash", "--out", f"{PLACE}/v.parquet"),
        ("index", "{corpus}", "--out", f"{PLACE}/index"),
    ],
)
def test_a_uri_where_a_path_must_be_is_said_to_be_one(
    octavo, index, corpus_file, arguments, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    done = octavo(*(each.format(index=index, corpus=corpus_file) for each in arguments))
    told = "".join(done.stderr.replace("│", " ").split())
    assert done.exit_code == 2, done.stderr
    assert "s3://***@bucket/deep" in told
    assert "expectedapathofthismachine,foundaURI" in told
    assert not list(tmp_path.iterdir())


@pytest.fixture
def remote(corpus_file, memory_files):
    """The corpus in a place that only fsspec knows."""
    memory_files.pipe("/place/docs/d.parquet", corpus_file.read_bytes())
    memory_files.pipe("/place/bad/d.parquet", b"PAR1 and no more")
    return "memory://place"


def test_documents_at_a_uri_are_indexed_as_those_here(octavo, corpus_file, remote, tmp_path):
    options = ("--embedding", "hash", "--derive-edges", "--out")
    assert octavo("index", f"{remote}/docs", *options, tmp_path / "there").exit_code == 0
    assert octavo("index", corpus_file, *options, tmp_path / "here").exit_code == 0
    found = [octavo("search", tmp_path / each, "fox", "--json") for each in ("there", "here")]
    assert found[0].stdout == found[1].stdout
    assert octavo("add", tmp_path / "there", f"{remote}/docs", "--upsert").exit_code == 0


def test_documents_at_a_uri_are_embedded_as_those_here(octavo, corpus_file, remote, tmp_path):
    for source, out in ((f"{remote}/docs/d.parquet", "there"), (corpus_file, "here")):
        done = octavo("embed", source, "--model", "hash:64", "--out", tmp_path / f"{out}.parquet")
        assert done.exit_code == 0, done.stderr
    there, here = (tmp_path / f"{each}.parquet" for each in ("there", "here"))
    assert there.read_bytes() == here.read_bytes()


@pytest.mark.parametrize(
    "arguments", [("index", "--out", "out"), ("embed", "--model", "hash", "--out", "out")]
)
def test_a_damaged_file_is_named_by_its_uri(octavo, remote, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command, *options = arguments
    done = octavo(command, f"{remote}/bad", *options)
    assert done.exit_code == 1
    assert "octavo: memory://place/bad/d.parquet: expected a parquet file" in done.stderr
    assert not list(tmp_path.iterdir())

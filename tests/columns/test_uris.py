from pathlib import Path, PurePosixPath

import pytest

import octavo
from octavo.batch.output import checked_output
from octavo.columns.sources import resolve_inputs
from octavo.columns.uris import is_remote, refuse_uri, remote_name, shown_uri, uri_below
from octavo.errors import InvalidArgumentError
from octavo.evaluation import read_qrels, read_queries, read_run
from octavo.shards import ShardedCorpus, open_index


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("s3://a/b", True),
        ("memory://x", True),
        ("a/b.parquet", False),
        ("C://x", False),
        (7, False),
    ],
)
def test_a_uri_is_told_from_a_path(value, expected):
    assert is_remote(value) is expected


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("s3://bucket/a@b:c.parquet", "s3://bucket/a@b:c.parquet"),
        ("s3://id:SECRET@bucket/a@b", "s3://***@bucket/a@b"),
        ("s3://id:SEC/RET@bucket/a?x=1", "s3://***@bucket/a?x=1"),
        ("ftp://SECRET@host/a", "ftp://***@host/a"),
        ("https://h/a?X-Amz-Signature=SECRET&v=1", "https://h/a?X-Amz-Signature=***&v=1"),
    ],
)
def test_what_is_shown_of_a_uri_is_no_secret(uri, expected):
    assert shown_uri(uri) == expected


@pytest.mark.parametrize(
    ("uri", "path", "expected"),
    [
        ("s3://b/q", "a.csv", "s3://b/q/a.csv"),
        ("s3://b/q/?x=1&y=/", "deep/a.csv", "s3://b/q/deep/a.csv?x=1&y=/"),
        ("s3://b", "what?.csv", "s3://b/what%3F.csv"),
        ("https://h/a.csv?sig=x", "", "https://h/a.csv?sig=x"),
    ],
)
def test_a_file_below_a_uri_has_its_own(uri, path, expected):
    below = uri_below(uri, PurePosixPath(path))
    assert below == expected
    assert remote_name(below).endswith(".csv")


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize(
    "use",
    [
        refuse_uri,
        resolve_inputs,
        open_index,
        octavo.Corpus.open,
        read_qrels,
        read_queries,
        read_run,
        lambda place: octavo.Corpus.build([], place, embedding="none"),
        lambda place: ShardedCorpus.build([], place, 2, embedding="none"),
        lambda place: checked_output(Path(place), []),
    ],
)
def test_a_uri_where_a_path_must_be_is_refused(use, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidArgumentError, match=r"^s3://\*\*\*@bucket/x: .*found a URI"):
        use(kind("s3://id:SECRET@bucket/x"))
    assert not list(tmp_path.iterdir())


def test_a_path_that_only_looks_like_a_uri_stays_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:").mkdir()
    refuse_uri("s3:/bucket/x")
    for path in ("a/b", "C:/a", "C:\\a", "a:b", "/s3://b", "", "x y://b"):
        refuse_uri(path)

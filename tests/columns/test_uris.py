from pathlib import PurePosixPath

import pytest

from octavo.columns.uris import is_remote, remote_name, shown_uri, uri_below


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

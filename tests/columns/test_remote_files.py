from collections.abc import Iterator
from pathlib import Path
from traceback import format_exception

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.columns.remote_files import check_uploadable, download, upload
from octavo.errors import ConfigurationError, InvalidArgumentError, SourceLoadingError
from tests.s3_server import s3_server


@pytest.fixture(scope="module")
def s3(tmp_path_factory) -> Iterator[str]:
    """A server of this machine that speaks S3, and the part of a URI that names it."""
    pytest.importorskip("moto")
    with s3_server(tmp_path_factory.mktemp("s3")) as where:
        yield where


@pytest.fixture
def memory(memory_files) -> str:
    """A place in a file system that only fsspec knows."""
    return "memory://place"


def check_round_trip(tmp_path, base, query=""):
    local = tmp_path / "results.parquet"
    pq.write_table(pa.table({"a": range(100_000)}), local)
    for name in ("in/b.parquet", "in/a.parquet", "in/deep/c.parquet", "in/_SUCCESS", "in/.x.csv"):
        upload(local, f"{base}/{name}{query}")
    copies = download(f"{base}/in/a.parquet{query}", new(tmp_path / "one"))
    assert [copy.origin for copy in copies] == [f"{base}/in/a.parquet{query}"]
    assert Path(copies[0].path).read_bytes() == local.read_bytes()
    copies = download(f"{base}/in{query}", new(tmp_path / "all"))
    names = ["a.parquet", "b.parquet", "deep/c.parquet"]
    assert [copy.origin for copy in copies] == [f"{base}/in/{name}{query}" for name in names]
    assert [Path(copy.path).name for copy in copies] == [Path(name).name for name in names]
    with pytest.raises(SourceLoadingError, match="found none"):
        download(f"{base}/absent.parquet{query}", new(tmp_path / "none"))
    check_uploadable(f"{base}/out/r.parquet{query}")
    with pytest.raises(InvalidArgumentError, match="expected a file"):
        check_uploadable(f"{base}/in{query}")


def new(directory):
    directory.mkdir()
    return directory


def test_files_go_to_s3_and_come_back(tmp_path, s3):
    check_round_trip(tmp_path, "s3://bucket/some", f"?{s3}")


def test_files_go_to_what_fsspec_knows_and_come_back(tmp_path, memory):
    check_round_trip(tmp_path, memory)


def test_a_bucket_that_is_not_there_is_named(tmp_path, s3):
    (tmp_path / "r.parquet").write_bytes(b"x")
    with pytest.raises(OSError, match="s3://nowhere/r.parquet"):
        upload(tmp_path / "r.parquet", f"s3://nowhere/r.parquet?{s3}")


def test_a_bucket_that_is_not_there_is_found_out_before(s3):
    with pytest.raises(OSError, match=r"s3://nowhere/out/r.parquet.*expected a bucket 'nowhere'"):
        check_uploadable(f"s3://nowhere/out/r.parquet?{s3}")


@pytest.mark.parametrize("name", ["r.parquet", "new/deep/r.parquet"])
def test_looking_whether_a_directory_can_be_written_leaves_nothing(tmp_path, memory, name):
    import fsspec

    check_uploadable(f"{memory}/{name}")
    system = fsspec.filesystem("memory")
    assert not system.store
    assert system.pseudo_dirs == [""]
    check_uploadable(f"{tmp_path.as_uri()}/{name}")
    assert not list(tmp_path.iterdir())


def test_a_directory_that_cannot_be_written_is_found_out_before(tmp_path, memory, monkeypatch):
    import fsspec

    (tmp_path / "file").write_bytes(b"x")
    for uri in (f"{tmp_path.as_uri()}/file/r.parquet", f"{tmp_path.as_uri()}/file/new/r.parquet"):
        with pytest.raises(OSError, match=uri):
            check_uploadable(uri)

    def refuse(*_, **__):
        raise PermissionError("read only")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "_open", refuse)
    with pytest.raises(OSError, match="memory://place/r.parquet: PermissionError: read only"):
        check_uploadable(f"{memory}/r.parquet")


def test_an_upload_that_fails_leaves_nothing(tmp_path, memory, monkeypatch):
    import fsspec

    (tmp_path / "r.parquet").write_bytes(b"new")
    upload(tmp_path / "r.parquet", f"{memory}/r.parquet")
    system = fsspec.filesystem("memory")

    def refuse(*_, **__):
        raise OSError("the link is down")

    monkeypatch.setattr(type(system), "mv", refuse)
    (tmp_path / "r.parquet").write_bytes(b"newer")
    with pytest.raises(OSError, match="memory://place/r.parquet"):
        upload(tmp_path / "r.parquet", f"{memory}/r.parquet")
    assert list(system.store) == ["/place/r.parquet"]
    assert system.cat("/place/r.parquet") == b"new"


@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("s3://id:SECRET@nowhere/a.parquet?{s3}", SourceLoadingError),
        ("s3://id:SECRET@bucket/a b.parquet?{s3}", SourceLoadingError),
        ("s3://id:SECRET@bucket/a.parquet?{s3}&unknown=1", SourceLoadingError),
        ("nothing://id:SECRET@bucket/a.parquet", ConfigurationError),
    ],
)
def test_messages_hold_no_secret(tmp_path, s3, uri, kind):
    with pytest.raises(kind, match=r"://\*\*\*@") as told:
        download(uri.format(s3=s3), tmp_path)
    assert "SECRET" not in "".join(format_exception(told.value))
    with pytest.raises((OSError, ConfigurationError)) as told:
        upload(tmp_path / "absent", uri.format(s3=s3))
    assert "SECRET" not in "".join(format_exception(told.value))


def test_whatever_a_file_system_raises_becomes_an_error_of_octavo(tmp_path, memory, monkeypatch):
    import fsspec

    def refuse(*_, **__):
        raise NotImplementedError("read only")

    system = type(fsspec.filesystem("memory"))
    monkeypatch.setattr(system, "info", refuse)
    with pytest.raises(SourceLoadingError, match="memory://place/q.parquet: NotImplementedError"):
        download(f"{memory}/q.parquet", tmp_path)
    with pytest.raises(OSError, match="memory://place/q.parquet: NotImplementedError"):
        check_uploadable(f"{memory}/q.parquet")
    with pytest.raises(SourceLoadingError, match="Cannot parse"):
        download("s3://bucket/a b.parquet", tmp_path)
    with pytest.raises(OSError, match="Cannot parse"):
        check_uploadable("s3://bucket/a b.parquet")

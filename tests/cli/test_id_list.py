import io
import json
import sys

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from octavo.cli.id_list import read_ids
from octavo.errors import InvalidArgumentError, SourceLoadingError


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (b"", []),
        (b"\n \n", []),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b" a \nb\n", [" a ", "b"]),  # spaces are part of an id
        ("東京\u2028x\x0by\n".encode(), ["東京\u2028x\x0by"]),  # only a line feed ends an id
        (b"a\na\n", ["a", "a"]),
    ],
)
def test_lines(tmp_path, monkeypatch, content, ids):
    for name in ("ids", "ids.txt", "weird.name"):
        (tmp_path / name).write_bytes(content)
        assert read_ids(str(tmp_path / name), "id") == ids
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_ids("-", "id") == ids


def test_bad_lines_are_named(tmp_path, monkeypatch):
    (tmp_path / "ids").write_bytes(b"a\n\xff\n")
    with pytest.raises(SourceLoadingError, match="ids: line 2 is no UTF-8"):
        read_ids(str(tmp_path / "ids"), "id")
    with pytest.raises(SourceLoadingError, match="No such file"):
        read_ids(str(tmp_path / "none"), "id")
    with pytest.raises(SourceLoadingError, match="directory"):
        read_ids(str(tmp_path), "id")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SourceLoadingError, match="standard input"):
        read_ids("-", "id")


def test_tables(tmp_path):
    table = pa.table({"other": ["x", "y", "z"], "key": pa.array([7, None, -1])})
    pq.write_table(table, tmp_path / "t.parquet")
    pa.feather.write_feather(table, tmp_path / "t.arrow")
    (tmp_path / "t.jsonl").write_text('{"key": "7"}\n{"key": "-1"}\n')
    (tmp_path / "t.csv").write_text("key,text\n7,\n-1,x\n")
    for name in ("t.parquet", "t.arrow", "t.jsonl", "t.csv"):
        assert read_ids(str(tmp_path / name), "key") == ["7", "-1"]  # as the index was built with
        assert read_ids(str(tmp_path / name), "id") == ["7", "-1"]  # a common name
    assert read_ids(str(tmp_path / "t.parquet"), "other") == ["x", "y", "z"]


def test_tables_without_rows_and_without_ids(tmp_path):
    (tmp_path / "t.jsonl").write_text("\n")
    assert read_ids(str(tmp_path / "t.jsonl"), "id") == []
    pq.write_table(pa.table({"id": pa.array([], pa.string())}), tmp_path / "t.parquet")
    assert read_ids(str(tmp_path / "t.parquet"), "id") == []
    (tmp_path / "u.jsonl").write_text(json.dumps({"name": "a"}))
    with pytest.raises(InvalidArgumentError, match="expected a column of ids"):
        read_ids(str(tmp_path / "u.jsonl"), "id")


def test_a_table_without_ids_is_named_and_no_option_that_there_is_not(tmp_path):
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "gone.parquet")
    with pytest.raises(InvalidArgumentError) as raised:
        read_ids(str(tmp_path / "gone.parquet"), "sku")
    said = str(raised.value)
    assert said.startswith(str(tmp_path / "gone.parquet"))
    assert "one of sku, id" in said
    assert said.endswith("found the columns 'text'")
    assert "--ids" not in said

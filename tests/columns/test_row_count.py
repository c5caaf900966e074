import gzip
import json

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from octavo.columns.row_count import estimated_rows
from octavo.columns.sources import resolve_inputs

TABLE = pa.table({"id": [1, 2, 3], "text": ["a", "b", "c"]})


@pytest.fixture
def files(tmp_path):
    pq.write_table(TABLE, tmp_path / "a.parquet", row_group_size=2)
    with pa.ipc.new_file(tmp_path / "a.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=2)
    lines = "".join(json.dumps(row) + "\n" for row in TABLE.to_pylist())
    (tmp_path / "a.jsonl").write_text(lines)
    pyarrow.csv.write_csv(TABLE, tmp_path / "a.csv")
    return tmp_path


@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl", "csv"])
def test_files_tell_their_rows(files, ending):
    assert estimated_rows(resolve_inputs(files / f"a.{ending}")) == 3


def test_rows_of_several_files_add_up(files):
    assert estimated_rows(resolve_inputs(files)) == 12


def test_some_inputs_do_not_tell(files):
    with gzip.open(files / "a.jsonl.gz", "wb") as file:
        file.write(b"{}\n")
    assert estimated_rows(resolve_inputs(files / "a.jsonl.gz")) is None
    with pa.ipc.new_stream(files / "b.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE)
    assert estimated_rows(resolve_inputs(files / "b.arrow")) is None
    assert estimated_rows(resolve_inputs(TABLE)) is None


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_damaged_file_does_not_tell(files, ending):
    path = files / f"a.{ending}"
    path.write_bytes(path.read_bytes()[:-20])
    assert estimated_rows(resolve_inputs(path)) is None

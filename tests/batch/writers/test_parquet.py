import pyarrow as pa
import pyarrow.parquet as pq

from octavo.batch.writers import parquet
from octavo.batch.writers.parquet import ParquetWriter

SCHEMA = pa.schema({"id": pa.string(), "score": pa.float64()})


def block(rows: int) -> pa.RecordBatch:
    ids = pa.array([str(row) for row in range(rows)], pa.string())
    return pa.record_batch([ids, pa.array([0.5] * rows)], schema=SCHEMA)


def test_row_groups_end_with_the_block_that_fills_them(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 10)
    path = tmp_path / "r.parquet"
    with ParquetWriter(path, SCHEMA) as writer:
        for rows in (4, 4, 4, 0, 25, 3):
            writer.write(block(rows))
    metadata = pq.read_metadata(path)
    groups = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
    assert groups == [12, 25, 3]
    assert metadata.row_group(0).column(0).compression == "ZSTD"


def test_no_blocks_make_a_legal_file(tmp_path):
    path = tmp_path / "r.parquet"
    with ParquetWriter(path, SCHEMA):
        pass
    assert pq.read_table(path).schema == SCHEMA

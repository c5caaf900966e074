import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.batch.query_columns import QueryColumns
from octavo.batch.query_stream import QueryStream
from octavo.columns.sources import resolve_inputs
from octavo.errors import DimensionMismatchError, InvalidArgumentError, NonFiniteVectorError

NAMED = QueryColumns("text", "id", None)


def blocks(inputs, scratch, columns=NAMED, dimensions=None):
    stream = QueryStream(resolve_inputs(inputs), columns, dimensions)
    return list(stream.blocks(scratch))


@given(st.lists(st.integers(0, 700), max_size=6))
def test_blocks_are_the_same_for_any_batches(tmp_path_factory, sizes):
    rows = sum(sizes)
    ids = pa.chunked_array(
        [[str(n) for n in range(sum(sizes[:i]), sum(sizes[: i + 1]))] for i in range(len(sizes))],
        pa.string(),
    )
    table = pa.table({"id": ids, "text": ids})
    found = blocks(table, tmp_path_factory.mktemp("s"))
    assert [len(block.queries) for block in found] == [
        min(256, rows - start) for start in range(0, rows, 256)
    ]
    assert [one for block in found for one in block.ids.to_pylist()] == [
        str(n) for n in range(rows)
    ]
    assert [one for block in found for one in block.queries.texts] == [str(n) for n in range(rows)]


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([7, 8]),
        pa.array(["7", "8"]),
        pa.array(["7", "8"], pa.large_string()),
        pa.array(["7", "8"], pa.string_view()),
        pa.array(["7", "8"]).dictionary_encode(),
        pa.array([0, 7, 8, 0]).slice(1, 2),
    ],
)
def test_ids_of_every_kind_become_text(tmp_path, ids):
    table = pa.table({"id": ids, "text": pa.array(["a", None])})
    (block,) = blocks(table, tmp_path)
    assert block.ids.to_pylist() == ["7", "8"]
    assert block.ids.type == pa.string()
    assert list(block.queries.texts) == ["a", ""]


def test_without_ids_the_position_counts_over_all_inputs(tmp_path):
    one, two = pa.table({"text": ["a", "b"]}), pa.table({"text": ["c"]})
    (block,) = blocks([one, two], tmp_path, QueryColumns("text", None, None))
    assert block.ids.to_pylist() == ["0", "1", "2"]


def test_an_input_without_text_has_empty_texts_one_without_ids_is_refused(tmp_path):
    whole = pa.table({"id": ["a"], "text": ["x"]})
    (block,) = blocks([whole, pa.table({"id": ["b"]})], tmp_path)
    assert list(block.queries.texts) == ["x", ""]
    with pytest.raises(InvalidArgumentError, match="table 2: expected a column 'id'"):
        blocks([whole, pa.table({"text": ["y"]})], tmp_path)


def test_null_ids_are_refused_with_their_rows(tmp_path):
    path = tmp_path / "q.parquet"
    pq.write_table(pa.table({"id": ["a", None, "c", None], "text": ["x"] * 4}), path)
    with pytest.raises(InvalidArgumentError, match=r"q\.parquet: .*null in rows 1, 3"):
        blocks(path, tmp_path)


def test_repeated_ids_are_refused_across_inputs_and_blocks(tmp_path):
    ids = [str(number) for number in range(5_000)]
    one = pa.table({"id": ids, "text": ids})
    two = pa.table({"id": ["x", "17"], "text": ["", ""]})
    with pytest.raises(InvalidArgumentError, match="'17' again in row 1"):
        blocks([one, two], tmp_path)
    with pytest.raises(InvalidArgumentError, match="'7' again in row 1"):
        blocks(pa.table({"id": pa.array(["7", "7"]), "text": ["", ""]}), tmp_path)


VECTORS = QueryColumns(None, "id", "v")


@pytest.mark.parametrize("dtype", [pa.float16(), pa.float32(), pa.float64()])
def test_vectors_are_cut_with_their_queries(tmp_path, dtype):
    values = np.arange(1_200, dtype=np.float64).reshape(600, 2) % 1_000
    vectors = pa.array([row.astype(dtype.to_pandas_dtype()) for row in values], pa.list_(dtype))
    table = pa.table({"id": pa.array(range(600)), "v": vectors})
    found = blocks(table, tmp_path, VECTORS, 2)
    assert [block.queries.vectors.shape for block in found] == [(256, 2), (256, 2), (88, 2)]
    assert (np.concatenate([block.queries.vectors for block in found]) == values).all()


@pytest.mark.parametrize(
    ("vectors", "error", "match"),
    [
        ([[1.0, 2.0], None], InvalidArgumentError, "null for query 'b' in row 1"),
        ([[1.0, 2.0], [1.0]], InvalidArgumentError, "row 1"),
        ([[1.0, 2.0], [1.0, float("nan")]], NonFiniteVectorError, "row 1"),
        ([[1.0], [2.0]], DimensionMismatchError, "expected vectors of 2 dimensions, found 1"),
        ([None, None], InvalidArgumentError, "null for query 'a'"),
    ],
)
def test_bad_vectors_are_refused(tmp_path, vectors, error, match):
    # S20
    table = pa.table({"id": ["a", "b"], "v": pa.array(vectors, pa.list_(pa.float32()))})
    with pytest.raises(error, match=match):
        blocks(table, tmp_path, VECTORS, 2)

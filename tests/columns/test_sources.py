"""Files, directories, globs and tables as one stream of batches."""

import gzip
import json
import shutil

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from octavo.columns.sources import InputBatch, RowOrigins, input_schema, open_inputs, resolve_inputs
from octavo.errors import InvalidArgumentError, SourceLoadingError

TABLE = pa.table({"id": ["a", "b", "c"], "text": ["x", None, "z"], "n": [1, 2, 3]})


class Exporting:
    """An object of another library: it exports an Arrow stream and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class ExportingArray:
    def __init__(self, batch):
        self._batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self._batch.__arrow_c_array__(requested_schema)


class Dataset:
    """What ``datasets.Dataset`` offers: Arrow tables by iteration, and a schema."""

    def __init__(self, table):
        self._table = table
        self.features = type("Features", (), {"arrow_schema": table.schema})

    def with_format(self, name):
        assert name == "arrow"
        return self

    def iter(self, batch_size):
        return iter([self._table])

    def __iter__(self):
        raise AssertionError("rows are not read one by one")


def ids(inputs, **options):
    found = []
    for each in open_inputs(inputs, **options):
        found.extend(each.batch.column("id").to_pylist())
    return found


def write(path, table=TABLE):
    """Write the table in the format of the ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, path)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    elif path.suffix == ".arrows":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        rows = [
            ",".join("" if v is None else str(v) for v in r.values()) for r in table.to_pylist()
        ]
        path.write_text("\n".join([",".join(table.column_names), *rows]) + "\n")
    return path


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow", "arrows", "jsonl", "csv"])
def test_every_format_gives_the_same_rows(tmp_path, ending):
    path = write(tmp_path / f"docs.{ending}")
    for given in (path, str(path), [path], [str(path)]):
        batches = list(open_inputs(given, columns=["id", "text"], batch_rows=2))
        assert [each.origin for each in batches] == [str(path)] * 2
        assert [each.first_row for each in batches] == [0, 2]
        rows = pa.Table.from_batches([each.batch for each in batches])
        assert rows.column("id").to_pylist() == ["a", "b", "c"]
        assert rows.column("text").to_pylist() == ["x", None, "z"]
        assert rows.column_names == ["id", "text"]
    assert input_schema(resolve_inputs(path)).names == ["id", "text", "n"]
    assert next(open_inputs(path)).batch.schema.names == ["id", "text", "n"]


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_gzip(tmp_path, ending):
    plain = write(tmp_path / f"docs.{ending}")
    packed = tmp_path / f"docs.{ending}.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert ids(packed) == ["a", "b", "c"]
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(SourceLoadingError, match="docs"):
        ids(packed)
    packed.write_bytes(plain.read_bytes())
    with pytest.raises(SourceLoadingError, match="docs"):
        ids(packed)


@pytest.mark.parametrize(
    "make",
    [
        lambda: TABLE,
        lambda: TABLE.to_batches()[0],
        TABLE.to_reader,
        lambda: Exporting(TABLE),
        lambda: Dataset(TABLE),
        lambda: ExportingArray(TABLE.to_batches()[0]),
        lambda: TABLE.to_struct_array().chunk(0),
    ],
)
def test_whatever_exports_arrow_is_a_table(make):
    assert ids(make()) == ["a", "b", "c"]
    sources = resolve_inputs(make())
    assert input_schema(sources).names == ["id", "text", "n"]
    batches = list(open_inputs(sources, columns=["n", "other"], batch_rows=2))
    assert [each.origin for each in batches] == ["table", "table"]
    assert batches[1].batch.to_pydict() == {"n": [3]}


def test_a_stream_is_read_once():
    sources = resolve_inputs(TABLE)
    assert ids(sources) == ["a", "b", "c"]
    with pytest.raises(InvalidArgumentError, match="it was read"):
        ids(sources)


def test_several_tables_are_numbered():
    origins = [each.origin for each in open_inputs([TABLE, TABLE])]
    assert origins == ["table 1", "table 2"]


def test_sliced_and_chunked_tables():
    table = pa.concat_tables([TABLE, TABLE.slice(1, 1), TABLE.slice(3)]).slice(1)
    assert ids(table) == ["b", "c", "b"]


def test_directories_are_read_in_the_order_of_their_paths(tmp_path):
    for name in ("b.csv", "a/z.jsonl", "a/b.parquet", "c.arrow", ".hidden.csv", ".git/x.csv"):
        one = pa.table({"id": [name], "text": ["t"]})
        write(tmp_path / name, one)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "README.md").write_text("not a document")
    assert ids(tmp_path) == ["a/b.parquet", "a/z.jsonl", "b.csv", "c.arrow"]
    assert ids([tmp_path / "c.arrow", tmp_path / "a"]) == ["c.arrow", "a/b.parquet", "a/z.jsonl"]


def test_globs_are_sorted_and_read_each_file_once(tmp_path):
    for name in ("b.csv", "a.csv", "sub/c.csv", "d.txt"):
        write(tmp_path / name, pa.table({"id": [name], "text": ["t"]}))
    assert ids(str(tmp_path / "*.csv")) == ["a.csv", "b.csv"]
    assert ids(str(tmp_path / "**")) == ["a.csv", "b.csv", "sub/c.csv"]
    assert ids(str(tmp_path / "*")) == ["a.csv", "b.csv", "sub/c.csv"]


def test_a_name_with_brackets_is_a_file_before_it_is_a_glob(tmp_path):
    assert ids(write(tmp_path / "a[1].csv")) == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["none.parquet", "none", "none/*.csv", "*.parquet"])
def test_missing_files_and_empty_globs(tmp_path, name):
    with pytest.raises(SourceLoadingError, match=r"none|parquet"):
        open_inputs(str(tmp_path / name))


def test_a_directory_without_documents(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(SourceLoadingError, match=r"no file ending in \.parquet"):
        open_inputs(tmp_path)


def test_an_unknown_ending(tmp_path):
    path = tmp_path / "docs.txt"
    path.write_text("x")
    with pytest.raises(InvalidArgumentError, match=r"docs.txt: expected a file ending in .parquet"):
        open_inputs(path)


@pytest.mark.parametrize("bad", [7, None, 1.5, [TABLE, 7]])
def test_other_inputs_are_refused(bad):
    with pytest.raises(InvalidArgumentError, match="inputs: expected paths or tables"):
        open_inputs(bad)


def test_a_mapping_of_columns_is_no_list_of_paths():
    with pytest.raises(InvalidArgumentError, match="expected paths or tables .* found dict"):
        resolve_inputs({"id": ["a"], "text": ["red fox"]})


def test_no_inputs_and_bad_batch_rows():
    with pytest.raises(InvalidArgumentError, match="at least one"):
        open_inputs([])
    with pytest.raises(InvalidArgumentError, match="batch_rows"):
        open_inputs(TABLE, batch_rows=0)


def test_arrays_that_are_no_tables_are_refused():
    with pytest.raises(InvalidArgumentError, match="record batches"):
        open_inputs(pa.array([1, 2]))


def test_inputs_may_differ_in_schema():
    other = pa.table({"text": pa.nulls(1), "more": [1.5]})
    sources = resolve_inputs([other, TABLE])
    schema = input_schema(sources)
    assert schema.names == ["text", "more", "id", "n"]
    assert schema.field("text").type == pa.string()


def test_repeated_columns_are_refused_with_the_input(tmp_path):
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["id", "id"])
    path = tmp_path / "twice.parquet"
    pq.write_table(table, path)
    csv = tmp_path / "twice.csv"
    csv.write_text("id,id\n1,2\n")
    for given, origin in ((table, "table"), (path, "twice.parquet"), (csv, "twice.csv")):
        with pytest.raises(InvalidArgumentError, match=rf"{origin}: .*'id' more than once"):
            input_schema(resolve_inputs(given))
        with pytest.raises(InvalidArgumentError, match=rf"{origin}: .*'id' more than once"):
            list(open_inputs(given, columns=["id"]))


@pytest.mark.parametrize(
    ("ending", "wrong"),
    [
        ("parquet", "arrow"),
        ("parquet", "jsonl"),
        ("arrow", "parquet"),
        ("arrows", "jsonl"),
        ("jsonl", "parquet"),
        ("jsonl", "arrow"),
        ("jsonl", "csv"),
        ("csv", "parquet"),
        ("csv", "arrow"),
    ],
)
def test_not_what_the_ending_says(tmp_path, ending, wrong):
    path = tmp_path / f"docs.{ending}"
    shutil.copy(write(tmp_path / f"other.{wrong}"), path)
    with pytest.raises(SourceLoadingError, match=rf"docs.{ending}: expected"):
        ids(path)
    with pytest.raises(SourceLoadingError, match=rf"docs.{ending}: expected"):
        input_schema(resolve_inputs(path))


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("kept", [0, 3, 0.5, 0.95])
def test_truncated_binary_files(tmp_path, ending, kept):
    path = write(tmp_path / f"docs.{ending}", pa.concat_tables([TABLE] * 200))
    data = path.read_bytes()
    path.write_bytes(data[: int(kept if kept > 1 or kept == 0 else len(data) * kept)])
    with pytest.raises(SourceLoadingError, match=rf"docs.{ending}"):
        ids(path)


def test_an_empty_file_of_lines_has_no_rows(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.touch()
    assert ids(path) == []
    header = tmp_path / "docs.csv"
    header.write_text("id,text\n")
    assert ids(header) == []
    assert input_schema(resolve_inputs(header)).names == ["id", "text"]
    header.write_text("")
    with pytest.raises(SourceLoadingError, match="Empty CSV"):
        ids(header)


def test_wide_rows_come_in_small_batches():
    wide = pa.table({"id": list("abcd"), "text": ["x" * 20_000_000] * 4})
    sizes = [each.batch.num_rows for each in open_inputs(wide)]
    assert sum(sizes) == 4
    assert max(sizes) <= 3


def test_rows_are_described_by_their_origin():
    origins = RowOrigins()
    for each in open_inputs([TABLE, TABLE.slice(0, 0), TABLE], batch_rows=2):
        origins.add(each)
    assert origins.describe(2) == "row 2 of table 1"
    assert origins.describe(3) == "row 0 of table 3"
    assert origins.describe(5) == "row 2 of table 3"


def test_an_input_batch_is_what_it_says():
    batch = TABLE.to_batches()[0]
    assert InputBatch(batch, "x", 3).first_row == 3

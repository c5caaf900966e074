import pyarrow as pa
import pytest

from octavo.batch.query_columns import QueryColumns, choose_query_columns
from octavo.errors import InvalidArgumentError

UNSET = QueryColumns(None, None, None)


def chosen(schema: dict[str, pa.DataType], requested: QueryColumns = UNSET) -> QueryColumns:
    return choose_query_columns(pa.schema(schema), requested)


@pytest.mark.parametrize("text", ["text", "query", "question", "Query"])
@pytest.mark.parametrize("identifier", ["id", "_id", "query_id", "qid", "ID"])
def test_common_names_are_found(text, identifier):
    found = chosen({"other": pa.string(), identifier: pa.int32(), text: pa.large_string()})
    assert found == QueryColumns(text, identifier, None)


def test_names_with_other_types_are_passed_over():
    found = chosen({"text": pa.int64(), "id": pa.float64(), "question": pa.string_view()})
    assert found == QueryColumns("question", None, None)


def test_a_vector_column_is_used_only_where_it_is_named():
    schema = {"id": pa.string(), "text": pa.string(), "vector": pa.list_(pa.float32(), 4)}
    assert chosen(schema).vector is None
    assert chosen(schema, QueryColumns(None, None, "vector")).vector == "vector"


def test_vectors_need_no_text():
    schema = {"id": pa.string(), "vector": pa.large_list(pa.float16())}
    found = chosen(schema, QueryColumns(None, None, "vector"))
    assert found == QueryColumns(None, "id", "vector")
    assert str(found) == (
        "query text empty, query id from column 'id', query vector from column 'vector'"
    )


@pytest.mark.parametrize(
    ("requested", "match"),
    [
        (QueryColumns("txet", None, None), "query_text: no column 'txet'.*did you mean 'text'"),
        (QueryColumns(None, "zz", None), "query_id: no column 'zz'; the columns are 'id', 'text'"),
        (QueryColumns("id", None, None), "query_text: expected column 'id' to hold strings"),
        (QueryColumns(None, None, "text"), "query_vector: expected column 'text' to hold lists"),
    ],
)
def test_wrong_names_and_types_are_refused(requested, match):
    with pytest.raises(InvalidArgumentError, match=match):
        chosen({"id": pa.int64(), "text": pa.string()}, requested)


def test_neither_text_nor_vector_is_refused():
    with pytest.raises(InvalidArgumentError, match="the columns are 'id', 'words'"):
        chosen({"id": pa.string(), "words": pa.string()})

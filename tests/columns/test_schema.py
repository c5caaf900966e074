"""Which column is chosen, and what is refused before anything is read."""

import pyarrow as pa
import pytest

from octavo.columns.schema import (
    NO_TITLE,
    ColumnChoice,
    ColumnRequest,
    check_unique_names,
    choose_columns,
)
from octavo.errors import InvalidArgumentError

TEXT = pa.string()


def choose(columns, **request):
    return choose_columns(pa.schema(columns), ColumnRequest(**request))


@pytest.mark.parametrize(
    "name", ["text", "content", "contents", "body", "passage", "document", "Text", "BODY"]
)
def test_common_text_names_are_found(name):
    assert choose({"id": TEXT, name: TEXT}).text == name


@pytest.mark.parametrize(
    "name", ["id", "_id", "doc_id", "docid", "docno", "document_id", "key", "ID", "DocNo"]
)
def test_common_id_names_are_found(name):
    assert choose({"text": TEXT, name: pa.int64()}).id == name


def test_the_order_of_the_names_decides_and_not_that_of_the_columns():
    columns = {"key": TEXT, "body": TEXT, "_id": TEXT, "content": TEXT, "headline": TEXT}
    choice = choose(columns)
    assert choice == ColumnChoice(id="_id", text="content", title="headline")


def test_the_exact_spelling_comes_before_another_case():
    assert choose({"ID": TEXT, "_id": TEXT, "text": TEXT}).id == "_id"


def test_titles():  # S16
    columns = {"id": TEXT, "text": TEXT, "title": TEXT, "name": TEXT}
    assert choose(columns).title == "title"
    assert choose(columns, title="name").title == "name"
    assert choose(columns, title=NO_TITLE).title is None
    assert choose({"id": TEXT, "text": TEXT}).title is None
    assert choose({"id": TEXT, "title": TEXT}, text="title").title is None


def test_only_id_text_and_title_are_guessed():
    columns = {"id": TEXT, "text": TEXT, "source": TEXT, "timestamp": TEXT, "parent": TEXT}
    assert choose(columns) == ColumnChoice(id="id", text="text")


def test_a_guess_must_fit_the_type():
    columns = {"id": pa.float64(), "key": TEXT, "text": pa.list_(TEXT), "body": pa.string_view()}
    choice = choose(columns)
    assert (choice.id, choice.text) == ("key", "body")


def test_a_column_may_be_used_twice():
    columns = {"id": TEXT, "text": TEXT, "url": TEXT}
    choice = choose(columns, source="url", parent="url", metadata=("url", "id"))
    assert choice.columns() == ("id", "text", "url")


def test_a_missing_column_names_the_others_and_the_nearest():
    with pytest.raises(InvalidArgumentError, match=r"text: no column 'contnet'") as error:
        choose({"id": TEXT, "content": TEXT}, text="contnet")
    assert "'id', 'content'" in str(error.value)
    assert "did you mean 'content'?" in str(error.value)


def test_another_case_is_the_nearest():
    with pytest.raises(InvalidArgumentError, match=r"did you mean 'Id'"):
        choose({"Id": TEXT, "text": TEXT, "ix": TEXT}, id="id")


@pytest.mark.parametrize(
    "option", ["id", "text", "title", "source", "timestamp", "parent", "embedding", "metadata"]
)
def test_every_named_column_must_exist(option):
    value = ("none",) if option == "metadata" else "none"
    with pytest.raises(InvalidArgumentError, match=rf"^{option}: no column 'none'"):
        choose({"id": TEXT, "text": TEXT}, **{option: value})


@pytest.mark.parametrize(("option", "name"), [("id", "docno"), ("text", "passage")])
def test_nothing_found(option, name):
    columns = {"id": TEXT, "text": TEXT, "other": TEXT}
    del columns[option]
    with pytest.raises(InvalidArgumentError, match=rf"^{option}: no column is called") as error:
        choose(columns)
    assert name in str(error.value)
    assert "'other'" in str(error.value)
    assert f"--{option}" in str(error.value)


@pytest.mark.parametrize(
    ("option", "dtype"),
    [
        ("id", pa.float64()),
        ("text", pa.int64()),
        ("title", pa.binary()),
        ("source", pa.list_(TEXT)),
        ("timestamp", pa.int64()),
        ("parent", pa.bool_()),
        ("embedding", TEXT),
        ("embedding", pa.list_(pa.int32())),
        ("metadata", pa.list_(TEXT)),
        ("metadata", pa.struct({"a": TEXT})),
    ],
)
def test_a_mistyped_column_is_refused(option, dtype):
    value = ("wrong",) if option == "metadata" else "wrong"
    with pytest.raises(InvalidArgumentError, match=rf"^{option}: expected column 'wrong'") as error:
        choose({"id": TEXT, "text": TEXT, "wrong": dtype}, **{option: value})
    assert str(dtype) in str(error.value)


@pytest.mark.parametrize(
    "name",
    ["entryId", "hybrid.streams", "hierarchy.id", "temporal.timestamp", "graph.x", "tnsai.chat.y"],
)
def test_reserved_metadata_names_are_refused(name):  # S11
    with pytest.raises(InvalidArgumentError, match="reserved"):
        choose({"id": TEXT, "text": TEXT, name: TEXT}, metadata=(name,))


def test_names_that_only_look_reserved():  # S11
    names = ("entryid", "hybrid", "graphs.x", "tier")
    columns = {"id": TEXT, "text": TEXT, **dict.fromkeys(names, TEXT)}
    assert choose(columns, metadata=names).metadata == names


def test_blank_and_repeated_metadata_names():
    with pytest.raises(InvalidArgumentError, match="non-blank"):
        choose({"id": TEXT, "text": TEXT, " ": TEXT}, metadata=(" ",))
    with pytest.raises(InvalidArgumentError, match="more than once"):
        choose({"id": TEXT, "text": TEXT}, metadata=("text", "text"))


def test_repeated_columns_are_refused():
    schema = pa.schema([("id", TEXT), ("text", TEXT), ("id", TEXT)])
    with pytest.raises(InvalidArgumentError, match="'id' more than once"):
        choose_columns(schema, ColumnRequest())
    with pytest.raises(InvalidArgumentError, match=r"a.csv: .*'x'"):
        check_unique_names(["x", "x"], "a.csv")


def test_the_zone_is_checked_early():
    columns = {"id": TEXT, "text": TEXT, "date": pa.date32()}
    choice = choose(columns, timestamp="date", timestamp_zone="Europe/Berlin")
    assert choice.timestamp_zone == "Europe/Berlin"
    with pytest.raises(InvalidArgumentError, match="timestamp_zone"):
        choose(columns, timestamp="date", timestamp_zone="Nowhere")


def test_many_columns_are_not_all_listed():
    columns = {f"column{i}": TEXT for i in range(500)}
    with pytest.raises(InvalidArgumentError, match="500 columns") as error:
        choose(columns, id="x")
    assert len(str(error.value)) < 1_000


@pytest.mark.parametrize("option", ["id", "text", "title", "source", "parent"])
@pytest.mark.parametrize("name", [3, 0, b"text", ["text"]])
def test_a_name_that_is_none_is_refused(option, name):
    schema = pa.schema({"id": pa.string(), "text": pa.string()})
    with pytest.raises(InvalidArgumentError, match=f"^{option}: expected the name of a column"):
        choose_columns(schema, ColumnRequest(**{option: name}))

"""Which column of an edge list plays which part."""

import pyarrow as pa
import pytest

from octavo.columns.edge_columns import EdgeChoice, EdgeColumns, choose_edge_columns
from octavo.errors import InvalidArgumentError

TEXT = pa.string()


def choose(*names, types=(), **requested):
    schema = pa.schema([(name, dict(types).get(name, TEXT)) for name in names])
    return choose_edge_columns(schema, EdgeColumns(**requested), "edges.csv")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("head", "relation", "tail", "weight"), ("head", "tail", "relation", "weight")),
        (("source", "target"), ("source", "target", None, None)),
        (("subject", "predicate", "object"), ("subject", "object", "predicate", None)),
        (("from", "to", "type"), ("from", "to", "type", None)),
        (("Source", "Target", "Label", "Weight"), ("Source", "Target", "Label", "Weight")),
        # The first name is the one that is meant, whatever else there is.
        (("source", "head", "tail", "to", "type", "relation"), ("head", "tail", "relation", None)),
        (("source", "Subject", "target"), ("source", "target", None, None)),
    ],
)
def test_common_names(names, expected):
    assert choose(*names) == EdgeChoice(*expected)


def test_named_columns():
    assert choose("a", "b", "head", "tail", "x", "w", head="a", tail="b", relation="x",
                  weight="w") == EdgeChoice("a", "b", "x", "w")  # fmt: skip
    # A column that was given a part is not found for another.
    assert choose("target", "to", head="target") == EdgeChoice("target", "to")
    assert choose("head", "tail", "type", "label", relation="type").relation == "type"
    assert choose("x", head="x", tail="x") == EdgeChoice("x", "x")
    assert choose("x", head="x", tail="x").columns() == ("x",)


@pytest.mark.parametrize(
    ("names", "requested", "message"),
    [
        (("a", "tail"), {}, "head: no column is called head, source, subject or from; "),
        (("a", "tail"), {}, "; the columns are 'a', 'tail'"),
        (("head",), {}, "tail: no column is called tail, target, object or to"),
        ((), {}, "head: no column"),
        (("source", "from", "to"), {}, "head: expected one column, found 'source', 'from'"),
        (("Source", "FROM", "to"), {}, "head: expected one column, found 'Source', 'FROM'"),
        (("head", "target", "to"), {}, "tail: expected one column, found 'target', 'to'"),
        (("head", "tail", "type", "label"), {}, "found 'type', 'label'; call .* 'relation'"),
        (("head", "tail"), {"relation": "kind"}, "relation: no column 'kind'"),
        (("head", "tail", "Weight"), {"weight": "weight"}, "did you mean 'Weight'"),
        (("head", "tail", "tail"), {}, "expected distinct column names, found 'tail'"),
    ],
)  # fmt: skip
def test_missing_and_ambiguous_columns_are_named(names, requested, message):
    with pytest.raises(InvalidArgumentError, match=message) as raised:
        choose(*names, **requested)
    assert str(raised.value).startswith("edges.csv: ")


@pytest.mark.parametrize(
    ("part", "dtype", "expected"),
    [
        ("head", pa.float64(), "strings or integers"),
        ("tail", pa.list_(TEXT), "strings or integers"),
        ("relation", pa.bool_(), "strings or integers"),
        ("weight", pa.bool_(), "numbers"),
        ("weight", pa.timestamp("us"), "numbers"),
    ],
)
def test_wrong_types(part, dtype, expected):
    # Also a weight: to pass over it would change results silently.
    message = f"edges.csv: {part}: expected column '{part}' to hold {expected}, found {dtype}"
    with pytest.raises(InvalidArgumentError, match="expected column") as raised:
        choose("head", "relation", "tail", "weight", types=[(part, dtype)])
    assert str(raised.value) == message
    for fine in (pa.int8(), pa.dictionary(pa.int8(), TEXT), pa.null(), pa.string_view()):
        assert choose("head", "relation", "tail", "weight", types=[(part, fine)]).head == "head"

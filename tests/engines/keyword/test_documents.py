"""Rows become tantivy documents, block by block."""

import numpy as np
import pyarrow as pa
import pytest

from octavo.engines.keyword import documents
from octavo.engines.keyword.documents import FilterColumn, document_blocks
from octavo.errors import InvalidArgumentError


def taken(*arguments, **options):
    blocks = document_blocks(*arguments, **options)
    return [document.to_dict() for block in blocks for document in block.documents()]


def test_texts_rows_and_filter_terms():
    texts = [pa.array(["one", None]), pa.array([], pa.large_string()), pa.array(["", "two three"])]
    tier = FilterColumn("tier", np.array([1, -1, 0, 1], np.int32), ["a", "b"])
    kind = FilterColumn("kind", np.array([0, 0, -1, -1], np.int32), ["x=y"])
    assert taken(texts, 7, [tier, kind]) == [
        {"body": ["one"], "row": [7], "filter": ["tier=b", "kind=x=y"]},
        {"body": [""], "row": [8], "filter": ["kind=x=y"]},
        {"body": [""], "row": [9], "filter": ["tier=a"]},
        {"body": ["two three"], "row": [10], "filter": ["tier=b"]},
    ]


def test_slices_are_honoured():
    texts = pa.array(["no", "yes", "no"], pa.large_string()).slice(1, 1)
    assert taken([texts]) == [{"body": ["yes"], "row": [0]}]


@pytest.mark.parametrize("block_bytes", [1, 40, 1 << 30])
def test_blocks_of_any_size_give_the_same_rows(monkeypatch, block_bytes):
    monkeypatch.setattr(documents, "_BLOCK_BYTES", block_bytes)
    column = FilterColumn("n", np.arange(9, dtype=np.int32), [str(n) for n in range(9)])
    found = taken([pa.array([f"t{n}" for n in range(9)])], filters=[column])
    assert [document["row"] for document in found] == [[n] for n in range(9)]
    assert [document["filter"] for document in found] == [[f"n={n}"] for n in range(9)]


def test_a_slice_of_a_block_keeps_rows_and_terms(monkeypatch):
    column = FilterColumn("n", np.array([0, 1, -1, 1], np.int32), ["a", "b"])
    (block,) = document_blocks([pa.array(["w", "x", "y", "z"])], 5, [column])
    assert [document.to_dict() for document in block.slice(1, 3).documents()] == [
        {"body": ["x"], "row": [6], "filter": ["n=b"]},
        {"body": ["y"], "row": [7]},
    ]


def test_reading_is_lazy():
    def texts():
        yield pa.array(["a"])
        yield pa.array(["b"])
        raise RuntimeError("read too far")

    assert len(next(document_blocks(texts()))) == 1


@pytest.mark.parametrize("codes", [[0, 2], [-2, 0]])
def test_a_code_without_a_value_is_refused(codes):
    column = FilterColumn("tier", np.array(codes, np.int32), ["a", "b"])
    with pytest.raises(InvalidArgumentError, match=r"'tier'.*from -1 to 1"):
        taken([pa.array(["x", "y"])], filters=[column])


@pytest.mark.parametrize("count", [1, 3])
def test_every_row_needs_one_code(count):
    column = FilterColumn("tier", np.zeros(count, np.int32), ["a"])
    with pytest.raises(InvalidArgumentError, match=f"'tier'.*{count} codes for 2 rows"):
        taken([pa.array(["x", "y"])], filters=[column])


def test_codes_without_any_row_are_refused():
    with pytest.raises(InvalidArgumentError, match="1 codes for 0 rows"):
        taken([], filters=[FilterColumn("k", np.zeros(1, np.int32), ["a"])])


def test_texts_must_be_strings():
    with pytest.raises(InvalidArgumentError, match=r"analyzed.*int64"):
        taken([pa.array([1])])

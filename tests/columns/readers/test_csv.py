"""CSV and TSV against the standard library's reader; nothing is guessed."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.readers.csv import CsvSource, TsvSource
from octavo.errors import SourceLoadingError

cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("csv")


def read(source, columns=None, batch_rows=1000):
    rows = []
    for batch in source.batches(columns, batch_rows):
        rows.extend(tuple(row.values()) for row in batch.to_pylist())
    return rows


@pytest.mark.parametrize(("kind", "delimiter"), [(CsvSource, ","), (TsvSource, "\t")])
@settings(max_examples=50)
@given(st.lists(st.tuples(cells, cells), max_size=8))
def test_quoted_values_come_back_as_they_were(folder, kind, delimiter, rows):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "text"), *rows])
    path = folder / "docs.csv"
    path.write_bytes(text.getvalue().encode())
    assert read(kind(str(path))) == rows
    assert read(kind(str(path)), batch_rows=1) == rows


def test_values_stay_as_written(folder):
    path = folder / "typed.csv"
    path.write_bytes(b'\xef\xbb\xbfid,text\n007,1.0\n1,\n"",NA\nx,null\ny,"a ""b"", c"\n')
    expected = [("007", "1.0"), ("1", None), ("", "NA"), ("x", "null"), ("y", 'a "b", c')]
    assert read(CsvSource(str(path))) == expected
    assert read(CsvSource(str(path)), ["text"])[0] == ("1.0",)


@pytest.mark.parametrize("row", ["1,2,3", "1"])
def test_ragged_rows_are_refused_with_their_number(folder, row):
    path = folder / "ragged.csv"
    path.write_text(f"id,text\na,b\n{row}\n")
    with pytest.raises(SourceLoadingError, match=r"ragged.csv: expected CSV.*Row #3"):
        read(CsvSource(str(path)))


def test_text_that_is_not_utf8_is_refused(folder):
    path = folder / "latin.csv"
    path.write_bytes("id,text\na,caf\xe9\n".encode("latin-1"))
    with pytest.raises(SourceLoadingError, match=r"latin.csv.*UTF8"):
        read(CsvSource(str(path)))


def test_utf16_is_named(folder):
    path = folder / "wide.csv"
    path.write_bytes("id,text\na,b\n".encode("utf-16"))
    with pytest.raises(SourceLoadingError, match="UTF-16"):
        read(CsvSource(str(path)))


def test_many_blocks(folder):
    path = folder / "long.csv"
    line = "x" * 200_000
    path.write_text("id,text\n" + "".join(f"{i},{line}\n" for i in range(200)))
    assert [row[0] for row in read(CsvSource(str(path)), ["id"])] == [str(i) for i in range(200)]

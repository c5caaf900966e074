import gzip

import pytest

from octavo.errors import SourceLoadingError
from octavo.evaluation.lines import LinePlace, first_line, read_fields, read_text


def rows(path, widths=(3,)):
    return [
        (int(line), *(field[at].as_py() for field in block.fields))
        for block in read_fields(path, widths, "a b c")
        for at, line in enumerate(block.lines)
    ]


def test_fields_end_at_any_white_space_and_blank_lines_are_left_out(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffa  b\tc\r\n\n  \n d é\u00a0f g".encode())
    assert rows(path) == [(1, "a", "b", "c"), (4, "d", "é\u00a0f", "g")]


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
def test_blocks_do_not_cut_lines(tmp_path, monkeypatch, size):
    monkeypatch.setattr("octavo.evaluation.lines.BLOCK_BYTES", size)
    path = tmp_path / "a.txt"
    lines = [f"q{number} document-{number} {number}" for number in range(40)]
    path.write_text("\n".join(lines))
    assert rows(path) == [(at, *line.split()) for at, line in enumerate(lines, 1)]


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(b"a b c\n"))
    assert rows(path) == [(1, "a", "b", "c")]
    assert first_line(path) == "a b c"
    path.write_bytes(gzip.compress(b"a b c\n" * 1000)[:-9])
    with pytest.raises(SourceLoadingError, match=r"a\.run\.gz: reading it failed"):
        rows(path)


def test_a_line_of_another_width_is_named(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a b c\n\na b c\na b\n")
    with pytest.raises(SourceLoadingError, match=r"line 4: expected 3 fields \(a b c\), found 2"):
        rows(path)
    with pytest.raises(SourceLoadingError, match=r"line 1: expected 4 or 6 fields .*, found 3"):
        rows(path, (4, 6))


def test_text_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a b c\na \xff c\n")
    with pytest.raises(SourceLoadingError, match=r"a\.txt, line 2: expected UTF-8 text, found b'"):
        rows(path)
    with pytest.raises(SourceLoadingError, match=r"a\.txt, line 2: expected UTF-8 text"):
        read_text(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceLoadingError, match="no: no such file"):
        rows(tmp_path / "no")


def test_places_say_lines():
    place = LinePlace("score", "a.run", lines=[3, 5, 8, 9])
    assert str(place) == "a.run, field 'score'"
    assert place.rows([1]) == "line 5"
    assert place.rows([0, 1, 2, 3]) == "lines 3, 5, 8, ..."

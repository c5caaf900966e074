"""Files that are not what they seem, or are too much (S66)."""

import os
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import ConfigurationError, SourceLoadingError
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.loading import load_documents

PETITE = FileLoader(IngestionLimits(file_bytes=1_000, record_bytes=1_000))


def failure(load, contents, loaders=(), **members):
    with pytest.raises(SourceLoadingError) as caught:
        load(contents, loaders, **members)
    assert caught.value.reason == "SOURCE_LOADING"
    return str(caught.value)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.json", "a.csv", "a.yaml", "a.py"])
def test_a_binary_file(load, name):
    assert name in failure(load, {name: bytes(range(256)) * 4})


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.jsonl", "a.csv"])
def test_nul(load, name):
    assert "NUL" in failure(load, {name: "5\n6\0\n"})


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv"])
def test_invalid_utf8(load, name):
    message = failure(load, {name: b"ok\nca\xff\xfe\n"})
    assert f"{name}: " in message
    if name == "a.txt":
        assert "at byte 5" in message


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    ("name", "content"),
    [("a.txt", "é 東京"), ("a.json", '[{"text": "é 東京"}]'), ("a.csv", "text\né 東京")],
)
def test_byte_order_marks(load, name, content, encoding):
    (document,) = load({name: content.encode(encoding)})
    assert document.content == "é 東京"


def test_half_characters(load):
    documents = load({"a.json": '[{"id": "\\ud800", "text": "x\\udfff", "key\\ud800": "v"}]'})
    assert documents[0].content == "x?"
    assert documents[0].id == "docs/a.json#id:%D800"


def test_names_that_are_no_unicode(write, declared):
    root = write({})
    (root / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"x")
    (document,) = load_documents(declared())
    assert document.id == "docs/caf%E9.txt"
    document.metadata["source"].encode()


def test_a_sparse_file_of_two_gigabytes(write, declared):
    root = write(
        {"a.md": "", "b.txt": "", "c.jsonl": "", "d.csv": "", "e.parquet": "", "f.pdf": ""}
    )
    for path in root.iterdir():
        os.truncate(path, 2 << 30)
        started = time.monotonic()
        with pytest.raises(SourceLoadingError, match=path.name):
            list(load_documents(declared(path)))
        assert time.monotonic() - started < 20  # a bound of hanging, not a timing


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.json", "a.yaml", "a.py"])
def test_what_is_read_as_a_whole_is_bounded(load, name):
    assert "at most 1,000 bytes" in failure(load, {name: "x" * 1_001}, [PETITE])


def test_text_beyond_the_bound_is_streamed(load, declared):
    text = "\n\n".join(f"Paragraph {number} of many." for number in range(400))
    loader = FileLoader(IngestionLimits(file_bytes=1_000, chunk_characters=100))
    documents = load({"a.txt": text}, [loader])
    assert "\n\n".join(each.content for each in documents) == text
    assert [each.id for each in documents[:2]] == ["docs/a.txt", "docs/a.txt@2"]
    whole = FileLoader(IngestionLimits(chunk_characters=100))
    assert documents == list(load_documents(declared(), [whole]))


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_record_is_bounded(load, name):
    assert "line 2: expected" in failure(load, {name: "5\n" + "7" * 1_001}, [PETITE])


def test_a_csv_of_many_columns(load):
    header = ",".join(f"c{number}" for number in range(100_000))
    assert "at most 4,096 columns, found 100,000" in failure(load, {"a.csv": header + "\n1,2\n"})


def test_a_parquet_of_many_columns(write, declared):
    root = write({})
    pq.write_table(pa.table({f"c{number}": [1] for number in range(5_000)}), root / "a.parquet")
    with pytest.raises(SourceLoadingError, match="at most 4,096 columns, found 5,000"):
        list(load_documents(declared()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2,3\n", "line 2: expected at most 2 values, found 3"),
        ("a,a\n1,2\n", "distinct column names"),
        ('a,b\n"1,2\n', "expected CSV"),
        (f'a,b\n"{"x" * 140_000}",2\n', "expected CSV: field larger"),
    ],
)
def test_damaged_csv(load, content, message):
    assert message in failure(load, {"a.csv": content})


@pytest.mark.parametrize("depth", [101, 5_000, 200_000])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.yaml"])
def test_deep_nesting(load, name, depth):
    assert f"{name}: " in failure(load, {name: "[" * depth + "]" * depth})


def test_deep_html(load):
    assert "nested at most 2,000 deep" in failure(load, {"a.html": "<div>" * 300_000})


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BOMB, "at most 1,000,000 values"),
        ("a: &a [*a]", "an alias inside of what it names"),
        ("a: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
        ("a: [", "expected YAML"),
        ("a: 2024-13-45", "expected YAML"),
        ("? [a]\n: b", "expected YAML"),
    ],
)
def test_bad_yaml(load, content, message):
    assert message in failure(load, {"a.yaml": content})
    if content.startswith("a:"):  # else it is no front matter, but text between two rules
        assert message in failure(load, {"a.yaml": "", "b.md": f"---\n{content}\n---\ntext"})


@pytest.mark.parametrize("content", ["NaN", "[1,]", "{'a': 1}", "9" * 5_000, "{} {}"])
def test_bad_json(load, content):
    assert "expected JSON" in failure(load, {"a.json": content})


def test_bad_json_lines_name_the_line(load):
    assert "a.jsonl: line 3: expected JSON" in failure(load, {"a.jsonl": "{}\n\n{]\n"})


def test_bad_toml(load):
    assert "expected TOML between +++" in failure(load, {"a.md": "+++\na =\n+++\ntext"})


def test_repeated_ids(load):
    records = '{"id": 1, "text": "a"}\n{"id": "1", "text": "b"}\n'
    message = failure(load, {"a.jsonl": records})
    assert "expected distinct ids, found '1' in the records 1 and 2" in message


def test_a_file_that_cannot_be_read(declared):
    # A file whose first bytes cannot be read by anybody.
    with pytest.raises(SourceLoadingError, match=r"/proc/self/mem: "):
        list(load_documents(declared("/proc/self/mem", format="TEXT")))


def test_a_file_that_changes_while_it_is_read(write, declared):
    path = write({"a.jsonl": '{"text": "one"}\n' * 3}) / "a.jsonl"
    documents = load_documents(declared())
    assert next(documents).content == "one"
    with path.open("a") as file:
        file.write('{"text": "two"}\n')
    with pytest.raises(SourceLoadingError, match=r"a\.jsonl: .*changed while it was read"):
        list(documents)


def test_a_damaged_parquet(load):
    assert "a.parquet: expected parquet" in failure(load, {"a.parquet": b"PAR1 no more PAR1"})
    with pytest.raises(ConfigurationError, match="format is PARQUET"):
        load({"a.parquet": b"PAR1 no more PAR1"}, format="PARQUET")


def test_a_text_without_spaces(load):
    documents = load({"a.txt": "x" * 300_000})
    assert {len(each.content) for each in documents} == {2_000}
    assert len(documents) == 150


@pytest.mark.parametrize(
    "content", ["!!timestamp foo", "!!bool foo", "!!int ''", "!!float ''", "!!int []"]
)
def test_yaml_tags_that_do_not_fit(content, write, declared):
    write({"a.yaml": f"a: {content}\n"})
    with pytest.raises(SourceLoadingError, match="expected YAML"):
        list(FileLoader().load(declared()))


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.yaml", "- {n: 0x%s}", "n: %s"),
        ("a.yaml", "- {n: 1%s}", "n: 1%s"),
        ("a.yaml", "- {n: 1%s.5}", "n: 1%s.5"),
        ("a.md", "+++\nn = 0x%s\n+++\ntext", "text"),
    ],
)
def test_numbers_longer_than_python_writes(name, content, text, write, declared):
    digits = ":1" * 200_000 if "1%s" in content else "f" * 10_000
    write({name: content % digits})
    limits = IngestionLimits(chunk_characters=1_000_000)
    (document,) = FileLoader(limits).load(declared())
    expected = text.replace("%s", digits)
    assert document.content.replace("0x", "") == expected.replace("0x", "")


def test_mappings_in_lists_read_the_same_in_every_process(write, declared):
    write({"a.yaml": "- tags: [{a: !!set {x, y, z}, b: true, c: null}, {d: 1}]\n"})
    (document,) = FileLoader().load(declared())
    assert document.content == "tags: a: x, y, z, b: true, d: 1"

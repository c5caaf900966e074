"""The manifest: atomic, checked, and closed to hostile names."""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.storage.format.layout import FORMAT_VERSION, MANIFEST, MANIFEST_COPY
from octavo.storage.format.manifest import (
    ColumnsEntry,
    EmbeddingEntry,
    FileEntry,
    Manifest,
    SegmentEntry,
    read_manifest,
)
from octavo.storage.format.manifest_json import decode_manifest, encode_manifest
from tests.storage.manifest_editing import rewrite_manifest

SEGMENT = SegmentEntry("00000001", 3, 1, 0, ("keyword/0",), {"a/b.arrow": FileEntry(5, "00ff00ff")})
MANIFEST_VALUE = Manifest(
    generation=1,
    created_by="octavo test",
    analyzer={"language": None},
    analyzer_fingerprint="abc",
    embedding=EmbeddingEntry("hash:128", 128, "def"),
    columns=ColumnsEntry("id", "text", None, None, "when", None, ("tier", "größe")),
    segments=(SEGMENT,),
)


def write(index, *names):
    """Write the manifest without a commit."""
    for name in names or (MANIFEST, MANIFEST_COPY):
        (index / name).write_bytes(encode_manifest(MANIFEST_VALUE))


def json_of(content):
    try:
        return json.loads(bytes(content))
    except ValueError:
        return None


def test_round_trip(tmp_path):
    write(tmp_path)
    assert read_manifest(tmp_path) == MANIFEST_VALUE
    assert read_manifest(tmp_path).rows == 3


def test_the_checksum_is_that_of_the_rest_in_a_fixed_form():
    content = encode_manifest(MANIFEST_VALUE)
    body = json.loads(content)
    rest = {name: value for name, value in body.items() if name != "checksum"}
    text = json.dumps(rest, indent=1, sort_keys=True) + "\n"
    assert body["checksum"] == hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    assert content.decode() == json.dumps(body, indent=1, sort_keys=True) + "\n"
    assert rest == {
        "format_version": FORMAT_VERSION,
        **json.loads(json.dumps(asdict(MANIFEST_VALUE))),
    }
    spaced = json.dumps(body).encode()  # the same content in another form
    assert decode_manifest(spaced, Path("manifest.json")) == MANIFEST_VALUE


def test_missing_directory_and_foreign_directory(tmp_path):
    with pytest.raises(CorpusFormatError, match="no such directory"):
        read_manifest(tmp_path / "none")
    with pytest.raises(CorpusFormatError, match="without manifest"):
        read_manifest(tmp_path)
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(CorpusFormatError, match="file"):
        read_manifest(file)


def test_a_newer_format_is_refused_by_its_number(tmp_path):
    (tmp_path / MANIFEST).write_text(json.dumps({"format_version": FORMAT_VERSION + 1}))
    with pytest.raises(CorpusFormatError, match=f"version {FORMAT_VERSION + 1}.*newer octavo"):
        read_manifest(tmp_path)


def test_every_flipped_byte_is_a_typed_error(tmp_path):
    write(tmp_path, MANIFEST)
    path = tmp_path / MANIFEST
    whole = path.read_bytes()
    for position in range(len(whole)):
        for bit in (1, 32):
            flipped = bytearray(whole)
            flipped[position] ^= bit
            path.write_bytes(flipped)
            if json_of(flipped) == json.loads(whole):  # white space outside strings is nothing
                assert read_manifest(tmp_path) == MANIFEST_VALUE
                continue
            with pytest.raises((CorpusCorruptError, CorpusFormatError), match="manifest"):
                read_manifest(tmp_path)


@pytest.mark.parametrize("cut", [0, 1, 10, -2])
def test_a_truncated_manifest_is_corrupt(tmp_path, cut):
    write(tmp_path, MANIFEST)
    path = tmp_path / MANIFEST
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(CorpusCorruptError, match="manifest"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../b", "", "a\\b", "a\0b"])
@pytest.mark.parametrize("place", ["segment", "file", "keyword"])
def test_names_cannot_lead_out_of_the_index(tmp_path, name, place):
    write(tmp_path)

    def change(body):
        segment = body["segments"][0]
        if place == "segment":
            segment["name"] = name
        elif place == "file":
            segment["files"] = {name: {"size": 1, "crc32": "0"}}
        else:
            segment["keyword"] = [name]

    rewrite_manifest(tmp_path, change)
    with pytest.raises(CorpusCorruptError, match="malformed"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("field", ["generation", "segments", "columns", "analyzer", "embedding"])
def test_a_missing_field_is_named(tmp_path, field):
    write(tmp_path)
    rewrite_manifest(tmp_path, lambda body: body.pop(field))
    with pytest.raises(CorpusCorruptError, match=field):
        read_manifest(tmp_path)


@pytest.mark.parametrize("version", [0, -5, True, None, "1", 1.0])
def test_a_version_that_never_was_is_corrupt(tmp_path, version):
    write(tmp_path)
    rewrite_manifest(tmp_path, lambda body: body.update(format_version=version))
    with pytest.raises(CorpusCorruptError, match="format_version"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("wrong", [None, [], {}, "x", -1, True, 1.5, "\ud800"])
@pytest.mark.parametrize(
    "path",
    [
        ("generation",), ("created_by",), ("embedding", "specification"),
        ("embedding", "dimensions"), ("columns", "id"), ("segments",), ("segments", 0, "name"),
        ("segments", 0, "rows"), ("segments", 0, "null_vectors"), ("segments", 0, "files"),
        ("segments", 0, "files", "a/b.arrow", "size"),
        ("segments", 0, "files", "a/b.arrow", "crc32"),
    ],
)  # fmt: skip
def test_a_field_of_a_wrong_type_is_corrupt(tmp_path, path, wrong):
    if isinstance(wrong, str) and wrong.isascii() and path[-1] in (
        "created_by", "specification", "id", "name", "crc32"):  # fmt: skip
        pytest.skip("a text is right there")
    if wrong == {} and path[-1] == "files":
        pytest.skip("no files is a legal list")
    write(tmp_path)

    def change(body):
        place = body
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = wrong

    rewrite_manifest(tmp_path, change)
    with pytest.raises(CorpusCorruptError, match="malformed"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("content", ["[]", "3", '{"format_version": "1"}', "{}", "[" * 100_000])
def test_other_json_is_corrupt(tmp_path, content):
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(CorpusCorruptError, match="manifest"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("damage", [None, b"", b"{", b"[]", b"\xff\xfe", b"gone" * 999])
def test_the_copy_serves_where_the_manifest_does_not(tmp_path, caplog, damage):
    write(tmp_path)
    if damage is None:
        (tmp_path / MANIFEST).unlink()
    else:
        (tmp_path / MANIFEST).write_bytes(damage)
    assert read_manifest(tmp_path) == MANIFEST_VALUE
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("octavo.storage", "WARNING")
    assert str(tmp_path / MANIFEST) in record.message
    assert MANIFEST_COPY in record.message


def test_a_whole_manifest_says_nothing_whatever_the_copy_is(tmp_path, caplog):
    for damage in (None, b"", encode_manifest(replace(MANIFEST_VALUE, generation=9))):
        write(tmp_path)
        (tmp_path / MANIFEST_COPY).unlink()
        if damage is not None:
            (tmp_path / MANIFEST_COPY).write_bytes(damage)
        assert read_manifest(tmp_path) == MANIFEST_VALUE
    assert not caplog.records


def test_both_damaged_is_an_error_that_names_both(tmp_path):
    write(tmp_path)
    for name in (MANIFEST, MANIFEST_COPY):
        (tmp_path / name).write_bytes(b"{")
    with pytest.raises(CorpusCorruptError, match=rf"{MANIFEST}: .*; and .*{MANIFEST_COPY}: "):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(CorpusCorruptError, match=rf"{MANIFEST}: .*missing.*{MANIFEST_COPY}: "):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST_COPY).unlink()
    (tmp_path / MANIFEST).write_bytes(b"{")
    with pytest.raises(CorpusCorruptError, match=f"{MANIFEST}: expected JSON"):
        read_manifest(tmp_path)


def test_a_newer_format_is_never_passed_over_for_the_copy(tmp_path):
    write(tmp_path)
    newer = json.dumps({"format_version": FORMAT_VERSION + 1})
    (tmp_path / MANIFEST).write_text(newer)
    with pytest.raises(CorpusFormatError, match="newer octavo"):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_text("{")
    (tmp_path / MANIFEST_COPY).write_text(newer)
    with pytest.raises(CorpusFormatError, match="newer octavo"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("name", [MANIFEST, MANIFEST_COPY])
def test_a_manifest_elsewhere_is_not_read(tmp_path, name):
    index = tmp_path / "index"
    index.mkdir()
    write(index, name)
    (index / name).rename(tmp_path / "elsewhere.json")
    (index / name).symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(CorpusCorruptError, match="leads out of the index"):
        read_manifest(index)


def test_json_that_cannot_be_written_again_is_corrupt(tmp_path):
    deep = "[" * 900 + "]" * 900
    (tmp_path / MANIFEST).write_text(f'{{"format_version": 1, "x": {deep}}}')
    with pytest.raises(CorpusCorruptError, match="manifest"):
        read_manifest(tmp_path)

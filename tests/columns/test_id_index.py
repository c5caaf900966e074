"""Ids to rows against a dictionary, collisions and damage included."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo.columns.id_index as module
from octavo.columns.id_index import IdIndex, IdIndexBuilder, check_unique, find_duplicates
from octavo.errors import CorpusCorruptError, InvalidArgumentError

identifiers = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


def large(values):
    return pa.array(values, pa.large_string())


def build(folder, batches):
    stored = [identifier for batch in batches for identifier in batch]
    builder = IdIndexBuilder()
    for batch in batches:
        builder.add(large(batch))
    builder.write(folder / "hashes.npy", folder / "rows.npy")
    return stored, IdIndex(
        folder / "hashes.npy",
        folder / "rows.npy",
        lambda rows: [stored[row] for row in rows],
        expected_rows=len(stored),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ids")


@settings(deadline=None, max_examples=50)
@given(st.lists(identifiers, unique=True), st.lists(identifiers), st.integers(0, 10))
def test_lookup_equals_a_dictionary(folder, stored, others, cut):
    stored, index = build(folder, [stored[:cut], stored[cut:]])
    oracle = {identifier: row for row, identifier in enumerate(stored)}
    wanted = [*stored, *others]
    assert index.rows(wanted).tolist() == [oracle.get(each, -1) for each in wanted]
    assert [index.row(each) for each in wanted] == [oracle.get(each) for each in wanted]
    assert len(index) == len(stored)


def test_nothing_stored_and_nothing_asked(folder):
    _, index = build(folder, [])
    assert index.row("a") is None
    assert index.rows([]).tolist() == []


def test_lone_surrogates_are_unknown_and_not_confused(folder):
    _, index = build(folder, [["?", "a?"]])
    assert index.row("\ud800") is None
    assert index.row("a\udfff") is None
    assert index.row("?") == 0


def collide(texts):
    return np.array([len(text) for text in texts.to_pylist()], np.uint64)


def test_collisions_are_harmless(folder, monkeypatch):
    monkeypatch.setattr(module, "hash_texts", collide)
    stored, index = build(folder, [["aa", "b", "cc"], ["d", "ee"]])
    assert index.rows([*stored, "zz", "z", "zzz"]).tolist() == [0, 1, 2, 3, 4, -1, -1, -1]


@settings(max_examples=50)
@given(st.lists(st.sampled_from("abcdefgh"), max_size=20), st.booleans(), st.integers(1, 9))
def test_duplicates_equal_a_dictionary(stored, collisions, limit):
    places: dict[str, list[int]] = {}
    for row, identifier in enumerate(stored):
        places.setdefault(identifier, []).append(row)
    expected = [(identifier, rows) for identifier, rows in places.items() if len(rows) > 1]
    with pytest.MonkeyPatch.context() as patch:
        if collisions:
            patch.setattr(module, "hash_texts", collide)
        builder = IdIndexBuilder()
        builder.add(large(stored[:7]))
        builder.add(large(stored[7:]))
        found = builder.duplicates(lambda rows: [stored[row] for row in rows], limit)
    assert found == expected[:limit]


def test_only_rows_with_equal_hashes_are_read():
    asked = []

    def read_ids(rows):
        asked.extend(rows)
        return ["same"] * len(rows)

    hashes = np.array([1, 4, 4, 9], np.uint64)
    assert find_duplicates(hashes, np.array([3, 0, 2, 1]), read_ids) == [("same", [0, 2])]
    assert asked == [0, 2]


def test_duplicates_are_refused_with_their_rows():
    stored = ["x", "a", "b", "a", "a", "b", "a", "a"]
    builder = IdIndexBuilder()
    builder.add(large(stored))
    with pytest.raises(InvalidArgumentError, match="expected every id once") as error:
        check_unique(
            builder, lambda rows: [stored[row] for row in rows], lambda row: f"row {row} of t"
        )
    assert "'a' in row 1 of t, row 3 of t, row 4 of t and 2 more" in str(error.value)
    assert "'b' in row 2 of t, row 5 of t" in str(error.value)
    unique = IdIndexBuilder()
    unique.add(large(["a", "b"]))
    check_unique(unique, lambda rows: pytest.fail("read"), str)


@pytest.mark.parametrize("name", ["hashes.npy", "rows.npy"])
@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[:-1], lambda d: b"x" * 200])
def test_damaged_files_are_named(tmp_path, name, damage):
    build(tmp_path, [["a", "b"]])
    path = tmp_path / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CorpusCorruptError, match=name):
        IdIndex(tmp_path / "hashes.npy", tmp_path / "rows.npy", lambda _: [])
    path.unlink()
    with pytest.raises(CorpusCorruptError, match=name):
        IdIndex(tmp_path / "hashes.npy", tmp_path / "rows.npy", lambda _: [])


def test_other_arrays_are_refused(tmp_path):
    build(tmp_path, [["a", "b"]])
    with pytest.raises(CorpusCorruptError, match=r"shape \(3,\), found uint64 of shape \(2,\)"):
        IdIndex(tmp_path / "hashes.npy", tmp_path / "rows.npy", lambda _: [], expected_rows=3)
    np.save(tmp_path / "rows.npy", np.zeros(2, np.float32))
    with pytest.raises(CorpusCorruptError, match="expected int64 .*found float32"):
        IdIndex(tmp_path / "hashes.npy", tmp_path / "rows.npy", lambda _: [])
    np.save(tmp_path / "rows.npy", np.array([7, -1]))
    damaged = IdIndex(tmp_path / "hashes.npy", tmp_path / "rows.npy", lambda _: ["?"])
    with pytest.raises(CorpusCorruptError, match=r"rows.npy: no row"):
        damaged.row("a")

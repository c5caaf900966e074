import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import Corpus, HashEmbeddingWarning
from octavo.errors import (
    CorpusCorruptError,
    CorpusFormatError,
    CorpusLockedError,
    InvalidArgumentError,
)
from octavo.shards import ShardedCorpus, layout
from octavo.shards.assignment import shard_of
from octavo.shards.layout import read_description
from octavo.shards.shards import LocalShards
from octavo.storage.commit.lock import writer_lock
from tests.columns.arrow_layouts import string_arrays, texts

DOCUMENTS = pa.table(
    {"id": [f"d{number}" for number in range(40)], "text": [f"fox {n}" for n in range(40)]}
)


def build(documents, out, shards=3, **options):
    return ShardedCorpus.build(documents, out, shards, **{"embedding": "none", **options})


def test_each_document_is_in_the_shard_of_its_id(tmp_path):
    corpus = build(DOCUMENTS, tmp_path / "index")
    owners = shard_of(DOCUMENTS["id"].cast(pa.large_string()).combine_chunks(), 3).tolist()
    for place in corpus.shards:
        part = Corpus(place.snapshot())
        ids = {hit.metadata["entryId"] for hit in part.search("fox", max_results=99)}
        assert ids == {f"d{n}" for n, owner in enumerate(owners) if owner == place.number}
    assert read_description(tmp_path / "index").documents == tuple(
        owners.count(number) for number in range(3)
    )
    assert len(set(owners)) == 3


def test_shards_are_about_equally_large():
    # 30,000 like ids over 7 shards: each within four standard deviations of the mean.
    ids = pa.array([f"document-{number:09d}" for number in range(30_000)], pa.large_string())
    numbers = shard_of(ids, 7)
    mean = 30_000 / 7
    bound = 4 * (30_000 * (1 / 7) * (6 / 7)) ** 0.5
    for number in range(7):
        assert abs((numbers == number).sum() - mean) < bound


def test_inputs_may_differ_in_schema(tmp_path):
    pq.write_table(
        pa.table({"id": ["a", "b"], "text": ["red fox", "blue"]}), tmp_path / "1.parquet"
    )
    other = {"text": ["green", "grey"], "id": pa.array([7, 8]), "tier": ["x", None]}
    pq.write_table(pa.table(other), tmp_path / "2.parquet")
    files = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    corpus = build(files, tmp_path / "index", 4, metadata=["tier"])
    single = Corpus.build(files, tmp_path / "single", embedding="none", metadata=["tier"])
    asked = ["fox", "green grey", "blue red"]
    assert corpus.search_batch(asked) == single.search_batch(asked)
    assert [hit.metadata for hit in corpus.search("green")] == [{"tier": "x", "entryId": "7"}]


@given(contents=st.lists(texts, min_size=1, max_size=9), data=st.data())
@settings(max_examples=15)
def test_texts_come_in_every_layout(tmp_path_factory, contents, data):
    ids = [f"d{number}" for number in range(len(contents))]
    columns = {
        name: data.draw(string_arrays(values))
        for name, values in {"id": ids, "text": contents, "tier": contents}.items()
    }
    path = tmp_path_factory.mktemp("layouts")
    options = {"embedding": "none", "metadata": ["tier"], "threads": 1}
    corpus = build(pa.table(columns), path / "index", 2, **options)
    single = Corpus.build(pa.table(columns), path / "single", **options)
    for text in contents:
        assert corpus.search(text) == single.search(text)


def test_vectors_come_in_every_layout(tmp_path):
    vectors = pa.array([[1.0, 0.0], None, [0.0, 1.0]], pa.list_(pa.float32()))
    encoded = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), vectors)
    table = pa.table({"id": ["a", "b", "c"], "text": ["x"] * 3, "v": encoded})
    corpus = build(table, tmp_path / "index", 2, embedding="column:v")
    found = corpus.search("", strategy="vector", query_vector=[0.0, 1.0])
    assert [hit.source for hit in found] == ["c", "a"]


def test_a_column_may_be_called_as_that_of_the_positions(tmp_path):
    documents = DOCUMENTS.append_column("position", pa.array(["p"] * 40))
    corpus = build(documents, tmp_path / "index", metadata=["position"])
    assert len(corpus.search("fox", filters={"position": "p"}, max_results=99)) == 40


def test_an_index_is_replaced_only_if_that_was_asked_for(tmp_path):
    out = tmp_path / "index"
    before = build(DOCUMENTS, out)
    fingerprint = before.fingerprint
    with pytest.raises(CorpusFormatError, match="--overwrite"):
        build(DOCUMENTS, out)
    after = build(DOCUMENTS.slice(0, 5), out, 2, overwrite=True)
    assert len(after) == len(ShardedCorpus.open(out)) == 5
    # A reader keeps what it opened.
    assert len(before.search("fox", max_results=99)) == 40
    assert len(before.asking(LocalShards([]))) == before.info().documents == 40
    assert before.fingerprint == fingerprint != after.fingerprint
    assert len(list(out.glob("generation-*"))) == 1


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        (pa.table({"id": ["a", "b", "a"], "text": ["x"] * 3}), {}, "'a'"),
        (pa.table({"id": ["a", None], "text": ["x"] * 2}), {}, "null in row 1"),
        (pa.table({"id": ["a"], "text": ["x"]}), {"metadata": ["no"]}, "no"),
        (pa.table({"id": ["a"], "text": ["x"]}), {"recall": 2.0}, "recall"),
        (
            pa.table({"id": ["a"], "text": ["x"]}),
            {"parents": "p.parquet"},
            "parents: expected none",
        ),
        (pa.table({"id": ["a"], "text": ["x"]}), {"edges": "e.parquet"}, "edges: expected none"),
        (pa.table({"id": ["a"], "text": ["x"]}), {"block_max": False}, "block_max: expected True"),
        (
            pa.table({"id": ["a", "b"], "text": ["x", "y"], "v": [[1.0], [1.0, 2.0]]}),
            {"embedding": "column:v"},
            "v",
        ),
        (
            pa.table({"id": ["a"], "text": ["x"], "v": pa.array([None], pa.list_(pa.float32()))}),
            {"embedding": "column:v"},
            "only nulls",
        ),
    ],
)
def test_what_cannot_be_indexed_is_refused_and_nothing_is_left(
    tmp_path, documents, options, message
):
    with pytest.raises(InvalidArgumentError, match=message):
        build(documents, tmp_path / "index", 2, **options)
    assert not list(tmp_path.iterdir())


def test_repeated_ids_are_named_by_input_and_row_as_in_a_single_index(tmp_path):
    for name, ids in (("1", "pqr"), ("2", "stpu"), ("3", "vp")):
        lines = "".join(f'{{"id": "{each}", "text": "x"}}\n' for each in ids)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    files = sorted(tmp_path.glob("*.jsonl"))
    told = []
    for make, out in ((Corpus.build, "single"), (build, "index")):
        with pytest.raises(InvalidArgumentError) as error:
            make(files, tmp_path / out, embedding="none")
        told.append(str(error.value))
    assert told[0] == told[1]
    assert f"row 2 of {files[1]}, row 1 of {files[2]}" in told[1]


@pytest.mark.parametrize("shards", [0, -1, 1_001, True, 2.0])
def test_the_number_of_shards_is_checked(tmp_path, shards):
    with pytest.raises(InvalidArgumentError, match="shards: expected an integer from 1 to 1000"):
        build(DOCUMENTS, tmp_path / "index", shards)


def test_an_unknown_option_is_a_type_error(tmp_path):
    with pytest.raises(TypeError, match="colour"):
        build(DOCUMENTS, tmp_path / "index", colour="red")


def test_an_index_that_is_replaced_while_it_is_opened_is_opened_anew(tmp_path, monkeypatch):
    out = tmp_path / "index"
    build(DOCUMENTS, out)

    def read_then_replaced(index):
        found = read_description(index)
        if found.generation == 1:
            monkeypatch.setattr(layout, "read_description", read_description)
            build(DOCUMENTS.slice(0, 5), out, overwrite=True)
        return found

    monkeypatch.setattr(layout, "read_description", read_then_replaced)
    assert len(ShardedCorpus.open(out)) == 5


def test_a_build_that_fails_leaves_the_index_that_was_there(tmp_path):
    out = tmp_path / "index"
    build(DOCUMENTS, out)
    with pytest.raises(InvalidArgumentError):
        build(pa.table({"id": ["a", "a"], "text": ["x"] * 2}), out, overwrite=True)
    assert len(ShardedCorpus.open(out)) == 40
    assert len(list(out.glob("generation-*"))) == 1


def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path):
    out = tmp_path / "index"
    left = out / "generation-00000001" / "00000"
    left.mkdir(parents=True)
    (left / "anything").touch()
    corpus = build(DOCUMENTS, out)
    assert len(corpus) == 40
    assert not (out / "generation-00000001" / "00000" / "anything").exists()


def test_other_files_are_left_alone(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(CorpusFormatError, match="other files"):
        build(DOCUMENTS, tmp_path)
    with pytest.raises(CorpusFormatError, match="found a file"):
        build(DOCUMENTS, tmp_path / "notes.txt")
    single = Corpus.build(DOCUMENTS, tmp_path / "single", embedding="none")
    with pytest.raises(CorpusFormatError, match="other files"):
        build(DOCUMENTS, single.path, overwrite=True)
    sharded = build(DOCUMENTS, tmp_path / "index")
    with pytest.raises(CorpusFormatError, match="other files"):
        Corpus.build(DOCUMENTS, sharded.path, embedding="none", overwrite=True)
    with pytest.raises(CorpusFormatError, match="a single octavo index, found a sharded one"):
        Corpus.open(sharded.path)


def test_other_directories_are_left_alone(tmp_path):
    (tmp_path / "generation-of-1998").mkdir()
    with pytest.raises(CorpusFormatError, match="other files"):
        build(DOCUMENTS, tmp_path)
    kept = build(DOCUMENTS, tmp_path / "index").path / "generation-of-1998"
    kept.mkdir()
    build(DOCUMENTS, tmp_path / "index", overwrite=True)
    assert kept.is_dir()


def test_a_link_to_nothing_is_no_directory(tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    for make in (Corpus.build, build):
        with pytest.raises(CorpusFormatError, match="link: expected a directory .*to nothing"):
            make(DOCUMENTS, tmp_path / "link", embedding="none")


def test_a_damaged_index_is_replaced_as_a_damaged_single_one_is(tmp_path):
    out = build(DOCUMENTS, tmp_path / "index").path
    (out / "shards.json").write_text("{")
    (before,) = out.glob("generation-*")
    with pytest.raises(CorpusFormatError, match="--overwrite"):
        build(DOCUMENTS, out)
    with pytest.raises(InvalidArgumentError):
        build(pa.table({"id": ["a", "a"], "text": ["x"] * 2}), out, overwrite=True)
    assert list(out.glob("generation-*")) == [before]
    assert len(build(DOCUMENTS, out, overwrite=True)) == 40
    assert len(list(out.glob("generation-*"))) == 1
    single = Corpus.build(DOCUMENTS, tmp_path / "single", embedding="none").path
    for each in single.glob("manifest*"):
        each.write_text("{")
    assert len(Corpus.build(DOCUMENTS, single, embedding="none", overwrite=True)) == 40


def test_an_index_of_a_newer_format_is_not_replaced_as_a_single_one_is_not(tmp_path):
    out = build(DOCUMENTS, tmp_path / "index").path
    newer = '{"version": 99}'
    (out / "shards.json").write_text(newer)
    with pytest.raises(CorpusFormatError, match="format 99.*install a newer octavo"):
        build(DOCUMENTS, out, overwrite=True)
    assert (out / "shards.json").read_text() == newer
    assert len(list(out.glob("generation-*"))) == 1
    single = Corpus.build(DOCUMENTS, tmp_path / "single", embedding="none").path
    for each in single.glob("manifest*"):
        each.write_text(json.dumps({**json.loads(each.read_text()), "format_version": 99}))
    with pytest.raises(CorpusFormatError, match="version 99.*install a newer octavo"):
        Corpus.build(DOCUMENTS, single, embedding="none", overwrite=True)


def test_a_build_that_was_killed_at_its_commit_is_no_hindrance(tmp_path):
    (tmp_path / "shards.json.tmp").touch()
    assert len(build(DOCUMENTS, tmp_path)) == 40


def test_one_build_at_a_time(tmp_path):
    out = tmp_path / "index"
    out.mkdir()
    with writer_lock(out), pytest.raises(CorpusLockedError):
        build(DOCUMENTS, out)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "no").mkdir(mode=0o500)
    with pytest.raises(OSError, match="index"):
        build(DOCUMENTS, tmp_path / "no" / "index")


def test_the_default_embedding_says_once_that_it_is_weak(tmp_path):
    # S45
    with pytest.warns(HashEmbeddingWarning) as told:
        build(DOCUMENTS, tmp_path / "index", embedding=None)
    assert len(told) == 1


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"version": true}',
        '{"version": 1, "generation": 1, "documents": [-1]}',
        '{"version": 1, "generation": 1, "documents": []}',
        '{"version": 1, "generation": 1, "documents": [40]}',
        '{"version": 1, "generation": 1, "documents": [40], "contents": []}',
    ],
)
def test_a_damaged_description_is_said_so(tmp_path, content):
    build(DOCUMENTS, tmp_path / "index")
    (tmp_path / "index" / "shards.json").write_text(content)
    with pytest.raises(CorpusCorruptError, match="shards.json"):
        ShardedCorpus.open(tmp_path / "index")


def test_a_newer_format_is_said_so(tmp_path):
    build(DOCUMENTS, tmp_path / "index")
    path = tmp_path / "index" / "shards.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    with pytest.raises(CorpusFormatError, match="format 99"):
        ShardedCorpus.open(tmp_path / "index")
    path.write_text('{"version": 2, "parts": "of another shape"}')
    with pytest.raises(CorpusFormatError, match="format 2, this octavo reads up to 1"):
        ShardedCorpus.open(tmp_path / "index")


def test_info_is_of_all_shards(tmp_path):
    corpus = build(DOCUMENTS, tmp_path / "index")
    info = corpus.info()
    assert (info.documents, info.shards, info.path) == (40, 3, tmp_path / "index")
    parts = [Corpus(place.snapshot()).info() for place in corpus.shards]
    assert info.size == sum(part.size for part in parts)
    assert all(part.shards == 0 for part in parts)

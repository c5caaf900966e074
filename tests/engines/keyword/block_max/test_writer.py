"""Block-max postings on disk: the same bytes from any runs; every array checked when opened."""

import json
import tracemalloc
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.engines.keyword.block_max import runs, writer
from octavo.engines.keyword.block_max.files import DESCRIPTION, open_postings
from octavo.engines.keyword.block_max.lengths import CODED_LENGTHS, length_codes
from octavo.engines.keyword.block_max.runs import invert
from octavo.errors import CorpusCorruptError, CorpusFormatError
from tests.engines.keyword.block_max.block_max_corpora import texts, write

WORDS = st.sampled_from([*"abcdefgh", "éa", "日本"])
DOCUMENTS = st.lists(st.lists(WORDS, max_size=60), max_size=25)


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def terms_of(postings):
    edges = [0, *postings.text_ends.tolist()]
    return [postings.text[a:b].tobytes().decode() for a, b in pairwise(edges)]


@settings(max_examples=20, deadline=None)
@given(DOCUMENTS, st.sets(st.integers(0, 25), max_size=4))
def test_the_files_say_which_rows_hold_a_term_and_how_often(tmp_path_factory, documents, cuts):
    directory = tmp_path_factory.mktemp("postings")
    postings = write(directory / "whole", documents)
    found = {}
    starts = [0, *postings.ends.tolist()]
    for number, term in enumerate(terms_of(postings)):
        for place in range(starts[number], starts[number + 1]):
            row, code = int(postings.rows[place]), int(postings.codes[place])
            found[term, row] = code >> 8
            length = CODED_LENGTHS[code & 255]
            assert length <= len(documents[row]) < CODED_LENGTHS[(code & 255) + 1]
    assert found == {
        (term, row): count
        for row, tokens in enumerate(documents)
        for term, count in Counter(tokens).items()
    }
    assert postings.description.tokens == sum(map(len, documents))
    assert postings.description.rows == len(documents)
    cuts = [cut for cut in cuts if cut <= len(documents)]
    write(directory / "cut", documents, cuts)
    assert content(directory / "cut/block_max") == content(directory / "whole/block_max")


def test_small_memory_and_small_chunks_change_no_byte(tmp_path, monkeypatch):
    random = np.random.default_rng(2)
    documents = [[f"w{word}" for word in random.zipf(1.3, 9)] for _ in range(5000)]
    documents[7] = ["w1"] * 900
    write(tmp_path / "whole", documents)
    monkeypatch.setattr(writer, "_POSTINGS_AT_ONCE", 1000)
    monkeypatch.setattr(writer, "_TERMS_AT_ONCE", 100)
    arrays = [texts(documents[start : start + 100]) for start in range(0, 5000, 100)]
    found = list(invert(tmp_path / "runs", arrays, 0, 900_000))
    assert len(found) > 1
    writer.write_block_max(tmp_path / "parts", found)
    assert content(tmp_path / "parts") == content(tmp_path / "whole/block_max")
    postings = open_postings(tmp_path / "parts", 5000)
    assert postings.large_counts.tolist() == [900]
    assert postings.description.frequent > 1
    number = postings.frequent.tolist().index(terms_of(postings).index("w1"))
    levels = np.unpackbits(postings.levels[number], bitorder="little").reshape(-1, 2) @ [1, 2]
    assert levels[:5000].tolist() == [min(3, tokens.count("w1")) for tokens in documents]


def test_memory_does_not_grow_with_the_number_of_terms(tmp_path, monkeypatch):
    # S6: nor do the bytes depend on how many are merged at a time
    monkeypatch.setattr(writer, "_TERMS_AT_ONCE", 500)
    words = [[f"{number * 16 + word:09x}" for word in range(16)] for number in range(1_250)]
    arrays = [texts(words[start : start + 50]) for start in range(0, 1_250, 50)]
    found = list(invert(tmp_path / "runs", arrays, 0, 1_000_000))
    assert len(found) > 1
    tracemalloc.start()
    writer.write_block_max(tmp_path / "parts", found)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 700_000  # 20,000 terms of some 100 bytes would be 2 MB
    write(tmp_path / "whole", words)
    assert content(tmp_path / "parts") == content(tmp_path / "whole/block_max")


def test_the_lengths_of_a_run_are_coded_once_however_many_batches_it_has(tmp_path, monkeypatch):
    coded = []
    monkeypatch.setattr(
        runs, "length_codes", lambda lengths: coded.append(len(lengths)) or length_codes(lengths)
    )
    arrays = [texts([["a", "b"]] * 10) for _ in range(30)]
    assert len(list(invert(tmp_path / "runs", arrays, 0, 1 << 30))) == 1
    assert coded == [300]


def test_a_long_row_of_new_terms_grows_the_table(tmp_path):
    documents = [[f"t{number}" for number in range(70_000)], ["t3"]]
    postings = write(tmp_path, documents)
    assert sorted(terms_of(postings)) == sorted(documents[0])
    assert len(postings.rows) == 70_001


def test_a_slice_of_text_is_read_as_it_is(tmp_path):
    array = pa.array(["x x", "a", "b b"], pa.large_string()).slice(1)
    (run,) = invert(tmp_path, [array], 0, 1 << 20)
    assert run.rows == 2
    assert run.tokens == 3


@pytest.fixture
def postings(tmp_path):
    write(tmp_path, [["a", "b"], ["a"]])
    return tmp_path / "block_max"


def test_missing_and_foreign_files_are_named(postings):
    assert open_postings(postings, 2).description.terms == 2
    with pytest.raises(CorpusCorruptError, match="expected postings of 3 rows, found 2"):
        open_postings(postings, 3)
    for path in postings.iterdir():
        whole = path.read_bytes()
        if path.name in ("large_places.npy", "large_counts.npy", "frequent.npy", "levels.npy"):
            continue  # empty arrays have nothing to map
        for damage in (b"", whole[: len(whole) // 2]):
            path.write_bytes(damage)
            with pytest.raises(CorpusCorruptError, match=path.name):
                open_postings(postings, 2)
        path.unlink()
        with pytest.raises(CorpusCorruptError, match=path.name):
            open_postings(postings, 2)
        path.write_bytes(whole)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"version": 2}, CorpusFormatError),
        ({"terms": 3}, CorpusCorruptError),
        ({"rows": -1}, CorpusCorruptError),
        ({"postings": True}, CorpusCorruptError),
        ({"tokens": "many"}, CorpusCorruptError),
        ({"tokens": 10**400}, CorpusCorruptError),
        ({"more": 1}, CorpusCorruptError),
    ],
)
def test_a_description_that_does_not_fit_is_refused(postings, change, error):
    path = postings / DESCRIPTION
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(error, match=r"description|terms|hashes"):
        open_postings(postings, 2)


def test_a_description_nested_without_end_is_refused(postings):
    (postings / DESCRIPTION).write_text("[" * 100_000)
    with pytest.raises(CorpusCorruptError, match="expected a description"):
        open_postings(postings, 2)

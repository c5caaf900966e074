"""Shards that are replaced lend their vectors, as a single index does."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from octavo import Corpus
from octavo.cli.main import app
from octavo.shards import ShardedCorpus
from octavo.storage.build.build_request import VECTORS_REUSED, BuildProgress
from tests.storage.segmented import files_of

CONTROLS = 4
SHARDS = 3
TEXTS = [f"a text about {number}" + " more" * (number % 5) for number in range(60)]
CHANGED = [*TEXTS[:40], *(f"a new text of {number}" for number in range(9)), *TEXTS[49:]]
"""Other texts at some of the ids."""


class Counting:
    """Vectors that only the text decides; remembers what it was asked."""

    def __init__(self, salt=""):
        self.asked, self.salt = [], salt

    def __call__(self, text):
        self.asked.append(text)
        seed = int.from_bytes(hashlib.sha256((self.salt + text).encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(8)


def table(texts):
    return pa.table({"id": [f"d{row}" for row in range(len(texts))], "text": texts})


def build(texts, out, function, shards=SHARDS):
    told = []
    options = {"embedding": function, "overwrite": True, "threads": 1, "progress": told.append}
    if shards is None:
        corpus = Corpus.build(table(texts), out, **options)
    else:
        corpus = ShardedCorpus.build(table(texts), out, shards, **options)
    events = [event for event in told if isinstance(event, BuildProgress)]
    return corpus, [event.rows for event in events if event.stage == VECTORS_REUSED]


def test_only_new_texts_are_embedded_as_in_a_single_index(tmp_path):
    asked, reused = [], []
    for name, shards in (("single", None), ("sharded", SHARDS)):
        function = Counting()
        build(TEXTS, tmp_path / name, function, shards)
        function.asked.clear()
        reused.append(build(CHANGED, tmp_path / name, function, shards)[1])
        asked.append(sorted(text for text in function.asked if text not in TEXTS))
        old = len(function.asked) - len(asked[-1])
        assert 0 < old <= CONTROLS * (shards or 1)
    assert asked[0] == asked[1] == sorted(CHANGED[40:49])
    assert reused[0] == reused[1] == [len(CHANGED) - 9]


def test_the_result_is_that_of_a_build_from_scratch(tmp_path):
    build(TEXTS, tmp_path / "index", Counting())
    again, _ = build(CHANGED, tmp_path / "index", Counting())
    scratch, _ = build(CHANGED, tmp_path / "scratch", Counting())
    single, _ = build(CHANGED, tmp_path / "single", Counting(), None)
    for text in (CHANGED[3], CHANGED[44], "another question"):
        found = again.search(text, strategy="vector")
        assert found == scratch.search(text, strategy="vector")
        assert found == single.search(text, strategy="vector")
    for mine, theirs in zip(again.shards, scratch.shards, strict=True):
        places = (mine.snapshot().path, theirs.snapshot().path)
        assert files_of(places[0]) == files_of(places[1])


def test_a_function_that_answers_otherwise_is_asked_for_everything(tmp_path):
    build(TEXTS, tmp_path / "index", Counting())
    other = Counting("other")
    corpus, reused = build(TEXTS, tmp_path / "index", other)
    assert reused == [0]
    assert set(other.asked) == set(TEXTS)
    single, _ = build(TEXTS, tmp_path / "single", Counting("other"), None)
    assert corpus.search("x", strategy="vector") == single.search("x", strategy="vector")


def test_another_embedding_or_number_of_shards_reuses_nothing(tmp_path):
    build(TEXTS, tmp_path / "index", "hash")
    function = Counting()
    assert build(TEXTS, tmp_path / "index", function)[1] == []
    function.asked.clear()
    assert build(TEXTS, tmp_path / "index", function, SHARDS + 1)[1] == []
    assert sorted(function.asked) == sorted(TEXTS)


def test_a_damaged_shard_lends_nothing_and_the_others_do(tmp_path):
    function = Counting()
    corpus, _ = build(TEXTS, tmp_path / "index", function)
    damaged = corpus.shards[1].snapshot()
    path = next(damaged.path.rglob("vectors.npy"))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    function.asked.clear()
    _, (reused,) = build(TEXTS, tmp_path / "index", function)
    assert reused == len(TEXTS) - damaged.rows
    assert len(function.asked) <= damaged.rows + CONTROLS * (SHARDS - 1)


def test_a_build_that_fails_leaves_what_lent(tmp_path):
    build(TEXTS, tmp_path / "index", Counting())

    def fails(_text):
        raise ValueError("out of order")

    with pytest.raises(Exception, match="out of order"):
        build(CHANGED, tmp_path / "index", fails)
    assert ShardedCorpus.open(tmp_path / "index", embedding=Counting()).verify().whole


def test_the_command_says_how_many(tmp_path, monkeypatch):
    (tmp_path / "functions_of_shards.py").write_text(
        "def embed(text):\n    return [float(len(text)), 1.0]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    lines = "".join(f'{{"id": "d{n}", "text": "{text}"}}\n' for n, text in enumerate(TEXTS))
    (tmp_path / "d.jsonl").write_text(lines)
    call = ["index", str(tmp_path / "d.jsonl"), "--out", str(tmp_path / "i"), "--shards", "2"]
    call += ["--embedding", "functions_of_shards:embed", "--overwrite"]
    first, second = CliRunner().invoke(app, call), CliRunner().invoke(app, call)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "vectors reused" not in first.output
    assert f"{len(TEXTS)} of documents whose text was embedded" in second.output

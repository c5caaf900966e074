"""The soak of ``benchmarks/soak.py``, shortened; and that it would notice."""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.slow
def test_twenty_seconds_of_a_writer_and_four_readers(tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, BENCHMARKS / "soak.py", "--seconds", "20", "--commits", "40"),
            *("--documents", "2000", "--directory", tmp_path, "--json"),
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["problems"] == []
    assert report["commits"] == 40
    assert report["answers checked"] > 4 * report["answers too close to call"]


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A reader of an index of 500 documents, which holds the right state."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from octavo import Corpus
    from soaking.documents import COLUMNS, States, documents_of
    from soaking.reader import Reader

    told = argparse.Namespace(
        directory=tmp_path, documents=500, dimensions=16, reader=1, seed=0, seconds=60,
        started=time.time(), rate=100.0,
    )  # fmt: skip
    numbers = np.random.default_rng(0).permutation(500)
    versions = np.random.default_rng(1).integers(0, 3, 500)
    Corpus.build(documents_of(told).table(numbers, versions), tmp_path / "index", **COLUMNS)
    states = States(tmp_path)
    states.publish(1, numbers, versions)
    states.acknowledge(1)
    return Reader(told)


def search(reader):
    for kind in ("keyword", "vector", "hybrid") * 10:
        reader._search(kind)


def test_right_answers_are_right(reader):
    search(reader)
    assert reader.wrong == []
    assert reader.checked > 30


@pytest.mark.parametrize("what", ["missing", "version", "order"])
def test_wrong_answers_are_found(reader, what):
    if what == "missing":  # the index holds documents that the state does not
        reader.numbers, reader.versions = reader.numbers[50:], reader.versions[50:]
        reader.vectors = reader.vectors[50:]
    elif what == "version":
        reader.versions = reader.versions + 3
    else:
        reader.numbers, reader.versions = reader.numbers[::-1], reader.versions[::-1]
        reader.vectors = reader.vectors[::-1]
    search(reader)
    assert reader.wrong


def test_an_old_state_after_a_refresh_is_found(reader, monkeypatch):
    monkeypatch.setattr(type(reader.corpus), "refresh", lambda self: self, raising=False)
    reader._refresh()
    assert reader.wrong == []
    reader.states.acknowledge(2)
    reader._refresh()
    assert "expected generation 2" in reader.wrong[0]

"""Damaged files give typed errors or other results, never a crash."""

import os
import subprocess
import sys
import textwrap

import pytest

from octavo.engines.keyword.damage import damage_reported
from octavo.errors import CorpusCorruptError, InvalidArgumentError
from tests.engines.keyword.corpora import write_segments


class PanicException(BaseException):
    """Stands for the class of this name that tantivy's panics have."""


@pytest.mark.parametrize("error", [PanicException("index 7"), ValueError("index 7")])
def test_panics_and_plain_value_errors_become_corruption(error):
    with pytest.raises(CorpusCorruptError, match=r"place: .*index 7"), damage_reported("place"):
        raise error


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), InvalidArgumentError("mine"), UnicodeError("mine"), OSError(5)]
)
def test_everything_else_passes_through(error):
    with pytest.raises(type(error)), damage_reported("place"):
        raise error


def test_a_damaged_byte_anywhere_never_crashes(tmp_path):
    documents = [[f"w{(row * number) % 40}" for number in range(row % 9)] for row in range(300)]
    metadata = {"k": [str(row % 3) for row in range(300)]}
    segments = write_segments(tmp_path, documents, [100], metadata)
    program = """
        import random, sys
        from pathlib import Path
        import numpy as np
        from octavo.columns.selection import Selection
        from octavo.engines.keyword.index import KeywordIndex
        from octavo.errors import OctavoError

        segments = [Path(argument) for argument in sys.argv[1:]]
        files = sorted(file for directory in segments for file in directory.iterdir())
        chance = random.Random(7)
        third = np.arange(300) % 3 == 0
        selections = [None, Selection.of(third, {"k": "0"}), Selection.of(third)]
        outcomes = {"error": 0, "hits": 0}
        for file in files:
            content = file.read_bytes()
            for _ in range(4):
                damaged = bytearray(content)
                damaged[chance.randrange(len(damaged))] ^= chance.randrange(1, 256)
                file.unlink()  # never in place: that would be another file's map
                file.write_bytes(damaged)
                try:
                    index = KeywordIndex.open(segments, 300)
                    for selection in selections:
                        hits, _ = index.search([["w1", "w2"], ["w0"]], 20, selection)
                        assert not len(hits) or 0 <= hits.rows.min() <= hits.rows.max() < 300
                        assert (hits.scores > 0).all()
                    outcomes["hits"] += 1
                except OctavoError:
                    outcomes["error"] += 1
            file.unlink()
            file.write_bytes(content)
        print(outcomes["error"] > 0, outcomes["hits"] > 0, sum(outcomes.values()))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, segments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RUST_BACKTRACE": "0"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "True True 56\n"

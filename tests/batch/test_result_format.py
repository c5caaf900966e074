from pathlib import Path

import pytest

from octavo.batch.result_format import ENDINGS, ResultFormat, format_of
from octavo.errors import InvalidArgumentError


@pytest.mark.parametrize(("ending", "expected"), ENDINGS.items())
def test_the_ending_tells_the_format(ending, expected):
    assert format_of(Path(f"a.b{ending}"), None) is expected
    assert format_of(Path(f"a{ending.upper()}"), None) is expected


def test_no_ending_is_parquet_and_a_name_wins():
    assert format_of(Path("results"), None) is ResultFormat.PARQUET
    assert format_of(Path("results.parquet"), "trec") is ResultFormat.TREC
    assert format_of(Path("results.parquet"), ResultFormat.JSONL) is ResultFormat.JSONL


@pytest.mark.parametrize(
    ("path", "name"), [("r.csv", None), ("r.parquet", "csv"), ("r", "PARQUET")]
)
def test_other_formats_are_refused_with_the_known_ones(path, name):
    with pytest.raises(InvalidArgumentError, match="parquet, jsonl, trec"):
        format_of(Path(path), name)

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.corpus.corpus import Corpus
from tests.conformance.world import NOW, documents, options, text_of


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """An index, its queries and its judgements."""
    out = tmp_path_factory.mktemp("sweep")
    Corpus.build(documents(40, ()), out / "index", **options(()))
    texts = [text_of(number) for number in range(10)]
    pq.write_table(pa.table({"id": [f"q{n}" for n in range(10)], "text": texts}), out / "q.parquet")
    lines = [f"q{n}\t0\td{(n * 7 + k) % 40:03}\t{k % 3}\n" for n in range(10) for k in range(8)]
    (out / "qrels.txt").write_text("".join(lines).replace("\t", " "))
    return out / "index", out / "q.parquet", out / "qrels.txt"


def test_a_line_a_point_the_best_first(octavo, judged):
    done = octavo(
        "sweep", *judged, "--strategy", "hybrid", "--rrf-k", "1, 60", "--metric", "nDCG@5",
        "--weights", "keyword=1,vector=1; keyword=1,vector=0.1", "--candidate-depth", "20",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    header, *lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert header == ["candidate_depth", "rrf_k", "weights", "nDCG@5"]
    assert sorted(line[:3] for line in lines) == [
        ["20", "1", "keyword=1,vector=0.1"], ["20", "1", "keyword=1,vector=1"],
        ["20", "60", "keyword=1,vector=0.1"], ["20", "60", "keyword=1,vector=1"],
    ]  # fmt: skip
    values = [float(line[3]) for line in lines]
    assert values == sorted(values, reverse=True)
    said = done.stderr
    assert "10 judged" in said
    assert "held out" in said
    assert "gain" in said


def test_options_of_the_strategy_inside(octavo, judged):
    done = octavo(
        "sweep", *judged, "--strategy", "temporal", "--child", "hybrid", "--now", NOW.isoformat(),
        "--rrf-k", "1,60", "--half-life", "1d,30d", "--json", "--top", 2, "--folds", 2,
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["points"]) == 2
    assert found["points"][0].keys() == {"child.rrf_k", "half_life", "nDCG@10"}
    assert found["best"] == found["points"][0]
    assert found["gain"] == pytest.approx(found["held_out"] - found["default"])


def test_what_is_no_list(octavo, judged):
    wrong = octavo("sweep", *judged, "--strategy", "hybrid", "--rrf-k", "1,many")
    assert wrong.exit_code == 2
    assert "--rrf-k: expected int values between commas" in wrong.stderr
    none = octavo("sweep", *judged, "--strategy", "hybrid")
    assert none.exit_code == 2
    assert "expected values for at least one option" in none.stderr
    other = octavo("sweep", *judged, "--strategy", "keyword", "--rrf-k", "1,2")
    assert other.exit_code == 2
    assert "no option rrf_k" in other.stderr

import json
import math

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from octavo.batch.writers.jsonl import JsonLinesWriter


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False, allow_infinity=False))))
def test_values_read_back_exactly(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("jsonl") / "r.jsonl"
    batch = pa.record_batch(
        {
            "id": pa.array([text for text, _ in values], pa.string()),
            "score": pa.array([score for _, score in values], pa.float64()),
            "keyword_rank": pa.array([None] * len(values), pa.int32()),
        }
    )
    with JsonLinesWriter(path) as writer:
        writer.write(batch)
        writer.write(batch)
    found = [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]
    assert len(found) == 2 * len(values)
    for one, (text, score) in zip(found, values + values, strict=True):
        assert list(one) == ["id", "score", "keyword_rank"]
        assert (one["id"], one["keyword_rank"]) == (text, None)
        assert one["score"] == score
        assert math.copysign(1, one["score"]) == math.copysign(1, score)

import hashlib
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from octavo.benchmark.synthetic import BATCH, FAMILY, SELECTIVITIES, SyntheticCorpus
from octavo.errors import InvalidArgumentError

# Of the first 100 documents of seed 0 with 8 dimensions, worked out once: no machine, thread or
# version of a library may move a byte.
DIGEST = "97b092a39a3885c6542a1e0ebb837a3c"


def digest(corpus: SyntheticCorpus) -> str:
    hashed = hashlib.sha256()
    for batch in corpus.batches():
        for row in batch.to_pylist():
            vector = np.array(row.pop("vector"), "<f4")
            hashed.update(repr(row).encode() + vector.tobytes())
    return hashed.hexdigest()[:32]


def table(documents: int, **options) -> pa.Table:
    return pa.Table.from_batches(list(SyntheticCorpus(documents, **options).batches()))


def test_the_same_seed_gives_the_same_bytes_everywhere():
    assert digest(SyntheticCorpus(100, dimensions=8)) == DIGEST


def test_another_process_gives_the_same_bytes():
    code = (
        "import sys; sys.path.insert(0, '.');"
        "from octavo.benchmark.synthetic import SyntheticCorpus as C;"
        "print(hash(0), [b['text'][99].as_py() for b in C(100, dimensions=8).batches()][0])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**__import__("os").environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_a_larger_corpus_begins_with_the_smaller():
    small, large = table(100, dimensions=8), table(BATCH + 10, dimensions=8)
    assert large.num_rows == BATCH + 10
    assert large.slice(0, 100).equals(small)


def test_more_queries_only_add_to_the_end():
    corpus = SyntheticCorpus(10, dimensions=8)
    few, many = corpus.queries(5), corpus.queries(BATCH + 3)
    assert len(many) == BATCH + 3 == len(many.vectors) == len(many.topics)
    assert many.texts[:5] == few.texts
    assert np.array_equal(many[:5].vectors, few.vectors)
    assert np.array_equal(many[:5].topics, few.topics)


def test_seeds_differ():
    assert not table(50, dimensions=8, seed=1).equals(table(50, dimensions=8, seed=2))


def test_tiers_admit_their_shares():
    tiers = table(40_000, dimensions=1)["tier"].to_pylist()
    for tier, share in SELECTIVITIES.items():
        expected = share * len(tiers)
        assert abs(tiers.count(tier) - expected) < 5 * expected**0.5


def test_families_sources_and_times():
    documents = table(BATCH + 20, dimensions=1)
    ids = documents["id"].to_pylist()
    assert ids == [f"d{row}" for row in range(len(ids))]
    for row, parent in enumerate(documents["parent"].to_pylist()):
        assert parent == (None if row % FAMILY == 0 else ids[row // FAMILY * FAMILY])
    assert len(set(documents["source"].to_pylist())) == 100
    times = documents["time"].to_pylist()
    assert min(times).year >= 2016
    assert max(times).year == 2025


def test_topics_show_in_vectors_but_not_perfectly():
    corpus = SyntheticCorpus(4_000)
    documents = pa.Table.from_batches(list(corpus.batches()))
    vectors = np.array(documents["vector"].to_pylist(), np.float64)
    topics, queries = documents["topic"].to_numpy(), corpus.queries(64)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    best = np.argsort(-(queries.vectors @ unit.T), axis=1)[:, :3]
    of_topic = (topics[best] == queries.topics[:, np.newaxis]).mean()
    assert of_topic < 0.95
    assert of_topic > 20 * (topics == queries.topics[:, np.newaxis]).mean()


def test_vectors_are_whole_numbers_times_a_power_of_two():
    vectors = np.array(table(200, dimensions=8)["vector"].to_pylist()) * 2**13
    assert np.array_equal(vectors, np.round(vectors))


def test_batches_are_made_one_by_one():
    batches = SyntheticCorpus(10**12, dimensions=1).batches()  # would never end otherwise
    assert next(batches).num_rows == BATCH


@pytest.mark.parametrize("argument", ["documents", "dimensions", "seed"])
def test_numbers_are_checked(argument):
    with pytest.raises(InvalidArgumentError, match=argument):
        SyntheticCorpus(**{"documents": 1, argument: -1})

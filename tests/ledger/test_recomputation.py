"""Every score follows from the parts beside it, to the last bit."""

import json
from datetime import timedelta

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import InvalidArgumentError, RAGContext, RunSettings, SourceLoadingError, recompute
from octavo.batch import BatchJob, run_batch
from tests.conformance import subjects
from tests.conformance.world import ANY, NOW, QUERIES, build
from tests.ledger import worlds

BUILT_IN = [
    *(subjects.keyword, subjects.vector, subjects.hybrid, subjects.hybrid_graph),
    *(subjects.memory_hybrid, subjects.graph, subjects.graph_csr, subjects.graph_documents),
    *(subjects.multi_query, subjects.multi_query_vector, subjects.multi_query_own),
    *(subjects.hierarchical, subjects.hierarchical_own, subjects.hierarchical_flat),
    *(subjects.temporal, subjects.temporal_vector, subjects.temporal_own),
    *(subjects.reasoning, subjects.reasoning_flat, subjects.everything),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return build(tmp_path_factory.mktemp("world") / "index", 40)


def bits(scores):
    return np.asarray(scores, np.float64).tobytes()


def without(table, *columns):
    kept = [name for name in table.column_names if name not in columns]
    return table.select(kept)


@pytest.mark.parametrize("subject", BUILT_IN, ids=lambda subject: subject.__name__)
def test_every_strategy(world, subject):  # S20 S21 S22 S23 S24 S25 S26 S27 S28
    table = subject(world).retrieve_batch(QUERIES, ANY)
    assert table.num_rows > 0
    assert bits(recompute(table)) == bits(table["score"])
    if subject not in (subjects.keyword, subjects.vector):  # whose score is the measurement
        assert bits(recompute(without(table, "score"))) == bits(table["score"])


@given(st.data())
def test_any_composition_with_any_settings(data):  # S22 S24 S25 S26 S27 S28
    world = data.draw(worlds.WORLDS)
    strategy = data.draw(worlds.strategies(world, [n for n in worlds.NAMES if n != "own"]))
    context = RAGContext(data.draw(st.integers(1, 15)), data.draw(st.sampled_from([-1e300, 0.0])))
    table = strategy.retrieve_batch(worlds.QUERIES, context)
    assert bits(recompute(table)) == bits(table["score"])


JOBS = [
    ("keyword", {}), ("vector", {}), ("hybrid", {}), ("hierarchical", {"child": "hybrid"}),
    ("hybrid", {"weights": {"keyword": 0.3, "vector": 0.9}, "rrf_k": 7}),
    ("temporal", {"half_life": timedelta(days=3), "floor": 0.25, "now": NOW.isoformat()}),
]  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize(("strategy", "options"), JOBS, ids=range(len(JOBS)))
def test_files_of_a_batch_job(world, tmp_path, strategy, options, ending):  # S5
    out = tmp_path / f"r.{ending}"
    queries = pa.table({"id": [str(n) for n in range(6)], "text": list(QUERIES)})
    run_batch(BatchJob(index=world.corpus, queries=queries, out=out, strategy=strategy, options=options))  # fmt: skip
    expected = world.corpus.search_batch(QUERIES, strategy=strategy, **options)
    assert bits(recompute(out)) == bits(expected["score"])
    assert bits(recompute(str(out))) == bits(expected["score"])


def test_settings_lie_in_the_schema_once(world):
    table = world.corpus.search_batch(
        QUERIES, strategy="temporal", child="hybrid", half_life="7d", floor=0.5,
        now=NOW.isoformat(), max_results=3, min_score=0.1, filters={"tier": "SEMANTIC"},
    )  # fmt: skip
    settings = RunSettings.from_metadata(table.schema.metadata)
    assert (settings.max_results, settings.min_score) == (3, 0.1)
    assert settings.filters == {"tier": "SEMANTIC"}
    stage = settings.strategy
    assert (stage["strategy"], stage["half_life_seconds"], stage["floor"]) == ("temporal", 604_800.0, 0.5)  # fmt: skip
    assert stage["now"] == "2026-01-01T00:00:00Z"
    assert (stage["child"]["strategy"], stage["child"]["rrf_k"]) == ("hybrid", 60)
    assert RunSettings.from_json(settings.to_json(), "here") == settings


def test_parquet_of_any_writer_keeps_the_settings(world, tmp_path):
    table = subjects.everything(world).retrieve_batch(QUERIES)
    pq.write_table(table, tmp_path / "r.parquet")
    feather.write_feather(table, str(tmp_path / "r.arrow"))
    for name in ("r.parquet", "r.arrow"):
        assert bits(recompute(tmp_path / name)) == bits(table["score"])


def test_rows_may_be_few_and_in_any_order(world):
    table = subjects.everything(world).retrieve_batch(QUERIES)
    chosen = np.random.default_rng(1).permutation(table.num_rows)[:17]
    assert bits(recompute(table.take(chosen))) == bits(table["score"].take(pa.array(chosen)))
    assert len(recompute(table.slice(0, 0))) == 0


def test_settings_can_be_given(world):
    table = subjects.hybrid(world).retrieve_batch(QUERIES)
    settings = RunSettings.from_metadata(table.schema.metadata)
    bare = table.replace_schema_metadata(None)
    assert bits(recompute(bare, settings=settings)) == bits(table["score"])
    with pytest.raises(InvalidArgumentError, match="pass settings="):
        recompute(bare)
    with pytest.raises(InvalidArgumentError, match="settings: expected RunSettings, found dict"):
        recompute(bare, settings={"strategy": "hybrid"})


@pytest.mark.parametrize(
    ("subject", "columns"),
    [
        (subjects.keyword, ["score"]),
        (subjects.hybrid, ["voting_streams", "keyword_rank", "vector_rank"]),
        (subjects.hybrid_graph, ["graph_rank"]),
        (subjects.graph_csr, ["hops", "seed_score"]),
        (subjects.multi_query, ["variant_ranks", "variant_streams"]),
        (subjects.hierarchical, ["level", "child_score"]),
        (subjects.temporal, ["child_score", "age_seconds"]),
        (subjects.reasoning, ["stop_reason"]),
        (subjects.everything, ["age_seconds", "level", "vector_rank"]),
    ],
)
def test_what_is_missing_is_named(world, subject, columns):
    table = subject(world).retrieve_batch(QUERIES)
    for column in columns:
        with pytest.raises(InvalidArgumentError, match=f"expected a column '{column}'"):
            recompute(without(table, column))


def replaced(table, name, values):
    place = table.column_names.index(name)
    return table.set_column(place, name, values)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("voting_streams", [None], "expected a value for every hit, found null in row 0"),
        (
            "voting_streams",
            [0],
            r"expected an integer of at least 1, at most 2\*\*53, found 0 in row 0",
        ),
        ("keyword_rank", [-1], r"expected an integer of at least 1, .*, found -1 in row 0"),
        (
            "keyword_rank",
            [2**53 + 1],
            r"expected .* at most 2\*\*53, found 9007199254740993 in row 0",
        ),
        ("keyword_rank", ["one"], "expected int64, found string"),
        ("keyword_rank", [True], "expected int64, found bool"),
        ("keyword_rank", [1.5], "expected int64, found double"),
        ("vector_rank", [[1]], "expected int64, found list"),
    ],
)
def test_damaged_columns(world, column, values, message):
    table = subjects.hybrid(world).retrieve_batch(["common"], RAGContext(1))
    with pytest.raises(InvalidArgumentError, match=f"column '{column}' of table: {message}"):
        recompute(replaced(table, column, pa.array(values)))


def test_not_a_number(world):
    table = subjects.temporal_own(world).retrieve_batch(["common"], RAGContext(1))
    damaged = replaced(table, "child_score", pa.array([float("nan")]))
    with pytest.raises(InvalidArgumentError, match="'child_score' of table: expected a number"):
        recompute(damaged)


def test_a_changed_part_gives_another_score(world):
    table = subjects.hybrid(world).retrieve_batch(["common"], RAGContext(5))
    ranks = [rank + 1 for rank in table["vector_rank"].to_pylist()]
    changed = recompute(replaced(table, "vector_rank", pa.array(ranks)))
    assert (changed < table["score"].to_numpy()).all()


def test_an_absurd_number_of_levels_takes_no_time(world):
    table = subjects.hierarchical(world).retrieve_batch(["common"], RAGContext(1))
    damaged = replaced(table, "level", pa.array([2**50]))
    assert recompute(damaged)[0] < 1e-300


@pytest.mark.parametrize("text", ["{", "[]", '{"strategy": 1}', '{"strategy": {"strategy": "x"}}'])
def test_damaged_settings(world, text):
    table = subjects.hybrid(world).retrieve_batch(["common"])
    damaged = table.replace_schema_metadata({b"octavo.ledger": text.encode()})
    with pytest.raises(InvalidArgumentError, match="expected the settings of a run"):
        recompute(damaged)


@pytest.mark.parametrize("key", ["rrf_k", "streams"])
def test_incomplete_settings(world, key):
    table = subjects.hybrid(world).retrieve_batch(["common"])
    body = json.loads(table.schema.metadata[b"octavo.ledger"])
    del body["strategy"][key]
    damaged = table.replace_schema_metadata({b"octavo.ledger": json.dumps(body).encode()})
    with pytest.raises(InvalidArgumentError, match=rf"settings: expected .* as strategy\.{key}"):
        recompute(damaged)


@pytest.mark.parametrize("key", ["rrf_k", "max_results", "min_score"])
def test_settings_beyond_every_number(world, key):
    table = subjects.hybrid(world).retrieve_batch(["common"])
    body = json.loads(table.schema.metadata[b"octavo.ledger"])
    of_key = body["strategy"] if key == "rrf_k" else body
    of_key[key] = float("inf") if key == "max_results" else 10**400
    damaged = table.replace_schema_metadata({b"octavo.ledger": json.dumps(body).encode()})
    with pytest.raises(InvalidArgumentError, match="settings"):
        recompute(damaged)


def test_of_an_own_strategy_no_parts_are_known():
    world = worlds.World(["fox", "owl"], [None, None])
    from octavo.strategies.returned import as_columnar

    table = as_columnar(worlds.Own(world)).retrieve_batch(["fox"])
    with pytest.raises(InvalidArgumentError, match="found 'own'"):
        recompute(table)


def test_settings_of_json_lines_are_those_of_the_file(world, tmp_path):
    out = tmp_path / "r.jsonl"
    queries = pa.table({"text": list(QUERIES)})
    run_batch(BatchJob(index=world.corpus, queries=queries, out=out, strategy="hybrid"))
    beside = tmp_path / "r.jsonl.ledger.json"
    settings = RunSettings.from_json(json.dumps(json.loads(beside.read_text())["settings"]), "here")
    whole = recompute(out)
    out.write_bytes(b"".join(out.read_bytes().splitlines(keepends=True)[3:]))
    with pytest.raises(InvalidArgumentError, match="found those of another file"):
        recompute(out)
    assert bits(recompute(out, settings=settings)) == bits(whole[3:])
    beside.write_text("[]")
    with pytest.raises(InvalidArgumentError, match="ledger.json: expected the settings"):
        recompute(out)
    beside.unlink()
    with pytest.raises(InvalidArgumentError, match="pass settings="):
        recompute(out)


def test_what_is_no_file_of_results(world, tmp_path):
    with pytest.raises(SourceLoadingError, match="no such file"):
        recompute(tmp_path / "no.parquet")
    with pytest.raises(InvalidArgumentError, match="found a directory"):
        recompute(tmp_path)
    with pytest.raises(InvalidArgumentError, match="expected paths or tables"):
        recompute(3)
    (tmp_path / "r.csv").write_text("query_id,rank\n")
    with pytest.raises(InvalidArgumentError, match="expected parquet, Arrow or JSON lines"):
        recompute(tmp_path / "r.csv")
    (tmp_path / "r.parquet").write_bytes(b"PAR1 and nothing")
    with pytest.raises(SourceLoadingError, match="r.parquet"):
        recompute(tmp_path / "r.parquet")

"""Comparing results, against a model in plain Python."""

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import InvalidArgumentError, RAGContext, RunSettings, diff
from octavo.batch import BatchJob, run_batch
from octavo.ledger import DiffSummary
from tests.conformance.world import QUERIES, build
from tests.ledger import worlds


def results(hits, **settings):
    """Make a table of ``{query: [(id, score), ...]}``."""
    rows = [
        {"query_id": query, "rank": rank, "id": name, "score": score}
        for query, found in hits.items()
        for rank, (name, score) in enumerate(found, start=1)
    ]
    schema = pa.schema(
        [("query_id", pa.string()), ("rank", pa.int32()), ("id", pa.string()), ("score", pa.float64())]
    )  # fmt: skip
    return pa.Table.from_pylist(rows, schema)


def model(before, after, *, ignore_scores=False):
    """Return {query: {id: (move, rank before, rank after)}} of what changed."""
    changes = {}
    for query in [*before, *(query for query in after if query not in before)]:
        old = {name: place for place, (name, _) in enumerate(before.get(query, []), start=1)}
        new = {name: place for place, (name, _) in enumerate(after.get(query, []), start=1)}
        scores = [dict(side.get(query, [])) for side in (before, after)]
        moved = {}
        for name in {*old, *new}:
            was, now = old.get(name), new.get(name)
            if was is None:
                moved[name] = ("entered", None, now)
            elif now is None:
                moved[name] = ("left", was, None)
            elif was != now:
                moved[name] = ("up" if now < was else "down", was, now)
            elif scores[0][name] != scores[1][name] and not ignore_scores:
                moved[name] = ("rescored", was, now)
        if moved:
            changes[query] = moved
    return changes


def found(*arguments, **options):
    return {
        query.query_id: {
            hit.id: (hit.move.value, hit.rank_before, hit.rank_after) for hit in query.hits
        }
        for query in diff(*arguments, **options)
    }


HITS = st.dictionaries(
    st.sampled_from([f"q{n}" for n in range(8)]),
    st.lists(
        st.tuples(st.sampled_from("abcdefg"), st.sampled_from([0.5, 0.25, 1.0])),
        min_size=1, max_size=6, unique_by=lambda hit: hit[0],
    ),
)  # fmt: skip


@given(HITS, HITS, st.booleans(), st.integers(1, 9))
def test_changes_are_those_of_the_model(before, after, ignore_scores, rows):
    expected = model(before, after, ignore_scores=ignore_scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("octavo.ledger.results.Results.blocks.__defaults__", (rows,))
        tables = (results(before), results(after))
        assert found(*tables, ignore_scores=ignore_scores) == expected
        compared = diff(*tables, ignore_scores=ignore_scores)
        assert len(list(compared)) == len(expected)
    moves = [move for query in expected.values() for move, *_ in query.values()]
    assert compared.summary.queries == len({*before, *after})
    assert compared.summary.changed == len(expected)
    assert compared.summary.moves == {move: moves.count(move) for move in set(moves)}
    assert sum(compared.summary.moved_by.values()) == len(moves)


@given(HITS, st.randoms(use_true_random=False))
def test_the_order_of_queries_is_no_change(hits, random):
    queries = list(hits.items())
    random.shuffle(queries)
    assert found(results(hits), results(dict(queries))) == {}


def test_hits_are_told_by_rank_and_the_lost_last():
    before = results({"q": [("a", 3.0), ("b", 2.0), ("c", 1.0)]})
    after = results({"q": [("c", 4.0), ("d", 3.5), ("b", 2.0)]})
    (query,) = diff(before, after)
    told = [(hit.id, hit.move.value, hit.score_before, hit.score_after) for hit in query.hits]
    assert told == [("c", "up", 1.0, 4.0), ("d", "entered", None, 3.5),
                    ("b", "down", 2.0, 2.0), ("a", "left", 3.0, None)]  # fmt: skip


def test_nothing_changed():
    table = results({"q": [("a", 1.0)]})
    compared = diff(table, table)
    assert list(compared) == []
    assert compared.summary == DiffSummary(queries=1)
    assert list(diff(table.slice(0, 0), table.slice(0, 0))) == []
    assert list(diff(pa.table({}), pa.table({}))) == []


def test_documents_without_an_id_are_matched_in_turn():
    before = results({"q": [("", 3.0), ("", 2.0)]})
    after = results({"q": [("", 3.0), ("", 1.5)]})
    assert [hit.rank_before for query in diff(before, after) for hit in query.hits] == [2]


@pytest.mark.parametrize("column", ["query_id", "rank", "id", "score"])
def test_what_is_missing_is_named(column):
    table = results({"q": [("a", 1.0)]})
    damaged = table.drop_columns([column])
    for pair in ((table, damaged), (damaged, table)):
        with pytest.raises(InvalidArgumentError, match=f"expected a column '{column}'"):
            list(diff(*pair))


def test_hits_of_a_query_that_lie_apart(monkeypatch):
    table = results({"q": [("a", 1.0), ("b", 0.5)], "p": [("a", 1.0)]}).take([0, 2, 1])
    for rows in (1, 2, 100):
        monkeypatch.setattr("octavo.ledger.results.Results.blocks.__defaults__", (rows,))
        with pytest.raises(InvalidArgumentError, match="hits of each query together, found some of 'q'"):  # fmt: skip
            list(diff(table, table))


# What moved a hit.


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return build(tmp_path_factory.mktemp("world") / "index", 40)


def with_parts(parts, stage, **run):
    """Make a table of one query from rows of parts, scored by the formula."""
    from octavo import recompute

    table = pa.Table.from_pylist(parts)
    settings = RunSettings(strategy=stage, **run)
    scores = recompute(table, settings=settings)
    rows = [
        {"query_id": "q", "rank": rank, **parts[place], "score": scores[place]}
        for rank, place in enumerate(sorted(range(len(parts)), key=lambda n: -scores[n]), start=1)
    ]
    return pa.Table.from_pylist(rows).replace_schema_metadata(settings.metadata())


HYBRID = {"strategy": "hybrid", "formula": "hybrid", "streams": ["keyword", "vector"], "rrf_k": 60}


def ranked(name, keyword, vector, streams=2):
    return {"id": name, "keyword_rank": keyword, "vector_rank": vector, "voting_streams": streams}


def moved_by(before, after):
    return {hit.id: hit.moved_by for query in diff(before, after) for hit in query.hits}


def test_the_part_that_changed_moved_the_hit():
    before = with_parts([ranked("a", 1, 3), ranked("b", 2, 2), ranked("c", 9, 9)], HYBRID)
    after = with_parts([ranked("a", 1, 12), ranked("b", 2, 2), ranked("c", 9, 9)], HYBRID)
    assert moved_by(before, after) == {"a": "vector_rank", "b": "others"}


def test_of_two_parts_the_one_that_moves_the_score_further():
    before = with_parts([ranked("a", 5, 40), ranked("b", 3, 3)], HYBRID)
    after = with_parts([ranked("a", 4, 1), ranked("b", 3, 3)], HYBRID)
    assert moved_by(before, after)["a"] == "vector_rank"
    # The keyword rank got worse, so it cannot be what raised the score.
    after = with_parts([ranked("a", 6, 1), ranked("b", 3, 3)], HYBRID)
    assert moved_by(before, after)["a"] == "vector_rank"


def test_a_stream_that_fell_silent_moved_the_hit():
    before = with_parts([ranked("a", 1, None)], HYBRID)
    after = with_parts([ranked("a", 1, None, streams=1)], HYBRID)
    assert moved_by(before, after) == {"a": "voting_streams"}


def test_a_setting_moved_the_hit():
    other = {**HYBRID, "rrf_k": 10}
    parts = [ranked("a", 1, 9), ranked("b", 4, 4), ranked("c", None, 1)]
    compared = diff(with_parts(parts, HYBRID), with_parts(parts, other))
    assert [(each.name, each.before, each.after) for each in compared.settings] == [("strategy.rrf_k", 60, 10)]  # fmt: skip
    assert {hit.moved_by for query in compared for hit in query.hits} <= {"rrf_k", "others"}
    assert compared.summary.moved_by["rrf_k"] > 0


def test_a_setting_of_an_inner_stage_is_named_by_its_place():
    def stage(decay):
        child = {"strategy": "graph", "formula": "graph", "decay": decay}
        return {"strategy": "temporal", "formula": "temporal", "half_life_seconds": 10.0, "floor": 0.5, "child": child}  # fmt: skip

    parts = [{"id": "a", "seed_score": 1.0, "hops": 2, "age_seconds": 3.0}]
    assert moved_by(with_parts(parts, stage(0.5)), with_parts(parts, stage(0.9))) == {"a": "child.decay"}  # fmt: skip


def test_weights_moved_the_hit():
    def weighed(vector):
        stage = {**HYBRID, "weights": {"keyword": 1.0, "vector": vector}}
        parts = [{**ranked("a", 1, 9), "voting_weight": 1.0 + vector}]
        return with_parts(parts, stage)

    assert moved_by(weighed(1.0), weighed(3.0)) == {"a": "weights"}
    assert moved_by(weighed(1.0), weighed(0.1)) == {"a": "weights"}


def test_age_moved_the_hit():
    stage = {"strategy": "temporal", "formula": "temporal", "half_life_seconds": 10.0, "floor": 0.5,
             "child": {"strategy": "keyword", "formula": "keyword"}}  # fmt: skip

    def aged(age, child=2.0):
        parts = [{"id": "a", "child_score": child, "age_seconds": age}]
        return with_parts(parts, stage)

    assert moved_by(aged(1.0), aged(5.0)) == {"a": "age_seconds"}
    assert moved_by(aged(1.0), aged(1.0, 2.5)) == {"a": "child_score"}


def test_several_parts_together():
    # Neither the level nor the child's score alone changes anything while the other is as before.
    stage = {"strategy": "hierarchical", "formula": "hierarchical", "decay": 0.0,
             "child": {"strategy": "keyword", "formula": "keyword"}}  # fmt: skip
    before = with_parts([{"id": "a", "child_score": 0.0, "level": 1}], stage)
    after = with_parts([{"id": "a", "child_score": 3.0, "level": 0}], stage)
    assert moved_by(before, after) == {"a": "several"}


def test_other_strategies_have_other_parts(world):
    keyword, hybrid = (world.corpus.search_batch(QUERIES, strategy=s) for s in ("keyword", "hybrid"))  # fmt: skip
    compared = diff(keyword, hybrid)
    assert compared.settings[0].name == "strategy"
    assert (compared.settings[0].before, compared.settings[0].after) == ("keyword", "hybrid")
    stayed = [hit.moved_by for query in compared for hit in query.hits if hit.rank_before and hit.rank_after]  # fmt: skip
    assert set(stayed) <= {"strategy", "others"}
    assert "strategy" in stayed


def test_limits_let_hits_in(world):
    few = world.corpus.search_batch(["common"], strategy="hybrid", max_results=3)
    more = world.corpus.search_batch(["common"], strategy="hybrid", max_results=5)
    assert set(moved_by(few, more).values()) == {"max_results"}
    assert set(moved_by(more, few).values()) == {"max_results"}
    cut = more["score"].to_pylist()[2]
    high = world.corpus.search_batch(["common"], strategy="hybrid", max_results=5, min_score=cut)
    assert set(moved_by(more, high).values()) == {"min_score"}


def test_what_carries_a_hit_let_it_in():
    before = with_parts([ranked("a", 1, 1)], HYBRID)
    after = with_parts([ranked("a", 1, 1), ranked("b", None, 2), ranked("c", 2, 9)], HYBRID)
    assert moved_by(before, after) == {"b": "vector_rank", "c": "keyword_rank"}
    assert moved_by(after, before) == {"b": "vector_rank", "c": "keyword_rank"}


def test_of_unknown_settings_nothing_is_claimed():
    before, after = results({"q": [("a", 1.0)]}), results({"q": [("a", 2.0), ("b", 1.0)]})
    assert moved_by(before, after) == {"a": "unknown", "b": "unknown"}
    bare = with_parts([ranked("a", 1, 1)], HYBRID).select(["query_id", "rank", "id", "score"])
    other = with_parts([ranked("a", 1, 3)], HYBRID)
    assert moved_by(bare, other) == {"a": "unknown"}
    (change,) = diff(before, other).settings
    assert (change.name, change.before, change.after) == ("settings", "unknown", "known")


@settings(max_examples=50)
@given(st.data())
def test_effects_are_those_of_exchanging_one_thing(data):
    """Every attribution by an own score agrees with exchanging parts in plain Python."""
    world = data.draw(worlds.WORLDS)
    tables = []
    for _ in range(2):
        strategy = data.draw(worlds.strategies(world, ["hybrid"]))
        tables.append(strategy.retrieve_batch(worlds.QUERIES, RAGContext(6)))
    stages = [RunSettings.from_metadata(each.schema.metadata).strategy for each in tables]
    rows = [{(row["query_id"], row["id"]): row for row in each.to_pylist()} for each in tables]

    def score(row, stage):
        terms = sorted(
            (row[f"{stream}_rank"], -(stage["weights"] or {}).get(stream, 1.0))
            for stream in stage["streams"]
            if row[f"{stream}_rank"]
        )
        total = math.fsum(-w * (stage["rrf_k"] + 1) / (stage["rrf_k"] + rank) for rank, w in terms)
        return total / (row["voting_weight"] if stage["weights"] else row["voting_streams"])

    for query in diff(*tables):
        for hit in query.hits:
            if hit.rank_before is None or hit.rank_after is None:
                continue
            one, other = (side[query.query_id, hit.id] for side in rows)
            if (stages[0]["weights"] is None) != (stages[1]["weights"] is None):
                assert hit.moved_by in ("weights", "others")
                continue
            change = hit.score_after - hit.score_before
            parts = ["keyword_rank", "vector_rank"]
            divisor = "voting_weight" if stages[0]["weights"] else "voting_streams"
            if stages[0]["weights"] == stages[1]["weights"]:
                parts.append(divisor)
            effects = {name: score({**one, name: other[name]}, stages[0]) for name in parts}
            effects["rrf_k"] = score(one, {**stages[0], "rrf_k": stages[1]["rrf_k"]})
            if divisor == "voting_weight":  # which follows from the weights
                swapped = {**stages[0], "weights": stages[1]["weights"]}
                effects["weights"] = score({**one, divisor: other[divisor]}, swapped)
            effects = {
                name: (value - hit.score_before) * math.copysign(1, change)
                for name, value in effects.items()
            }
            if change == 0 or (hit.rank_before - hit.rank_after) * change < 0:
                assert hit.moved_by == "others"
            elif hit.moved_by == "several":
                assert max(effects.values()) < 1e-12
            else:
                assert effects[hit.moved_by] >= max(effects.values()) - 1e-12


def test_files(world, tmp_path):
    queries = pa.table({"id": [str(n) for n in range(6)], "text": list(QUERIES)})
    for name, options in (("a.parquet", {}), ("b.jsonl", {}), ("c.jsonl", {"rrf_k": 2})):
        run_batch(BatchJob(index=world.corpus, queries=queries, out=tmp_path / name, strategy="hybrid", options=options))  # fmt: skip
    assert found(tmp_path / "a.parquet", tmp_path / "b.jsonl") == {}
    compared = diff(tmp_path / "b.jsonl", tmp_path / "c.jsonl")
    assert [each.name for each in compared.settings] == ["strategy.rrf_k"]
    assert {hit.moved_by for query in compared for hit in query.hits} <= {"rrf_k", "others", "keyword_rank", "vector_rank"}  # fmt: skip
    pq.write_table(pq.read_table(tmp_path / "a.parquet").slice(0, 0), tmp_path / "none.parquet")
    assert {move for query in found(tmp_path / "a.parquet", tmp_path / "none.parquet").values() for move, *_ in query.values()} == {"left"}  # fmt: skip


@pytest.mark.parametrize("name", ["a.trec", "a.csv", "a"])
def test_files_of_other_layouts_are_refused_with_the_way_to_read_them(tmp_path, name):
    (tmp_path / name).write_text("q Q0 a 1 1.0 tag\n")
    with pytest.raises(InvalidArgumentError, match=r"before: expected parquet, Arrow or JSON lines, or the table of a run .*read_run.* found .*a"):  # fmt: skip
        diff(tmp_path / name, tmp_path / name)

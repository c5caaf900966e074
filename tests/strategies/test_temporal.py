"""Temporal retrieval over corpora, and over a user's own strategy (S27, S29)."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import Corpus, RAGContext, RetrievedDocument
from octavo.errors import ExecutionError, InvalidArgumentError, RetrievalError, TemporalError
from octavo.strategies.queries import Queries
from octavo.strategies.temporal import TemporalRAGStrategy
from octavo.strategies.temporal_index import TemporalIndex

NOW = datetime(2024, 6, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def clock():
    return NOW


class Listed:
    """A user's own strategy: the documents it was given, whatever the query."""

    name = "listed"

    def __init__(self, documents):
        self.documents = documents
        self.contexts = []

    def retrieve(self, query, context):
        self.contexts.append(context)
        return list(self.documents)


def document(identifier, score, when=None, source="source", **metadata):
    metadata["entryId"] = identifier
    if when is not None:
        metadata["temporal.timestamp"] = when.isoformat()
    return RetrievedDocument(f"text of {identifier}", source, score, metadata)


def strategy(documents, **options):
    options = {"clock": clock, **options}
    return TemporalRAGStrategy(Listed(documents), TemporalIndex(documents), **options)


def ids(hits):
    return [hit.metadata["entryId"] for hit in hits]


def weight(age_days, half_life=30, floor=0.8):
    return floor + (1 - floor) * 0.5 ** (age_days / half_life)


def test_defaults():  # S27
    documents = [
        document("undated", 1.0), document("month", 1.0, NOW - 30 * DAY),
        document("new", 1.0, NOW), document("ancient", 1.0, datetime(1, 1, 1, tzinfo=UTC)),
    ]  # fmt: skip
    hits = strategy(documents).retrieve("")
    assert ids(hits) == ["new", "month", "undated", "ancient"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.9, 0.8, 0.8])
    defaults = TemporalRAGStrategy
    assert (defaults.DEFAULT_HALF_LIFE, defaults.DEFAULT_RELEVANCE_FLOOR) == (30 * DAY, 0.8)
    assert (defaults.DEFAULT_MAX_FUTURE_SKEW, defaults.name) == (timedelta(minutes=5), "temporal")


def test_negative_scores_prefer_the_fresher_too():  # S10 S27
    documents = [document("old", -0.5, NOW - 60 * DAY), document("new", -0.5, NOW)]
    hits = strategy(documents).retrieve("", RAGContext(min_score=-1))
    assert ids(hits) == ["new", "old"]
    assert hits[0].score == pytest.approx(-0.5 * (1 + 0.8 - 1.0))
    assert hits[1].score == pytest.approx(-0.5 * (1 + 0.8 - weight(60)))


def test_the_score_follows_from_the_parts():  # S27
    documents = [document(str(n), 3.0 - n, NOW - n * n * DAY if n % 3 else None) for n in range(9)]
    table = strategy(documents).retrieve_batch(["q"], RAGContext(min_score=-99))
    assert table.num_rows == 9
    for row in table.to_pylist():
        seconds = row["age_seconds"]
        expected = 0.8
        if seconds is not None:
            expected += (1 - 0.8) * math.exp(-(seconds / (30 * 86_400.0)) * math.log(2))
        assert row["multiplier"] == expected
        factor = expected if row["child_score"] >= 0 else 1 + 0.8 - expected
        assert row["score"] == row["child_score"] * factor


def test_the_metadata_tells_the_parts():  # S11
    hit, undated = strategy([document("a", 1.0, NOW - DAY), document("b", 0.5)]).retrieve("")
    assert hit.metadata["temporal.childScore"] == "1.0"
    assert hit.metadata["temporal.ageSeconds"] == "86400.0"
    assert float(hit.metadata["temporal.multiplier"]) == hit.score
    assert "temporal.ageSeconds" not in undated.metadata
    assert undated.metadata["temporal.multiplier"] == "0.8"


def test_unknown_to_the_index_gets_the_floor():  # S27
    known, unknown = document("a", 1.0, NOW), document("b", 1.0, NOW)
    hits = TemporalRAGStrategy(
        Listed([unknown, known]), TemporalIndex([known]), clock=clock
    ).retrieve("")
    assert [(hit.metadata["entryId"], hit.score) for hit in hits] == [("a", 1.0), ("b", 0.8)]


def test_the_childs_documents_are_returned_as_they_are():  # S3
    indexed = document("a", 0.0, NOW)
    returned = RetrievedDocument(
        "another text", "elsewhere", 1.0, {"entryId": "a", "colour": "red"}
    )
    (hit,) = TemporalRAGStrategy(
        Listed([returned]), TemporalIndex([indexed]), clock=clock
    ).retrieve("")
    assert (hit.content, hit.source, hit.metadata["colour"]) == ("another text", "elsewhere", "red")


@pytest.mark.parametrize(("ahead", "fine"), [
    (timedelta(minutes=5), True), (timedelta(minutes=5, microseconds=1), False),
    (timedelta(0), True), (timedelta(days=10_000), False),
])  # fmt: skip
def test_the_future_is_refused_by_name(ahead, fine):  # S27
    documents = [document("fine", 1.0, NOW), document("late", 0.5, NOW + ahead)]
    if fine:
        assert strategy(documents).retrieve("")[1].score == 0.5
        return
    with pytest.raises(TemporalError, match="'late'.*0:05:00 after 2024-06-01T00:00:00Z, found 20"):
        strategy(documents).retrieve("")


def test_any_skew():  # S27 S29
    documents = [document("late", 1.0, datetime(9999, 12, 31, tzinfo=UTC))]
    assert strategy(documents, max_future_skew=timedelta.max).retrieve("")[0].score == 1.0
    with pytest.raises(TemporalError):
        strategy(documents, max_future_skew=timedelta(0)).retrieve("")


def test_only_candidates_are_checked_for_the_future():  # S27
    late = document("late", 1.0, NOW + DAY, source="other", tier="COLD")
    documents = [document("fine", 1.0, NOW, tier="HOT"), late]
    assert ids(strategy(documents, allowed_sources=["source"]).retrieve("")) == ["fine"]
    hot = RAGContext().with_metadata_filters({"tier": "HOT"})
    assert ids(strategy(documents).retrieve("", hot)) == ["fine"]


def test_the_fence():  # S9 S27
    documents = [document("a", 1.0, source="in"), document("b", 0.9, source="out")]
    unknown = [document("c", 0.8, source="in"), document("d", 0.7, source="out")]
    for sources, expected in (([], "abcd"), (["in"], "ac"), ({"out"}, "bd"), (("x",), "")):
        temporal = TemporalRAGStrategy(
            Listed(documents + unknown), TemporalIndex(documents), sources, clock
        )
        assert ids(temporal.retrieve("")) == list(expected)


def test_the_fence_comes_before_the_limit():  # S8
    documents = [document("a", 1.0, source="out"), document("b", 0.5, source="in")]
    hits = strategy(documents, allowed_sources=["in"]).retrieve("", RAGContext(max_results=1))
    assert ids(hits) == ["b"]


def test_what_the_child_is_asked():  # S9 S10 S14
    child = Listed([document("a", -5.0)])
    temporal = TemporalRAGStrategy(child, TemporalIndex([]), clock=clock)
    filters = {"entryId": "a"}
    temporal.retrieve("", RAGContext(3, 0.5, filters))
    assert child.contexts[0].max_results == 100
    assert child.contexts[0].min_score == -np.finfo(float).max
    assert child.contexts[0].metadata_filters == filters
    temporal.retrieve("", RAGContext(300))
    assert child.contexts[1].max_results == 300
    TemporalRAGStrategy(child, TemporalIndex([]), clock=clock, candidate_depth=20).retrieve("")
    assert child.contexts[2].max_results == 20


def test_min_score_is_inclusive_and_about_the_final_score():  # S10
    documents = [document("a", 1.0)]
    assert strategy(documents).retrieve("", RAGContext(min_score=0.8))
    assert not strategy(documents).retrieve("", RAGContext(min_score=math.nextafter(0.8, 1)))


def test_equal_scores_stay_in_order():  # S6
    documents = [document(name, 0.5, NOW) for name in "dacb"]
    assert ids(strategy(documents).retrieve("")) == list("dacb")


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.integers(-(10**7), 10**7)), max_size=12),
    st.integers(1, 15),
)
def test_a_floor_of_one_leaves_the_ranking_alone(drawn, limit):  # S12 S27
    documents = [
        document(str(n), score, NOW - timedelta(hours=age) if age > 0 else None)
        for n, (score, age) in enumerate(drawn)
    ]
    hits = strategy(documents, relevance_floor=1).retrieve("", RAGContext(limit, -99))
    expected = sorted(documents, key=lambda each: -each.score)[:limit]
    assert [(hit.metadata["entryId"], hit.score) for hit in hits] == [
        (each.metadata["entryId"], each.score) for each in expected
    ]


def test_a_naive_clock_is_refused():  # S27
    for wrong in (NOW.replace(tzinfo=None), "2024-06-01T00:00:00Z", None, 0):
        with pytest.raises(TemporalError, match="clock"):
            strategy([], clock=lambda wrong=wrong: wrong).retrieve("")


def test_a_clock_that_raises():  # S43
    def broken():
        raise OSError("no time")

    with pytest.raises(ExecutionError, match="clock.*no time") as raised:
        strategy([], clock=broken).retrieve("")
    assert isinstance(raised.value, RetrievalError)
    assert isinstance(raised.value.__cause__, OSError)


def test_a_clock_in_any_zone_and_a_clock_that_goes_backwards():  # S27
    moments = [NOW.astimezone(timezone(timedelta(hours=-9))), NOW - 2 * DAY, NOW + 28 * DAY]
    temporal = strategy([document("a", 1.0, NOW - 2 * DAY)], clock=iter(moments).__next__)
    ages = [temporal.retrieve("")[0].metadata["temporal.ageSeconds"] for _ in moments]
    assert ages == ["172800.0", "0.0", "2592000.0"]


def test_the_clock_is_read_once_a_call():  # S27
    readings = []

    def counting():
        readings.append(NOW)
        return NOW + len(readings) * DAY

    temporal = strategy([document("a", 1.0, NOW)], clock=counting)
    table = temporal.retrieve_batch(["a", "b", "c"])
    assert table["age_seconds"].to_pylist() == [86_400.0] * 3
    assert len(readings) == 1
    block = Queries.of(["a", "b"])
    halves = [temporal.rank(block[at : at + 1], RAGContext()) for at in (0, 1)]
    assert len(readings) == 2
    assert all(half.hits.parts["age_seconds"].values.tolist() == [172_800.0] for half in halves)


def test_a_clock_that_cannot_be_hashed():
    @dataclass
    class Fixed:
        moment: datetime

        def __call__(self):
            return self.moment

    assert strategy([document("a", 1.0, NOW)], clock=Fixed(NOW)).retrieve("")[0].score == 1.0


@pytest.mark.parametrize("options", [
    {"half_life": timedelta(0)}, {"half_life": timedelta(days=-1)}, {"half_life": 30},
    {"half_life": None}, {"half_life": math.nan},
    {"relevance_floor": -0.1}, {"relevance_floor": 1.1}, {"relevance_floor": math.nan},
    {"relevance_floor": True}, {"relevance_floor": "0.8"}, {"relevance_floor": None},
    {"max_future_skew": timedelta(microseconds=-1)}, {"max_future_skew": 300},
    {"candidate_depth": 0}, {"candidate_depth": True}, {"candidate_depth": 1.5},
    {"allowed_sources": "source"}, {"allowed_sources": [1]}, {"allowed_sources": 3},
])  # fmt: skip
def test_bounds(options):  # S29
    with pytest.raises(InvalidArgumentError, match=next(iter(options))):
        strategy([], **options)


@pytest.mark.parametrize("half_life", [timedelta(microseconds=1), timedelta.max])
def test_extreme_half_lives(half_life):  # S29
    hit = strategy([document("a", 1.0, NOW - DAY)], half_life=half_life).retrieve("")[0]
    assert hit.score == pytest.approx(0.8 if half_life < DAY else 1.0)


@pytest.fixture(scope="module")
def dated(tmp_path_factory):
    """200 documents of falling relevance, the relevant ones older; every fifth undated."""
    rows = 200
    when = [None if row % 5 == 4 else NOW - (rows - row) * DAY for row in range(rows)]
    table = pa.table({
        "id": [f"d{row}" for row in range(rows)],
        "text": ["fox " * (1 + (rows - row) // 20) + "hen " * (row // 20) for row in range(rows)],
        "source": [f"s{row % 3}" for row in range(rows)],
        "tier": ["HOT" if row % 2 else "COLD" for row in range(rows)],
        "when": pa.array(when, pa.timestamp("us", "UTC")),
    })  # fmt: skip
    path = tmp_path_factory.mktemp("dated") / "index"
    corpus = Corpus.build(
        table, path, source="source", timestamp="when", metadata=["tier"], embedding="hash"
    )
    return corpus, dict(zip(table["id"].to_pylist(), when, strict=True))


def expected(corpus, when, query, child, limit, floor, half_life, filters, sources=()):
    """S27 over the child's own candidates, in plain Python."""
    hits = corpus.search(query, strategy=child, max_results=100, min_score=-9, filters=filters)
    scored = []
    for hit in hits:
        name = hit.metadata["entryId"]
        if sources and hit.source not in sources:
            continue
        multiplier = floor
        if when[name] is not None:
            age = (NOW - when[name]) / timedelta(seconds=1)
            multiplier += (1 - floor) * math.exp(-(age / (half_life * 86_400.0)) * math.log(2))
        scored.append((hit.score * multiplier, int(name[1:])))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    return [(f"d{row}", score) for score, row in scored[:limit]]


@pytest.mark.parametrize("child", ["keyword", "vector", "hybrid"])
@pytest.mark.parametrize("filters", [{}, {"tier": "HOT"}, {"tier": "NONE"}])
@pytest.mark.parametrize("sources", [(), ("s1", "s2"), ("nowhere",)])
def test_over_a_corpus(dated, child, filters, sources):  # S5 S9 S27
    corpus, when = dated
    temporal = TemporalRAGStrategy(
        corpus.strategy(child), TemporalIndex.of_corpus(corpus.keyword_index), sources, clock,
        timedelta(days=50), 0.2,
    )  # fmt: skip
    context = RAGContext(7, metadata_filters=filters)
    queries = ["fox", "hen fox", "nothing", ""]
    table = temporal.retrieve_batch(queries, context)
    for number, query in enumerate(queries):
        wanted = expected(corpus, when, query, child, 7, 0.2, 50, filters, sources)
        hits = temporal.retrieve(query, context)
        assert [(hit.metadata["entryId"], hit.score) for hit in hits] == wanted
        rows = [row for row in table.to_pylist() if row["query_id"] == str(number)]
        assert [(row["id"], row["score"]) for row in rows] == wanted


def test_the_childs_parts_are_kept(dated):  # S23
    corpus, _ = dated
    index = TemporalIndex.of_corpus(corpus.keyword_index)
    once = TemporalRAGStrategy(corpus.strategy("hybrid"), index, clock=clock)
    table = once.retrieve_batch(["fox"])
    assert {"child_score", "keyword_rank", "vector_score"} <= set(table.column_names)
    thrice = TemporalRAGStrategy(TemporalRAGStrategy(once, index, clock=clock), index, clock=clock)
    row = thrice.retrieve_batch(["fox"]).to_pylist()[0]
    scores = [row["temporal_temporal_child_score"], row["temporal_child_score"], row["child_score"]]
    multipliers = [
        row["temporal_temporal_multiplier"], row["temporal_multiplier"], row["multiplier"]
    ]  # fmt: skip
    assert [score * by for score, by in zip(scores, multipliers, strict=True)] == [
        *scores[1:], row["score"]
    ]  # fmt: skip
    hit = thrice.retrieve("fox")[0]
    assert float(hit.metadata["temporal.childScore"]) == row["child_score"]


def test_an_index_of_documents_under_a_corpus(dated):  # S27
    corpus, when = dated
    documents = [document(name, 0.0, moment) for name, moment in when.items()]
    listed = TemporalRAGStrategy(corpus.strategy("hybrid"), TemporalIndex(documents), clock=clock)
    stored = TemporalRAGStrategy(
        corpus.strategy("hybrid"), TemporalIndex.of_corpus(corpus.keyword_index), clock=clock
    )
    assert listed.retrieve("fox hen") == stored.retrieve("fox hen")


def test_the_prefix_property(dated):  # S12
    corpus, _ = dated
    temporal = TemporalRAGStrategy(
        corpus.strategy("keyword"), TemporalIndex.of_corpus(corpus.keyword_index), clock=clock,
        relevance_floor=0.1,
    )  # fmt: skip
    whole = ids(temporal.retrieve("fox hen", RAGContext(100)))
    assert all(
        ids(temporal.retrieve("fox hen", RAGContext(k))) == whole[:k] for k in (1, 9, 50, 99)
    )


def test_no_queries(dated):
    corpus, _ = dated
    index = TemporalIndex.of_corpus(corpus.keyword_index)
    table = TemporalRAGStrategy(corpus.strategy("keyword"), index).retrieve_batch([])
    assert table.num_rows == 0
    assert table.column_names[4:] == ["child_score", "multiplier", "age_seconds"]

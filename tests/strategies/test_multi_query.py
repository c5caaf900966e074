"""Multi-query over corpora, and over a user's own strategy (S25)."""

import json
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import KeywordRAGStrategy, RAGContext, RetrievedDocument
from octavo.errors import (
    CancelledError,
    ConfigurationError,
    ExecutionError,
    InvalidArgumentError,
    ProviderUnavailableError,
    SourceLoadingError,
)
from octavo.spi import CancellationToken, QueryExpansion
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.multi_query import MultiQueryRAGStrategy
from octavo.strategies.queries import Queries
from octavo.strategies.temporal import TemporalRAGStrategy
from octavo.strategies.temporal_index import TemporalIndex


class Expander:
    """Gives what it was made with; records its calls."""

    def __init__(self, *variants, models=("m",)):
        self.variants = variants
        self.models = models
        self.calls = []

    def supports(self, model):
        return model in self.models

    def expand(self, query, mode, model, max_expansions):
        self.calls.append((query, mode, model, max_expansions))
        return list(self.variants)


class Ranked:
    """A user's own strategy: documents by query; records its calls."""

    name = "ranked"

    def __init__(self, documents):
        self.documents = documents
        self.calls = []

    def retrieve(self, query, context):
        self.calls.append((query, context))
        return [
            RetrievedDocument(text, "source", 1.0 - rank / 100, metadata)
            for rank, (text, metadata) in enumerate(self.documents.get(query, ()))
        ]


class Counting(ColumnarStrategy):
    """Counts the batches that another strategy ranks."""

    def __init__(self, strategy):
        self.strategy = strategy
        self.name = strategy.name
        self.batches = []

    def rank(self, queries, context):
        self.batches.append(queries)
        return self.strategy.rank(queries, context)

    def stream(self, queries, context):
        self.batches.append(queries)
        return self.strategy.stream(queries, context)


def multi(base, expander, limit=10, **options):
    return MultiQueryRAGStrategy(base, expander, QueryExpansion.MULTI_QUERY, "m", limit, **options)


def entries(*names):
    return [(f"text {name}", {"entryId": name}) for name in names]


def fused(rankings, limit):
    """S22 and S25 in exact arithmetic over lists of names."""
    voting = [ranking for ranking in rankings if ranking]
    scores = {}
    for ranking in voting:
        for rank, name in enumerate(ranking, start=1):
            scores[name] = scores.get(name, 0) + Fraction(61, 60 + rank)
    first = {name: place for place, name in enumerate(dict.fromkeys(chain(*rankings)))}
    order = sorted(scores, key=lambda name: (-scores[name], first[name]))
    return [(name, float(scores[name] / len(voting))) for name in order[:limit]]


def found(hits):
    return [(hit.metadata["entryId"], hit.score) for hit in hits]


def test_each_unique_variant_is_ranked_once_the_original_first():  # S25
    base = Ranked({})
    expander = Expander(" fox ", "", "Fox", "  ", "vixen ", "fox", "vixen", "\u2003")
    multi(base, expander).retrieve("fox")
    assert [query for query, _ in base.calls] == ["fox", "Fox", "vixen"]
    assert expander.calls == [("fox", QueryExpansion.MULTI_QUERY, "m", 10)]


def test_the_original_is_ranked_as_it_is():  # S25
    base = Ranked({})
    multi(base, Expander("fox")).retrieve("  fox ")
    assert [query for query, _ in base.calls] == ["  fox "]


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_the_limit_counts_variants_that_are_kept(limit):  # S25
    base = Ranked({})
    expander = Expander("", "q", "a", "a", *(f"v{number}" for number in range(1000)))
    multi(base, expander, limit).retrieve("q")
    assert [query for query, _ in base.calls] == [
        "q", "a", *(f"v{number}" for number in range(limit - 1))
    ]  # fmt: skip


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)


@given(st.lists(NAMES, min_size=1, max_size=5), st.integers(1, 10))
def test_scores_are_those_of_exact_arithmetic(rankings, limit):  # S15 S22 S25
    texts = [str(number) for number in range(len(rankings))]
    base = Ranked({text: entries(*names) for text, names in zip(texts, rankings, strict=True)})
    hits = multi(base, Expander(*texts[1:])).retrieve("0", RAGContext(limit))
    expected = fused(rankings, limit)
    assert [name for name, _ in found(hits)] == [name for name, _ in expected]
    assert [hit.score for hit in hits] == pytest.approx([score for _, score in expected], rel=1e-15)
    for hit in hits:
        name = hit.metadata["entryId"]
        ranks = [ranking.index(name) + 1 if name in ranking else None for ranking in rankings]
        assert json.loads(hit.metadata["multiQuery.ranks"]) == ranks


@given(st.lists(NAMES, min_size=2, max_size=5), st.randoms())
def test_the_order_of_variants_moves_no_score(rankings, random):  # S22
    texts = [str(number) for number in range(len(rankings))]
    base = Ranked({text: entries(*names) for text, names in zip(texts, rankings, strict=True)})
    shuffled = texts[1:]
    random.shuffle(shuffled)
    one, other = (
        dict(found(multi(base, Expander(*order)).retrieve("0"))) for order in (texts[1:], shuffled)
    )
    assert one == other


def test_the_score_follows_from_the_parts():  # S22 S25
    base = Ranked({"q": entries("a", "b"), "v": entries("b"), "w": []})
    table = multi(base, Expander("v", "w")).retrieve_batch(["q"])
    rows = {row["id"]: row for row in table.to_pylist()}
    assert rows["a"]["variant_ranks"] == [1, None, None]
    assert rows["b"]["variant_ranks"] == [2, 1, None]
    for row in rows.values():
        ranks = sorted(rank for rank in row["variant_ranks"] if rank)
        assert row["variant_streams"] == 2
        assert row["score"] == sum(61 / (60 + rank) for rank in ranks) / row["variant_streams"]


def test_documents_are_joined_by_identity_never_by_text():  # S15
    same = "the same text"
    base = Ranked({
        "q": [(same, {"entryId": "1"}), (same, {"hierarchy.id": "h"}), (same, {"page": "1"})],
        "v": [(same, {"page": "2"}), (same, {"page": "1"}), (same, {"hierarchy.id": "h", "x": "y"}),
              (same, {"entryId": "2"})],
    })  # fmt: skip
    hits = multi(base, Expander("v")).retrieve("q")
    ranks = [json.loads(hit.metadata["multiQuery.ranks"]) for hit in hits]
    assert sorted(ranks, key=str) == [[1, None], [2, 3], [3, 2], [None, 1], [None, 4]]


def test_min_score_is_about_the_fused_score():  # S10 S25
    base = Ranked({"q": entries("a", "b"), "v": entries("a")})
    strategy = multi(base, Expander("v"))
    assert found(strategy.retrieve("q", RAGContext(min_score=1.0))) == [("a", 1.0)]
    assert base.calls[0][1].min_score == -np.finfo(float).max


def test_candidate_depth():  # S14
    base = Ranked({})
    multi(base, Expander("v")).retrieve("q", RAGContext(5))
    multi(base, Expander("v"), candidate_depth=7).retrieve("q", RAGContext(5))
    multi(base, Expander("v")).retrieve("q", RAGContext(500))
    assert [context.max_results for _, context in base.calls] == [100, 100, 7, 7, 500, 500]


@pytest.mark.parametrize("base", ["keyword", "vector", "hybrid"])
@pytest.mark.parametrize("filters", [{}, {"tier": "WORKING"}, {"year": "1"}])
def test_over_a_corpus(corpus, base, filters):  # S5 S9 S25
    def expand(query, mode, model, max_expansions):
        return [word + " title" for word in query.split()]

    counting = Counting(corpus.strategy(base))
    strategy = multi(counting, expand)
    context = RAGContext(4, metadata_filters=filters)
    queries = ["red fox", "whale", "", "owl and whale song"]
    table = strategy.retrieve_batch(queries, context)
    assert len(counting.batches) == 1
    assert len(counting.batches[0]) == 3 + 2 + 1 + 5
    for number, query in enumerate(queries):
        texts = list(dict.fromkeys([query, *expand(query, None, "", 0)]))
        rankings = [
            [
                hit.metadata["entryId"]
                for hit in corpus.search(text, strategy=base, max_results=100, min_score=-2, filters=filters)
            ]
            for text in texts
        ]  # fmt: skip
        if base == "vector" and not query:
            rankings[0] = []  # S20: the zero vector of no words has no vote
        scores = {}
        for ranking in filter(None, rankings):
            for rank, name in enumerate(ranking, start=1):
                scores[name] = scores.get(name, 0) + Fraction(61, 60 + rank)
        order = sorted(scores, key=lambda name: (-scores[name], int(name[1:])))[:4]
        hits = strategy.retrieve(query, context)
        assert [name for name, _ in found(hits)] == order
        rows = [row for row in table.to_pylist() if row["query_id"] == str(number)]
        assert [(row["id"], row["score"]) for row in rows] == found(hits)


def test_an_all_zero_variant_has_no_vote(corpus):  # S20
    undated = TemporalIndex([])
    for base in (
        corpus.strategy("vector"), TemporalRAGStrategy(corpus.strategy("vector"), undated),
        corpus.strategy("hybrid"),
    ):  # fmt: skip
        alone = base.retrieve("fox", RAGContext(100, -1))
        hits = multi(base, Expander("!?", "...")).retrieve("fox", RAGContext(100))
        assert [hit.metadata["entryId"] for hit in hits] == [
            hit.metadata["entryId"] for hit in alone
        ]
        assert hits[0].score == 1.0
        assert hits[0].metadata["multiQuery.ranks"] == "[1, null, null]"


def test_the_bases_parts_are_those_of_its_best_variant(corpus):  # S23 S25
    strategy = multi(corpus.strategy("hybrid"), Expander("red whale"))
    for row in strategy.retrieve_batch(["quick brown fox"]).to_pylist():
        ranks = [rank or 1000 for rank in row["variant_ranks"]]
        text = ["quick brown fox", "red whale"][ranks.index(min(ranks))]
        table = corpus.search_batch([text], strategy="hybrid", max_results=100)
        (own,) = [each for each in table.to_pylist() if each["id"] == row["id"]]
        for name in ("keyword_rank", "keyword_score", "vector_rank", "vector_score"):
            assert row[name] == own[name]


def test_multi_query_over_multi_query(corpus):  # S23
    inner = multi(corpus.strategy("keyword"), Expander("red"))
    row = multi(inner, Expander("owl")).retrieve_batch(["fox"]).to_pylist()[0]
    assert len(row["variant_ranks"]) == 2
    assert len(row["multi_query_variant_ranks"]) in (1, 2)


def test_query_vectors_are_not_used(corpus):
    strategy = multi(corpus.strategy("vector"), Expander("red"))
    vectors = np.full((1, 128), 0.5)
    block = Queries.of(["fox"], vectors)
    assert strategy.retrieve_batch(block).equals(strategy.retrieve_batch(["fox"]))


def test_no_queries(corpus):
    expander = Expander("v")
    table = multi(corpus.strategy("hybrid"), expander).retrieve_batch([])
    assert (table.num_rows, expander.calls) == (0, [])
    full = multi(corpus.strategy("hybrid"), expander).retrieve_batch(["fox", ""])
    assert table.schema == full.schema


def test_the_report_counts_the_calls(corpus):
    strategy = multi(corpus.strategy("keyword"), Expander("red", "owl"))
    counters = strategy.rank(Queries(("fox", "red")), RAGContext()).report.counters
    assert (counters["expander calls"], counters["variants ranked"]) == (2, 5)


@pytest.mark.parametrize("mode", [QueryExpansion.NONE, "NONE", "synonyms", "", None, 1])
def test_modes_that_are_none(corpus, mode):  # S25
    with pytest.raises(ConfigurationError, match="mode"):
        MultiQueryRAGStrategy(corpus.strategy("keyword"), Expander(), mode, "m", 1)


@pytest.mark.parametrize(
    "mode", [mode for mode in QueryExpansion if mode is not QueryExpansion.NONE]
)
def test_every_other_mode_is_passed_on(corpus, mode):  # S25
    expander = Expander()
    for given_mode in (mode, mode.value):
        MultiQueryRAGStrategy(corpus.strategy("keyword"), expander, given_mode, "m", 1).retrieve(
            "q"
        )
    assert [call[1] for call in expander.calls] == [mode, mode]


@pytest.mark.parametrize("model", ["", "  \u2003", None, 3])
def test_a_model_has_a_name(corpus, model):  # S25
    with pytest.raises(ConfigurationError, match="model"):
        MultiQueryRAGStrategy(
            corpus.strategy("keyword"), Expander(models=(model,)), QueryExpansion.HYDE, model, 1
        )


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, float("nan"), "3", None])
def test_the_limit_is_positive(corpus, limit):  # S25 S29
    with pytest.raises(ConfigurationError, match="max_expansions"):
        multi(corpus.strategy("keyword"), Expander(), limit)


@pytest.mark.parametrize("depth", [0, -1, True, 2.5])
def test_the_candidate_depth_is_positive(corpus, depth):  # S14 S29
    with pytest.raises(InvalidArgumentError, match="candidate_depth"):
        multi(corpus.strategy("keyword"), Expander(), candidate_depth=depth)


def test_an_unsupported_model(corpus):  # S25
    with pytest.raises(ProviderUnavailableError, match="'m'") as raised:
        multi(corpus.strategy("keyword"), Expander(models=("other",)))
    assert raised.value.reason == "PROVIDER_UNAVAILABLE"


def test_no_expander(corpus):
    for wrong in (None, "expander", object()):
        with pytest.raises(ConfigurationError, match="expander"):
            multi(corpus.strategy("keyword"), wrong)


@pytest.mark.parametrize(
    "returned", [None, "text", b"text", 5, ["a", None], ["a", 3], [["a"]], [b"a"]]
)
def test_what_is_no_sequence_of_strings(corpus, returned):  # S25 S43
    strategy = multi(corpus.strategy("keyword"), lambda *_: returned)
    with pytest.raises(ExecutionError, match="query expander"):
        strategy.retrieve("fox")


def test_nothing_is_a_legal_answer(corpus):  # S25
    alone = [hit.metadata["entryId"] for hit in corpus.search("fox", strategy="keyword")]
    hits = multi(corpus.strategy("keyword"), lambda *_: ()).retrieve("fox")
    assert [hit.metadata["entryId"] for hit in hits] == alone


def test_an_expander_that_raises(corpus):  # S43
    def broken(*_):
        raise OSError("no model")

    with pytest.raises(ExecutionError, match="query expander.*no model") as raised:
        multi(corpus.strategy("keyword"), broken).retrieve("fox")
    assert isinstance(raised.value.__cause__, OSError)

    def typed(*_):
        raise SourceLoadingError("transport")

    with pytest.raises(SourceLoadingError):
        multi(corpus.strategy("keyword"), typed).retrieve("fox")

    class Unsure(Expander):
        def supports(self, model):
            raise KeyError(model)

    with pytest.raises(ExecutionError, match="supports"):
        multi(corpus.strategy("keyword"), Unsure())


def test_cancelled_before():  # S25
    token, expander, base = CancellationToken(), Expander(), Ranked({})
    token.cancel()
    with pytest.raises(CancelledError):
        multi(base, expander, cancellation=token).retrieve("q")
    assert (expander.calls, base.calls) == ([], [])


def test_cancelled_during_an_expander_call():  # S25
    token, base, calls = CancellationToken(), Ranked({}), []

    def expand(query, *_):
        calls.append(query)
        if query == "second":
            token.cancel()
        return ["v"]

    with pytest.raises(CancelledError):
        multi(base, expand, cancellation=token).retrieve_batch(["first", "second", "third"])
    assert (calls, base.calls) == (["first", "second"], [])


def test_cancelled_during_the_base():  # S25
    token = CancellationToken()

    class Cancelling(Ranked):
        def retrieve(self, query, context):
            token.cancel()
            return super().retrieve(query, context)

    with pytest.raises(CancelledError):
        multi(Cancelling({}), Expander(), cancellation=token).retrieve("q")


def test_a_token_that_is_not_cancelled(corpus):
    strategy = multi(
        KeywordRAGStrategy(corpus.keyword_index), Expander(), cancellation=CancellationToken()
    )
    assert strategy.retrieve("fox")
    assert strategy.name == "multi-query"


class Hostile(str):
    """Text that raises whatever is done with it."""

    __slots__ = ()

    def _raise(self, *_):
        raise ZeroDivisionError

    __eq__ = __hash__ = __repr__ = __str__ = __format__ = __len__ = strip = _raise


def test_text_of_another_type_is_taken_as_plain_text(corpus):  # S25 S43
    base = KeywordRAGStrategy(corpus.keyword_index)
    strategy = multi(base, lambda *_: [Hostile("blue whale")])
    plain = multi(base, lambda *_: ["blue whale"])
    assert strategy.retrieve_batch(["fox"]).equals(plain.retrieve_batch(["fox"]))


@pytest.mark.parametrize("shape", [lambda each: each, lambda each: [each]])
def test_what_cannot_be_shown_is_named_by_its_type(corpus, shape):  # S43
    class Odd:
        def __repr__(self):
            raise ZeroDivisionError

        __eq__ = __str__ = __repr__
        __hash__ = None

    with pytest.raises(ExecutionError, match="query expander"):
        multi(KeywordRAGStrategy(corpus.keyword_index), lambda *_: shape(Odd())).retrieve("fox")

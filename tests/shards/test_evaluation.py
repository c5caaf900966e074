"""What is evaluated over shards is what is evaluated over a single index of the same documents."""

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.errors import ConfigurationError
from octavo.evaluation import (
    PageSources,
    StrategyRun,
    applicable_strategies,
    compare_runs,
    read_qrels,
    retrieve_runs,
    write_page,
)
from octavo.evaluation.hit_texts import hit_texts
from octavo.shards import ShardedCorpus

RUNS = (
    StrategyRun("keyword"),
    StrategyRun("vector"),
    StrategyRun("hybrid"),
    StrategyRun("hybrid", {"candidate_depth": 3, "weights": "keyword=2,vector=1"}, label="shallow"),
    StrategyRun("temporal", {"child": "keyword", "now": "2026-01-01T00:00:00Z"}),
)


@pytest.fixture(scope="module")
def qrels(questions):
    rng = np.random.default_rng(3)
    rows = [
        (f"q{query}", f"d{document}", int(rng.integers(0, 3)))
        for query in range(len(questions))
        for document in rng.choice(420, 30, replace=False)  # some of them no document has
    ]
    names = ("query_id", "doc_id", "relevance")
    return read_qrels(pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))))


def evaluated(corpus, queries, qrels, kept):
    runs = retrieve_runs(corpus, queries, RUNS, keep=kept, filters={"tier": "a"})
    return compare_runs(runs, qrels, ["nDCG@10", "AP", "R@100"])


def test_values_of_each_query_and_the_page_are_those_of_a_single_index(
    single, sharded, queries, qrels, tmp_path
):  # S5 S12 S22 S27
    reports = []
    for corpus in (single, sharded):
        kept = tmp_path / type(corpus).__name__
        kept.mkdir()
        report = evaluated(corpus, queries, qrels, kept)
        results = {each.name: kept / f"{at}.parquet" for at, each in enumerate(report.systems)}
        page = kept / "report.html"
        write_page(report, page, PageSources(results, queries, corpus), queries=20)
        reports.append((report, page.read_bytes()))
    (expected, expected_page), (found, page) = reports
    assert found.per_query() == expected.per_query()
    assert [each.means for each in found.systems] == [each.means for each in expected.systems]
    assert expected.systems[0].means[0].mean > 0
    assert page == expected_page
    assert b"<mark>" in page


def test_texts_of_hits_are_those_of_a_single_index(single, sharded):
    ids = ["d7", "d3", "nobody", "d399", "d3"]
    found = hit_texts(sharded, "red fox", ids)
    assert found == hit_texts(single, "red fox", ids)
    assert found.keys() == {"d7", "d3", "d399"}
    assert hit_texts(sharded, "red fox", []) == {}


@pytest.mark.parametrize("query_vectors", [True, False])
def test_the_same_strategies_apply(single, sharded, documents, tmp_path, query_vectors):
    expected = applicable_strategies(single, query_vectors=query_vectors)
    assert applicable_strategies(sharded, query_vectors=query_vectors) == expected
    for embedding in ("none", "hash"):
        out = tmp_path / embedding
        pair = (
            Corpus.build(documents, out / "single", embedding=embedding),
            ShardedCorpus.build(documents, out / "sharded", 3, embedding=embedding),
        )
        one, several = (applicable_strategies(each, query_vectors=query_vectors) for each in pair)
        assert one == several


def test_what_follows_links_is_refused_by_name(sharded, queries):
    with pytest.raises(ConfigurationError, match="strategy 'graph': not over a sharded index"):
        retrieve_runs(sharded, queries, [StrategyRun("graph")])

import re

import numpy as np
import pyarrow as pa
import pytest

import octavo
from octavo.evaluation import compare_runs, hits_section, read_qrels, read_run
from octavo.evaluation.disagreement import by_disagreement
from octavo.evaluation.page import page_text, write_page
from octavo.evaluation.side_by_side import DEPTH, PageSources, compared_queries

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u202egnp.exe\x1b[31m&amp;"


@pytest.fixture
def report(found, judged):
    good = found({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"b": 1}, "q3": {"a": 1}}, name="good")
    bad = found({"q1": {"c": 3, "b": 2, "a": 1}, "q2": {"b": 1}}, name="bad")
    qrels = judged({"q1": {"a": 2, "c": 0, "z": 1}, "q2": {"b": 1}, "q3": {"b": 1}})
    return compare_runs([good, bad], qrels, ["AP", "P@1"])


def test_queries_that_differ_most_come_first(report):
    # AP: good q1 1/2, q2 1, q3 0; bad q1 1/6, q2 1, q3 0. Equal ones: the worst first.
    assert by_disagreement(report).tolist() == [0, 2, 1]


def test_hits_side_by_side(report):
    (query,) = compared_queries(report, [0], PageSources())
    assert (query.id, query.text) == ("q1", None)
    shown = [
        (each.id, each.grade, [hit and hit.rank for hit in each.hits]) for each in query.documents
    ]
    assert shown == [
        ("a", 2, [1, 3]),
        ("c", 0, [3, 1]),
        ("b", None, [2, 2]),
        ("z", 1, [None, None]),  # relevant, and nobody found it
    ]


def test_relevant_documents_beyond_the_depth_have_their_rank(found, judged):
    run = found({"q": {f"d{rank:02}": 100 - rank for rank in range(1, 31)}})
    report = compare_runs([run], judged({"q": {"d25": 1, "d26": 2, "x": 1}}), ["AP"])
    (query,) = compared_queries(report, [0], PageSources())
    ranks = [(each.id, each.hits[0] and each.hits[0].rank) for each in query.documents]
    assert ranks[:DEPTH] == [(f"d{rank:02}", rank) for rank in range(1, 11)]
    assert ranks[DEPTH:] == [("d26", 26), ("d25", 25), ("x", None)]


def test_texts_and_parts_stand_beside_the_hits(report, tmp_path):
    documents = pa.table(
        {"id": ["a", "b"], "text": ["red fox den", "a blue whale"], "title": ["Fox", None]}
    )
    corpus = octavo.Corpus.build(
        documents, tmp_path / "index", text="text", id="id", title="title", embedding="none"
    )
    queries = pa.table({"id": ["q1"], "text": ["red fox"]})
    results = pa.table(
        {"query_id": ["q1"], "id": ["a"], "score": [3.0], "keyword_rank": [4], "keyword_score": [1.5],
         "voting_streams": [2], "multiplier": [0.25]}
    )  # fmt: skip
    sources = PageSources({"good": results}, queries, corpus)
    (query,) = compared_queries(report, [0], sources)
    first = query.documents[0]
    assert [piece.text for piece in first.text.snippet if piece.found] == ["red", "fox"]
    assert first.hits[0].parts == (("keyword", "4 (1.5000)"), ("multiplier", "0.2500"))
    assert first.hits[1].parts == ()
    assert query.documents[3].text is None
    page = page_text(report, sources)
    assert "<mark>red</mark>" in page
    assert "keyword 4 (1.5000)" in page
    assert "Parts of scores" in page
    assert "Parts of scores" not in page_text(report).replace(_script(page), "")


def _script(page):
    return page[page.index("<script>") :]


def test_same_input_same_bytes_written_whole(report, tmp_path):
    for _ in range(2):
        write_page(report, tmp_path / "p.html")
        assert (tmp_path / "p.html").read_bytes() == page_text(report).encode()
    assert [each.name for each in tmp_path.iterdir()] == ["p.html"]
    with pytest.raises(FileNotFoundError):
        write_page(report, tmp_path / "none" / "p.html")


def test_nothing_of_a_user_becomes_markup():
    qrels = read_qrels(pa.table({"query_id": [HOSTILE], "id": [HOSTILE], "grade": [1]}))
    run = read_run(
        pa.table({"query_id": [HOSTILE], "id": [HOSTILE], "score": [1.0], HOSTILE: [HOSTILE]}),
        name=HOSTILE + "\ud800",
    )
    results = pa.table({"query_id": [HOSTILE], "id": [HOSTILE], "score": [1.0], HOSTILE: [HOSTILE]})
    report = compare_runs([run], qrels, ["AP"])
    queries = pa.table({"id": [HOSTILE], "text": [HOSTILE]})
    page = page_text(report, PageSources({run.name: results}, queries))
    assert page.count("<script>") == 1
    assert "<img" not in page
    assert not re.search("[\u202e\x1b\ud800]", page)
    assert "[U+202E]gnp.exe" in page


def report_of(count, systems=3):
    queries = np.repeat([f"query-{n:04}" for n in range(count)], 20)
    random = np.random.default_rng(0)
    documents = np.tile([f"document-{n:03}" for n in range(20)], (count, 1))
    scores = np.tile(np.arange(20, 0, -1.0), count)
    runs = [
        read_run(
            pa.table(
                {
                    "query_id": queries,
                    "id": random.permuted(documents, axis=1).ravel(),
                    "score": scores,
                }
            ),
            name=f"system {number}",
        )
        for number in range(systems)
    ]
    grades = np.tile([2, 1] + [0] * 18, count)
    qrels = read_qrels(pa.table({"query_id": queries, "id": runs[0].ids, "grade": grades}))
    return compare_runs(runs, qrels, ["RR"])


def test_queries_beyond_the_largest_size_are_left_out(monkeypatch):
    report = report_of(40)
    whole = page_text(report, queries=40)
    monkeypatch.setattr(hits_section, "LARGEST", 100_000)
    page = page_text(report, queries=40)
    shown = page.count("<details")
    assert 0 < shown < 40
    assert f"{shown} of 40 judged queries" in page
    assert len(whole) - len(page) > (40 - shown) * 4_000
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'\bid="([^"]+)"', page))


@pytest.mark.slow
def test_a_large_report_stays_small():
    report = report_of(1_000)
    page = page_text(report, queries=1_000)
    assert len(page.encode()) < 10_000_000
    assert f"{page.count('<details'):,} of 1,000 judged queries" in page
    assert len(page_text(report)) < 1_500_000


def test_how_many_queries_are_shown(report):
    assert page_text(report, queries=1).count("<details") == 1
    none = page_text(report, queries=0)
    assert "<details" not in none
    assert "Hit by hit" not in none
    assert page_text(report).count("<details") == 3


def test_one_system_has_nothing_to_differ_from(found, judged):
    report = compare_runs([found({"q": {"a": 1}})], judged({"q": {"a": 1}}), ["AP"])
    page = page_text(report)
    assert "1 system on 1 judged query: " in page
    assert "Differences" not in page
    assert "spread" not in page
    assert "the worst first" in page


def test_identifiers_are_unique_and_links_lead_to_them(report):
    page = page_text(report)
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(identifiers)

import math
from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.benchmark.truth import ExactKeywords, ExactTop, ExactVectors, unit

WORDS = st.lists(st.sampled_from("abcdefg"), max_size=8)


def plain_bm25(texts, query):
    documents = [Counter(text) for text in texts]
    mean = sum(map(len, texts)) / len(texts) or 1e-9
    scores = []
    for text, counts in zip(texts, documents, strict=True):
        score = 0.0
        for token in query:
            df = sum(token in other for other in documents)
            idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
            tf = counts[token]
            score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(text) / mean))
        scores.append(score)
    return scores


@settings(max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=12), st.lists(WORDS, min_size=1, max_size=3))
def test_keyword_scores_are_bm25(texts, queries):  # S21
    analyzed = pa.array([" ".join(text) or None for text in texts], pa.large_string())
    exact = ExactKeywords(analyzed, queries)
    for query in queries:
        expected = plain_bm25(texts, query)
        assert np.allclose(exact.scores(query), expected, rtol=1e-9)
    top = exact.top(queries, 3)
    for query, rows in zip(queries, top.rows, strict=True):
        scores = plain_bm25(texts, query)
        best = sorted(range(len(texts)), key=lambda row: (-scores[row], row))
        found = [scores[row] for row in rows]
        assert np.allclose(found, [scores[row] for row in best[:3] if scores[row] > 0])
    assert exact.recall(queries, top.rows, top) == 1.0


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 12))
def test_vector_answers_are_the_best_by_cosine(seed, documents, k):  # S20
    rng = np.random.default_rng(seed)
    vectors = unit(rng.integers(-3, 4, (documents, 4)).astype(np.float32))
    queries = unit(rng.integers(-3, 4, (2, 4)).astype(np.float32))
    admitted = rng.random(documents) < 0.6
    exact = ExactVectors(vectors)
    for mask in (None, admitted):
        top = exact.top(queries, k, mask)
        for query, rows, scores in zip(queries, top.rows, top.scores, strict=True):
            allowed = [row for row in range(documents) if mask is None or mask[row]]
            expected = sorted(-math.fsum(map(float, vectors[row] * query)) for row in allowed)
            assert np.allclose(scores, [-each for each in expected[:k]], atol=1e-6)
            assert set(rows.tolist()) <= set(allowed)
            assert len(set(rows.tolist())) == len(rows)


def test_blocks_do_not_lose_anything(monkeypatch):
    monkeypatch.setattr("octavo.benchmark.truth._BLOCK", 7)
    vectors = unit(np.random.default_rng(1).standard_normal((100, 5)))
    top = ExactVectors(vectors).top(vectors[:3], 4)
    expected = np.argsort(-(vectors[:3].astype(np.float64) @ vectors.T), axis=1)[:, :4]
    assert np.array_equal(np.stack(top.rows), expected)


def test_recall_counts_ties_as_right_and_repeats_once():
    top = ExactTop([np.array([4, 7])], [np.array([0.9, 0.5])])
    assert top.recall([np.array([4, 8])], [np.array([0.9, 0.5])]) == 1.0
    assert top.recall([np.array([4, 4])], [np.array([0.9, 0.9])]) == 0.5
    assert top.recall([np.array([], np.int64)], [np.array([])]) == 0.0
    assert top.recall([np.array([4, 9])], [np.array([0.9, 0.4])]) == 0.5


def test_recall_of_nothing_is_whole():
    nothing = np.array([], np.int64)
    assert ExactTop([nothing], [np.array([])]).recall([nothing], [np.array([])]) == 1.0


def test_unit_length_leaves_zero():
    found = unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert np.allclose(found, [[0.6, 0.8], [0.0, 0.0]])
    assert found.dtype == np.float32

import numpy as np

from octavo.benchmark.words import (
    TOPIC_WORDS,
    TOPICS,
    VOCABULARY,
    TopicPair,
    draw_lengths,
    draw_texts,
    length_table,
    vocabulary,
    zipf_table,
)


def test_words_are_distinct_and_the_frequent_ones_short():
    words = vocabulary().to_pylist()
    assert len(set(words)) == len(words) == VOCABULARY
    assert [len(word) for word in words] == sorted(len(word) for word in words)


def test_ranks_follow_zipf():
    counts = np.bincount(zipf_table(), minlength=VOCABULARY)
    assert counts.min() >= 1  # every word can be drawn
    # weight = 1 / (rank + 2.7), rank from 1
    for rank in (1, 10, 100, 1_000):
        expected = (1 + 2.7) / (rank + 2.7)
        assert np.isclose(counts[rank - 1] / counts[0], expected, rtol=0.02)


def test_lengths_are_log_normal():
    table = length_table()
    assert np.median(table) == 9
    assert table.min() >= 1
    # the logarithms are spread as they should be, but for the rounding
    assert abs(np.log(table).std() - 0.5) < 0.03
    drawn = draw_lengths(np.random.Generator(np.random.PCG64(1)), 1_000)
    assert set(drawn.tolist()) <= set(table.tolist())


def test_topics_show_in_the_words():
    rng = np.random.Generator(np.random.PCG64(1))
    topic_words = np.arange(TOPICS * TOPIC_WORDS).reshape(TOPICS, TOPIC_WORDS)
    topics = TopicPair(np.full(500, 7), np.full(500, 9))
    texts = draw_texts(rng, topics, np.full(500, 10), topic_words, main=128, second=64)
    words = vocabulary()
    kinds = {7: 0, 9: 0}
    for topic in kinds:
        own = set(words.take(topic_words[topic]).to_pylist())
        kinds[topic] = sum(word in own for text in texts.to_pylist() for word in text.split())
    assert abs(kinds[7] / 5_000 - 0.5) < 0.05
    assert abs(kinds[9] / 5_000 - 0.25) < 0.05
    assert all(len(text.split()) == 10 for text in texts.to_pylist())

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from octavo.analysis import Analyzer
from octavo.analysis.spans import token_spans

PIECES = [
    *"aszASZ019_.- \u00ad\u0301\u3099İß文字あ각각", "ﬁ", "½", "﷽", "URLs", "getX", "os.path", "...", "é",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=30).map("".join)


def found(text: str, analyzer: Analyzer | None = None) -> list[tuple[str, list[str]]]:
    spans = token_spans(analyzer or Analyzer(), text)
    return [(text[begin:end], sorted(tokens)) for begin, end, tokens in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("The end.", [("The", ["the"]), ("end", ["end"])]),
        ("a getX", [("a", ["a"]), ("getX", ["get", "getx", "x"])]),
        ("os.path", [("os", ["os", "os.path"]), ("path", ["os.path", "path"])]),
        ("日本語", [("日本", ["日本"]), ("本語", ["本語"])]),
        ("ひ!", [("ひ", ["ひ"])]),
        ("cafe\u0301 ﬁne", [("cafe\u0301", ["café"]), ("ﬁne", ["fine"])]),
        ("x ½", [("x", ["x"]), ("½", ["1"]), ("½", ["2"])]),
        ("a\ud800b", [("a", ["a"]), ("b", ["b"])]),
        ("soft\u00adhyphen", [("soft\u00adhyphen", ["softhyphen"])]),
    ],
)
def test_examples(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert found(text) == expected


def test_stop_words_have_no_span_and_stems_stand_for_words() -> None:
    analyzer = Analyzer("en", stem=True, stop_words=True)
    assert found("The houses", analyzer) == [("houses", ["hous"])]


# S21: what is highlighted is what was indexed
@given(TEXTS)
@settings(max_examples=200, deadline=None)
@example("e\u0301")
@example("각")
@example("か\u3099き")
@example("a\u0301\u0323b")
def test_spans_hold_exactly_the_tokens_of_the_text(text: str) -> None:
    analyzer = Analyzer()
    spans = token_spans(analyzer, text)
    assert {token for _, _, tokens in spans for token in tokens} == set(analyzer.tokens(text))
    assert all(0 <= begin < end <= len(text) for begin, end, _ in spans)
    assert [begin for begin, _, _ in spans] == sorted(begin for begin, _, _ in spans)


def test_hostile_marks_are_no_trouble() -> None:
    text = "a" + "\u0301" * 50_000 + " b"
    assert [tokens for _, _, tokens in token_spans(Analyzer(), text)][1:] == [{"b"}]

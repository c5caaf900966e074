import re

from hypothesis import given
from hypothesis import strategies as st

from octavo.analysis import Analyzer
from octavo.analysis.snippet import Piece, best_snippet
from octavo.analysis.spans import token_spans

ANALYZER = Analyzer()


def snippet(text: str, query: str, width: int = 40) -> tuple[Piece, ...]:
    return best_snippet(text, token_spans(ANALYZER, text), set(ANALYZER.tokens(query)), width)


def joined(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def found(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.text for piece in pieces if piece.found]


def test_a_short_text_is_shown_whole_with_its_matches():
    pieces = snippet("The Red fox, a RED one.", "red fox")
    assert joined(pieces) == "The Red fox, a RED one."
    assert found(pieces) == ["Red", "fox", "RED"]


def test_the_window_with_most_terms_wins_over_the_one_with_most_matches():
    text = "fox fox fox fox " + "word " * 30 + "red fox here " + "word " * 30
    pieces = snippet(text, "red fox")
    assert found(pieces) == ["red", "fox"]
    assert joined(pieces).startswith("… ")
    assert joined(pieces).endswith(" …")


def test_without_a_match_the_head_is_shown_to_a_word_boundary():
    assert joined(snippet("  one two three " * 10, "zebra", 20)) == "one two three one …"


def test_white_space_and_control_characters_become_harmless():
    assert joined(snippet("a\n\n  b\x1b[0m\tfox", "fox")) == "a b\ufffd[0m fox"


def test_what_joins_letters_and_emoji_stays_and_hints_to_a_typesetter_go():
    assert joined(snippet("من می\u200cخواهم", "x")) == "من می\u200cخواهم"
    assert joined(snippet("👩\u200d👧 fox", "fox")) == "👩\u200d👧 fox"
    assert joined(snippet("\ufeffso\u00adft\u200b \u200ffox", "fox")) == "soft fox"


def test_parts_of_identifiers_and_pairs_of_characters_are_found():
    assert "".join(found(snippet("call os.path.joinPath now", "join path"))) != ""
    assert "".join(found(snippet("東京タワーは赤い", "タワー"))) == "タワー"


def test_a_match_before_a_long_stretch_without_spaces_is_kept():
    assert found(snippet("aaa fox" + ",b" * 60, "fox", 20)) == ["fox"]


def test_a_long_word_is_cut_hard():
    assert len(joined(snippet("x" * 500, "y", 50))) == 52


def test_empty_texts_and_queries():
    assert snippet("", "fox") == ()
    assert joined(snippet("fox", "")) == "fox"


@given(st.text(), st.text(), st.integers(1, 60))
def test_a_snippet_is_one_printable_line_of_bounded_length(text, query, width):
    pieces = snippet(text, query, width)
    shown = joined(pieces)
    assert re.sub("[\u200c\u200d]", "", shown).isprintable()
    assert len(shown) <= max(width, 300) + 4
    assert all(piece.text for piece in pieces)


@given(
    st.lists(st.sampled_from(["fox", "red", "word", "Zebra"]), max_size=80),
    st.sampled_from([" ", ",", "-", ", "]),
    st.integers(20, 80),
)
def test_a_text_with_a_match_shows_one(words, separator, width):
    pieces = snippet(separator.join(words), "fox", width)
    assert bool(found(pieces)) == ("fox" in words)
    assert len(joined(pieces)) <= width + 4

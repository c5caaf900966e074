import pickle
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
import tantivy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from octavo.analysis import Analyzer, token_filters
from octavo.analysis.languages import STEMMERS, STOP_WORDS
from octavo.errors import ConfigurationError, InvalidArgumentError

ANALYZERS = [
    Analyzer(),
    Analyzer("en", stem=True),
    Analyzer("en", stop_words=True),
    Analyzer("de", stem=True, stop_words=True),
    Analyzer("ar", stem=True),
]
ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "The",
            "running",
            "os.path.joinPath",
            "häuser",
            "und",
            "日本語",
            "والكتاب",
            "x_y",
            "...",
            "İs",
            "Σας",
        ]
    ),
    max_size=8,
).map(" ".join)


# S21: index, query and embedding see the same tokens.
@pytest.mark.parametrize("analyzer", ANALYZERS)
@given(texts=st.lists(WORDS | ANY_TEXT, max_size=6))
@settings(max_examples=40, deadline=None)
def test_one_text_and_many_texts_give_the_same_tokens(analyzer: Analyzer, texts: list[str]) -> None:
    batch = analyzer.analyze_batch(pa.array(texts, pa.large_string()))
    assert batch.to_pylist() == [" ".join(analyzer.tokens(text)) for text in texts]
    assert batch.null_count == 0


@given(st.text(st.characters(), max_size=30))
@settings(max_examples=100, deadline=None)
@example("\ud800")
@example("a\udfffb\ud800")
@example("\0")
def test_any_string_is_legal(text: str) -> None:
    tokens = Analyzer().tokens(text)
    assert all(token and " " not in token for token in tokens)


@given(st.lists(st.text() | st.just("a\ud800b _ ï"), max_size=6))
def test_a_batch_of_strings_is_its_strings(texts: list[str]) -> None:
    # S5
    for analyzer in ANALYZERS[:2]:
        assert analyzer.tokens_batch(texts) == [analyzer.tokens(text) for text in texts]


def test_only_strings_are_analysed_in_a_batch() -> None:
    with pytest.raises(TypeError, match="expected a string, found NoneType"):
        Analyzer().tokens_batch(["a", None, "b", "c"])  # type: ignore[list-item]


def test_a_lone_surrogate_separates() -> None:
    assert Analyzer().tokens("ab\ud800cd") == ["ab", "cd"]


@pytest.mark.parametrize("value", [None, b"x", 1, ["x"]])
def test_only_strings_are_analysed(value: object) -> None:
    with pytest.raises(TypeError, match="text: expected a string"):
        Analyzer().tokens(value)  # type: ignore[arg-type]


TEXTS = ["One two", None, "", "É_x", "one TWO"]
EXPECTED = ["one two", "", "", "é_x é x", "one two"]


@pytest.mark.parametrize("analyzer", [Analyzer(), Analyzer("en", stem=True)])
@pytest.mark.parametrize(
    "texts",
    [
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array(TEXTS).dictionary_encode(),
        pa.array(["x", *TEXTS, "y"]).slice(1, 5),
        pa.chunked_array([TEXTS[:2], [], TEXTS[2:]], pa.string()),
        pa.chunked_array([pa.array(["é", *TEXTS]).dictionary_encode().slice(1)]),
    ],
    ids=["string", "large", "view", "dictionary", "sliced", "chunked", "chunked dictionary"],
)
def test_every_arrow_layout(analyzer: Analyzer, texts: pa.Array) -> None:
    found = analyzer.analyze_batch(texts)
    assert found.type == pa.large_string()
    assert found.to_pylist() == EXPECTED
    found.validate(full=True)


@pytest.mark.parametrize("analyzer", ANALYZERS)
@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (pa.array([], pa.string()), []),
        (pa.chunked_array([], pa.large_string()), []),
        (pa.nulls(2), ["", ""]),
        (pa.nulls(2, pa.string()), ["", ""]),
        (pa.array(["", "..."]), ["", ""]),
    ],
)
def test_nothing_to_analyse(analyzer: Analyzer, texts: pa.Array, expected: list[str]) -> None:
    assert analyzer.analyze_batch(texts).to_pylist() == expected


def test_other_types_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"texts: expected .* strings, found int64"):
        Analyzer().analyze_batch(pa.array([1]))


def test_bytes_that_are_no_utf8_are_refused() -> None:
    broken = pa.array([b"\xff\xfe"]).view(pa.string())
    with pytest.raises(InvalidArgumentError, match="valid UTF-8"):
        Analyzer().analyze_batch(broken)


@pytest.mark.parametrize("code", sorted(STEMMERS))
def test_stems_are_those_of_snowball_in_tantivy(code: str) -> None:
    words = ["running", "häuser", "nacionalidades", "книгами", "والكتاب", "ευρωπαϊκών", "மரங்கள்"]
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    oracle = builder.filter(tantivy.Filter.stemmer(STEMMERS[code])).build()
    expected = [token for word in words for token in oracle.analyze(word.casefold())]
    assert Analyzer(code, stem=True).tokens(" ".join(words)) == expected


@pytest.mark.parametrize("code", sorted(STOP_WORDS))
def test_every_language_has_stop_words(code: str) -> None:
    articles = "the die le el il o een en et ja és и det og"
    everything = Analyzer().tokens(articles)
    kept = Analyzer(code, stop_words=True).tokens(articles)
    assert set(kept) < set(everything)


def test_stop_words_go_before_stems() -> None:
    assert Analyzer("en", stem=True, stop_words=True).tokens("These are the houses") == ["hous"]
    assert Analyzer("en", stop_words=True).tokens("the and of") == []


def test_more_rows_than_are_filtered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_filters, "_ROWS_AT_ONCE", 2)
    texts = pa.array(["the houses", "", "of stone"] * 3)
    found = Analyzer("en", stem=True, stop_words=True).analyze_batch(texts)
    assert found.to_pylist() == ["hous", "", "stone"] * 3


@pytest.mark.parametrize("language", ["xx", "english", "EN", "", "zh"])
def test_an_unknown_language_names_the_known_ones(language: str) -> None:
    with pytest.raises(ConfigurationError, match=r"language: no stemmer for .*ar, da, de, el, en"):
        Analyzer(language)


def test_a_language_without_stop_words() -> None:
    with pytest.raises(ConfigurationError, match="no stop words for 'ar'"):
        Analyzer("ar", stop_words=True)


def test_english_is_the_default_where_a_language_is_needed() -> None:
    assert Analyzer(stem=True) == Analyzer("en", stem=True)
    assert Analyzer().language is None


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_survives_pickling_and_dictionaries(analyzer: Analyzer) -> None:
    for copy in (pickle.loads(pickle.dumps(analyzer)), Analyzer.from_dict(analyzer.to_dict())):
        assert copy == analyzer
        assert copy.fingerprint == analyzer.fingerprint


def test_dictionaries_with_other_options_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="found 'stems'"):
        Analyzer.from_dict({"stems": True})
    with pytest.raises(ConfigurationError, match="stem: expected true or false"):
        Analyzer.from_dict({"stem": "yes"})
    with pytest.raises(ConfigurationError, match="no stemmer for"):
        Analyzer.from_dict({"language": ["en"]})


def test_fingerprints_differ_exactly_where_tokens_do() -> None:
    kinds = [
        Analyzer(), Analyzer("en", stem=True), Analyzer("de", stem=True),
        Analyzer("en", stop_words=True), Analyzer("en", stem=True, stop_words=True),
    ]  # fmt: skip
    assert len({analyzer.fingerprint for analyzer in kinds}) == len(kinds)
    assert Analyzer("de").fingerprint == Analyzer().fingerprint


def test_threads_share_an_analyser() -> None:
    analyzer = Analyzer("en", stem=True, stop_words=True)
    texts = [f"the running houses {number}" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(analyzer.tokens, texts)) == [analyzer.tokens(text) for text in texts]

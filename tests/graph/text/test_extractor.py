"""What a text names and how it is connected, found without a model (S82)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.graph.text.extractor import TextExtractor
from octavo.graph.text.relations import (
    HAS_SECTION,
    IS_ABBREVIATED,
    LINKS_TO,
    REFERS_TO,
    SPEAKS_OF,
    STANDS_FOR,
)
from octavo.spi import EntityExtractor, EntityKind, EntityMention, EntityRelation


def mentions(text):
    found = TextExtractor().extract(text)
    return [each for each in found if isinstance(each, EntityMention)]


def named(text, kind=None):
    return [each.name for each in mentions(text) if kind in (None, each.kind)]


def related(text, relation):
    found = TextExtractor().extract(text)
    return [
        (each.source, each.target)
        for each in found
        if isinstance(each, EntityRelation) and each.relation == relation
    ]


def test_it_is_an_extractor():
    assert isinstance(TextExtractor(), EntityExtractor)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It calls the Auth Service daily.", ["Auth Service"]),
        ("He left the Bank of England and Siemens AG.", ["Bank of England", "Siemens AG"]),
        ("We run on Python 3.11 and on Windows 10.", ["Python 3.11", "Windows 10"]),
        ("See Section 3 and Figure 2.", []),
        ("Die Kunden fragen die Österreichische Bundesbahn.", ["Kunden", "Österreichische Bundesbahn"]),
        ("он живёт в Москве и любит Большой Театр", ["Москве", "Большой Театр"]),
        ("στην Αθήνα και στο Θέατρο του Διονύσου", ["Αθήνα", "Θέατρο", "Διονύσου"]),
        ("bugün İstanbul ve Iğdır", ["İstanbul", "Iğdır"]),
        ("the work of Jean-Paul O'Neill's team", ["Jean-Paul O'Neill"]),
        ("all in lower case", []),
        ("", []),
    ],
)  # fmt: skip
def test_capitalised_phrases(text, names):  # S82
    assert named(text, EntityKind.NAME) == names


def test_a_phrase_ends_with_its_paragraph_and_goes_on_in_the_next_line():
    assert named("we use the Auth\nService here") == ["Auth Service"]
    assert named("we use the Auth\n\nService here") == ["Auth", "Service"]


def test_the_first_word_of_a_sentence_is_no_name_by_its_capital_alone():
    found = mentions("Redis is fast. However, the Ledger is not.")
    assert [(each.name, each.certain) for each in found] == [("Redis", False), ("Ledger", True)]
    # In lower case elsewhere, it is an ordinary word.
    assert named("Using Python is fun, using C is not") == ["Python"]
    assert named("Storage is cheap; we like storage too.") == []
    # More than one capital tells a name from the start of a sentence.
    assert [each.certain for each in mentions("Auth Service runs.")] == [True]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("as in PEP 8 and RFC 2119,", ["PEP 8", "RFC 2119"]),
        ("PEPs 3107, 484 and 526 say so", ["PEP 3107", "PEP 484", "PEP 526"]),
        ("ISO 8859-1, CVE-2021-3177 and ECMA-262", ["ISO 8859-1", "CVE 2021-3177", "ECMA 262"]),
        ("PEP\n8 across lines", ["PEP 8"]),
        ("issue #12, bug 7, GH-8 and pull request #5", ["issue #12", "bug #7", "gh #8", "pull request #5"]),
        ("§ 1-204.01, Article 5 and 第3条", ["§ 1-204.01", "Article 5", "第3条"]),
        ("§§ 7-219(a)(2), 16-2331, and 1–301 (in part)", ["§ 7-219", "§ 16-2331", "§ 1–301"]),
        ("Articles 5 and 6; Art. 17a; § 5, 20 days", ["Article 5", "Article 6", "Art. 17a", "§ 5"]),
        (":pep:`8`, :rfc:`2119#section-1` and :issue:`0012`", ["PEP 8", "RFC 2119", "issue 12"]),
        (":pep:`the style guide <8>`", ["PEP 8"]),
        ("PEP 0008", ["PEP 8"]),
        ("in OF 12 or B 2, http://x.org/PEP-9, version 8 and aPEP 7", []),
    ],
)  # fmt: skip
def test_explicit_references(text, names):  # S82
    assert named(text, EntityKind.REFERENCE) == names
    assert related(text, REFERS_TO) == [(None, name) for name in names]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("call user_table and os.path.join() with MAX_SIZE", ["user_table", "os.path.join", "MAX_SIZE"]),
        ("a GraphStore, a camelCase name, std::vector and __init__", ["GraphStore", "camelCase", "std::vector", "__init__"]),
        ("run() it, `octavo index` and ``--edges``", ["run", "--edges"]),
        (":class:`~collections.abc.Mapping`", ["collections.abc.Mapping"]),
        ("mail a.b@example.org, e.g. this.", []),
    ],
)  # fmt: skip
def test_identifiers(text, names):  # S82
    assert sorted(named(text, EntityKind.IDENTIFIER)) == sorted(names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('we call it "single sign-on" here', ["single sign-on"]),
        ("“eins”, «deux», „drei“", ["eins", "deux", "drei"]),
        ("「認証」と『台帳』、《红楼梦》", ["認証", "台帳", "红楼梦"]),
        ('a "quotation that is far too long to be a name of anything" here', []),
        ('12" and 14" screens', []),
        ("**bold term** here", ["bold term"]),
    ],
)
def test_quotations(text, names):  # S82
    assert named(text, EntityKind.QUOTATION) == names


def test_words_of_japanese_are_parted_by_hiragana():  # S82
    assert named("東京は日本の首都でデータベースがある。") == [
        "東京",
        "日本",
        "首都",
        "データベース",
    ]
    assert named("東京是日本的首都") == []


def test_latin_words_need_no_space_beside_other_scripts():  # S82
    assert named("これはRedisとPEP 8を使う。") == ["Redis", "PEP 8"]
    assert named("서울에서 Redis를 쓴다. 我们用GraphStore和Redis。") == [
        "Redis",
        "GraphStore",
        "GraphStore",
        "Redis",
    ]


def test_acronyms_and_their_long_forms():  # S82
    text = "the Identity and Access Management (IAM) team"
    assert {"IAM", "Identity and Access Management"} <= set(named(text, EntityKind.DEFINITION))
    assert related(text, STANDS_FOR) == [("IAM", "Identity and Access Management")]
    assert related(text, IS_ABBREVIATED) == [("Identity and Access Management", "IAM")]
    assert related("the read-only memory (ROM)", STANDS_FOR) == [("ROM", "read-only memory")]
    assert related("the whole thing (ROM)", STANDS_FOR) == []


@pytest.mark.parametrize(
    "text",
    [
        "The Auth Service is a daemon.", "**Auth Service**: signs people in.", "`auth_service` is a daemon.",
        "Der Auth Service ist ein Dienst.", "Auth Service means what it says.", "- Auth Service: signs in.",
    ],
)  # fmt: skip
def test_definitions(text):  # S82
    assert mentions(text)[0].defines


def test_a_sentence_that_only_mentions_defines_nothing():
    assert not any(each.defines for each in mentions("We like the Auth Service; it is a daemon."))


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("see [the guide](guide.md#x) and ![a picture](p.png 'title')", ["guide.md#x"]),
        ("`W3 <https://w3.org/x>`_ and <https://a.org>.", ["https://w3.org/x", "https://a.org"]),
        ("at https://example.org/a_B(c), or so", ["https://example.org/a_B(c"]),
        ("[1]: https://a.org\n.. _home: /index.html", ["https://a.org", "/index.html"]),
        ('<a class="x" href="/y.html">why</a>', ["/y.html"]),
        (":doc:`the guide </guide>`", ["/guide"]),
    ],
)
def test_links(text, targets):  # S82
    assert related(text, LINKS_TO) == [(None, target) for target in targets]


def test_a_text_of_a_link_is_a_name():
    assert named("see [the guide](guide.md)", EntityKind.LINK) == ["the guide"]


HEADINGS = [
    "# Top\n\n## First\n\ntext\n\n### Deep\n\n## Second ##\n",
    "Top\n===\n\nFirst\n-----\ntext\n\nDeep\n~~~~\n\nSecond\n------\n",
    "===\nTop\n===\n\n1. First\n=====\ntext\n\nDeep\n----\n\nSecond\n======\n",
    "<h1>Top</h1>\n<h2 id='x'>First</h2>\n<h3>Deep</h3>\n<h2><b>Second</b></h2>",
]


@pytest.mark.parametrize("text", HEADINGS)
def test_headings_and_the_sections_below_them(text):  # S82
    assert named(text, EntityKind.HEADING) == ["Top", "First", "Deep", "Second"]
    assert related(text, HAS_SECTION) == [
        (None, "Top"), ("Top", "First"), ("First", "Deep"), ("Top", "Second"),
    ]  # fmt: skip


def test_a_heading_is_linked_to_what_its_section_speaks_of_first():  # S82
    names = [f"Thing{letter}X" for letter in "ABCDEFGHIJ"]
    text = f"# Top\n\nWe use {', '.join(names)}.\n\n# Next\n\nand ThingZX."
    assert related(text, SPEAKS_OF) == [*(("Top", name) for name in names[:8]), ("Next", "ThingZX")]


def test_code_has_no_names_but_references():
    text = "We use Redis.\n\n```python\n# A Heading\nFoo.Bar()  # see PEP 8\n```\n\nand the Ledger"
    assert named(text) == ["Redis", "PEP 8", "Ledger"]
    rest = "We use Redis::\n\n    Foo.Bar()  # see PEP 8\n\nand the Ledger"
    assert named(rest) == ["Redis", "PEP 8", "Ledger"]


def test_a_fence_that_is_never_closed_hides_nothing():
    assert named("we use\n```\nthe Ledger") == ["Ledger"]


def test_sentences_hold_what_they_name():
    found = mentions("# Top\n\nIt follows RFC 6749 (e.g. here). Then the Auth\nService is called.")
    assert [(each.name, each.sentence) for each in found] == [
        ("Top", ""),
        ("RFC 6749", "It follows RFC 6749 (e.g. here)."),
        ("Auth Service", "Then the Auth Service is called."),
    ]


@given(st.text() | st.text("AZaz09_.:`*#[]()<>\"'/-=~ \n\u3042\u6771東é§"))
def test_any_text_is_legal(text):  # S82
    found = list(TextExtractor().extract(text))
    assert found == list(TextExtractor().extract(text))
    for each in found:
        assert isinstance(each, EntityMention | EntityRelation)
        assert each[0] is None or each[0].strip()


HOSTILE = [
    *("a", "A", "_", ".", "a.", "a_", "`", "``", "[", "[a](", "<", "<a href=", "<h1>", "#", "\n", "=\n", "A\n===\n"),
    *("```\n", "~~~\n", "::\n", '"', "“", "「", "*", "**", ":a:`", "PEP ", "PEPs 1, ", "1-", "(", "(A", "A ", "Aa of "),
    *("A.b", "a::", "http://", "| ", "- ", "東", "あ東", "§", "第", "第一", "§§ 1, ", "§§ 1(a)", "e-", "\x1a", " ", "\t", "A (A) "),
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_piece_without_end_is_read_in_linear_time(piece):
    # In quadratic time this would take minutes.
    text = (piece * 100_000)[:100_000]
    found = list(TextExtractor().extract(text))
    assert len(found) < len(text)

"""What the markup within lines says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.graph.text.inline_markup import read_inline_markup
from octavo.graph.text.written_name import GAP
from octavo.spi import EntityKind


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        (":pep:`8`", "PEP 8", EntityKind.REFERENCE),
        (":c:func:`!PyList_New`", "PyList_New", EntityKind.IDENTIFIER),
        ("``a.b``", "a.b", EntityKind.IDENTIFIER),
        ("`a.b`", "a.b", EntityKind.IDENTIFIER),
        ("[text](x.md)", "text", EntityKind.LINK),
        ("`text <x.md>`__", "text ", EntityKind.LINK),
        ("<a href=x.md>text</a>", "text", EntityKind.LINK),
        ("**term**", "term", EntityKind.QUOTATION),
        ("**term**:", "term", EntityKind.DEFINITION),
    ],
)
def test_names(text, name, kind):
    (found,) = read_inline_markup(f"so {text}").names
    assert (found.start, found.name, found.kind) == (3, name, kind)
    assert found.defines == (kind is EntityKind.DEFINITION)


def test_words_stay_where_they_were():
    text = "one [two](x.md) three"
    assert read_inline_markup(text).text == f"one {GAP * 11} three"
    assert read_inline_markup("`two words`").text == f"{GAP}two words{GAP}"


@given(st.text() | st.text("[]()`*<>:/ab=\"' \n"))
def test_a_text_keeps_its_length(text):
    markup = read_inline_markup(text)
    assert len(markup.text) == len(text)
    assert all(kept in (given, GAP) for given, kept in zip(text, markup.text, strict=True))
    assert all(markup.links)

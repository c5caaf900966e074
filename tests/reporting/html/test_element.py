from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import InvalidArgumentError
from octavo.reporting.html.element import element, render
from octavo.visible import visible

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


@given(ANY_TEXT, ANY_TEXT)
def test_no_text_becomes_markup(text, value):
    markup = render(element("p", text, title=value))
    markup.encode()
    reader = Reader()
    reader.feed(markup)
    reader.close()
    assert reader.tags == [("p", {"title": visible(value)})]
    assert "".join(reader.text) == visible(text)


@pytest.mark.parametrize(
    "attributes",
    [
        {"onclick": "x()"},
        {"ONLOAD": "x()"},
        {"style": "color:red"},
        {"href": "https://example.org"},
        {"href": "javascript:x()"},
        {"src": "x.png"},
        {"a b": "c"},
        {"": "c"},
    ],
)
def test_attributes_that_run_or_load_are_refused(attributes):
    with pytest.raises(InvalidArgumentError, match="^attribute: expected one without scripts"):
        element("p", **attributes)


@pytest.mark.parametrize("name", ["script", "style", "p onclick=x", "", "p>", "1"])
def test_elements_whose_text_is_not_escaped_are_refused(name):
    with pytest.raises(InvalidArgumentError, match="^element: expected the name of one"):
        element(name)


def test_attributes_are_spelled_as_html_has_them():
    made = element(
        "a", "x", href="#there", class_="c", aria_label="n", hidden=True, id=None, open=False
    )
    assert render(made) == '<a href="#there" class="c" aria-label="n" hidden="">x</a>'
    assert render(element("br")) == "<br>"

"""Markdown: headings as CommonMark sees them, against the whole parser."""

import pytest
from markdown_it import MarkdownIt

from octavo.declarative.ingestion.formats.front_matter import split_front_matter
from octavo.declarative.ingestion.formats.heading_tree import heading_tree
from octavo.declarative.ingestion.formats.markdown import markdown_headings
from octavo.declarative.ingestion.limits import IngestionLimits

TRICKY = """
# One

```
# no heading
```

    # no heading

- # in a list

> # quoted

<div>
# no heading
</div>

Two
===
#no heading
## Three `code` [link](x) ![image](y) \\* &amp; ##
###
"""


def test_tricky_headings():
    assert [(each.level, each.title) for each in markdown_headings(TRICKY)] == [
        *((1, "One"), (1, "Two"), (2, "Three code link image * &"), (3, "")),
    ]


@pytest.mark.parametrize(
    "text", [TRICKY, "# A", "A\n-", "   # A", "x\n   ---\n", "#\tA", "", "- x\n\n# A"]
)
def test_headings_are_those_of_the_whole_parser(text):
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (t.map[0], int(t.tag[1])) for t in tokens if t.type == "heading_open" and not t.level
    ]
    assert [(each.line, each.level) for each in markdown_headings(text)] == expected


def test_sections_are_the_text():
    root = heading_tree(TRICKY, markdown_headings(TRICKY), 1)
    texts = []

    def collect(section):
        texts.append(section.text)
        for child in section.children:
            collect(child)

    collect(root)
    assert "".join("".join(texts).split()) == "".join(TRICKY.split())


def test_skipped_levels():
    text = "# A\n### B\n## C\n# D\n"
    root = heading_tree(text, markdown_headings(text), 1)
    assert [(each.name, [below.name for below in each.children]) for each in root.children] == [
        *(("a", ["b", "c"]), ("d", [])),
    ]


@pytest.mark.parametrize(
    ("text", "fields", "rest"),
    [
        ("---\na: 1\n---\nx", {"a": 1}, "x"),
        ("---\na: 1\n...\nx", {"a": 1}, "x"),
        ("+++\na = 1\n[b]\nc = 2\n+++\nx", {"a": 1, "b": {"c": 2}}, "x"),
        ("---\n---\nx", {}, "x"),
        ("---\nJust text.\n\n---\nx", {}, "---\nJust text.\n\n---\nx"),
        ("---\na: 1\nx", {}, "---\na: 1\nx"),
        ("x\n---\na: 1\n---\n", {}, "x\n---\na: 1\n---\n"),
        ("----\na: 1\n----\n", {}, "----\na: 1\n----\n"),
    ],
)
def test_front_matter(text, fields, rest):
    front = split_front_matter(text, IngestionLimits())
    assert (front.fields, text[front.end :]) == (fields, rest)

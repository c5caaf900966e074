"""Drawings of paths, read back by a strict reader of each language (S24)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.graph.drawing import dot, mermaid
from octavo.graph.graph_path import GraphPath

HOSTILE = [
    *('"', "\\", "\\n", '\\"', "\\N", "[x]", "(x)", "{x}", "|", ";", "-->", "--", "---", "'"),
    *("<b>", "<script>alert(1)</script>", "&amp;", "&", "&#39;", "#quot;", "#35;", "#", "<br/>"),
    *("end", "subgraph", "graph", "click n0 call x()", "style n0 fill:#f00;", "classDef a:#b;"),
    *("%%{init: {}}%%", "%% x", "```", "`x`", "*a*", "__b__", "1. x", "- x", "$$x$$", "@{ a: b }"),
    *("fa:fa-car", "fab:fa-car", "\ufb02\xb0\xb065\xb6\xdf", "http://a.b", ":::seed", "~~~"),
    *("עברית", "العربية", "می\u200cخواهم", "漢字", "ß", "e\u0301", "👨\u200d👩", "\u202eabc\u202c"),
    *("\x00", "\x1b[31m", "\x07", "a\nb", "a\r\nb", "\t", "\u2028", "\ud800", "\ufffe", "", "  "),
]
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=4).map("".join),
    st.text(st.characters(codec=None, exclude_categories=()), max_size=20),
)


def path(nodes, relations, *, names=None, score=2.0, decay=0.5, document=None):
    named = tuple(nodes) if names is None else tuple(names)
    hit = nodes[-1] if document is None else document
    return GraphPath(tuple(nodes), named, tuple(relations), score, decay, hit)


def visible(text):
    """Return what a drawing shows of a text: one line, no controls, joiners kept."""
    line = " ".join(text.split())
    return re.sub(
        ".",
        lambda one: one[0] if one[0].isprintable() or one[0] in "\u200c\u200d" else "\ufffd",
        line,
    )


def read_dot(text):
    """Read what ``dot`` writes, and nothing else: shapes by number, and arrows."""
    assert text.encode("utf-8").decode("utf-8") == text
    lines = text.split("\n")
    assert lines[:2] == ["digraph paths {", "  rankdir=LR;"]
    assert lines[-2:] == ["}", ""]
    string = r'"((?:[^"\\\x00-\x1f]|\\["\\n])*)"'
    shapes, arrows = [], []
    for line in lines[4:-2]:
        node = re.fullmatch(rf"  n(\d+) \[label={string}(.*)\];", line)
        arrow = re.fullmatch(rf"  n(\d+) -> n(\d+) \[(?:label={string}|style=dashed)\];", line)
        if node:
            assert int(node[1]) == len(shapes)
            assert node[3] in (
                "", ', style="rounded,filled", fillcolor="#ffe0a3"', ", shape=note, style=solid",
            )  # fmt: skip
            kind = "seed" if "filled" in node[3] else "document" if "note" in node[3] else "node"
            shapes.append((kind, from_dot(node[2])))
        else:
            assert arrow, line
            arrows.append((int(arrow[1]), int(arrow[2]), arrow[3] and "".join(from_dot(arrow[3]))))
    return shapes, arrows


def from_dot(label):
    lines = [""]
    for part in re.findall(r"\\.|[^\\]", label):
        if part == "\\n":
            lines.append("")
        else:
            lines[-1] += part[-1]
    for line in lines:  # entities are read; none but this one is written
        assert set(re.findall("&[^;]*;?", line)) <= {"&amp;"}
    return [line.replace("&amp;", "&") for line in lines]


def read_mermaid(text):
    """Read what ``mermaid`` writes, and nothing else."""
    lines = text.split("\n")
    assert (lines[0], lines[-1]) == ("flowchart LR", "")
    shapes, arrows, seeds = [], [], []
    for line in lines[1:-1]:
        node = re.fullmatch(r'  n(\d+)(\(\[|\[)"([^"]*)"(\]\)|\])', line)
        arrow = re.fullmatch(r'  n(\d+) (-->|-\.->)(?:\|"([^"]+)"\|)? n(\d+)', line)
        marked = re.fullmatch(r"  class (n\d+(?:,n\d+)*) seed", line)
        if node:
            assert int(node[1]) == len(shapes)
            assert (node[2], node[4]) in (("[", "]"), ("([", "])"))
            kind = "document" if node[2] == "([" else "node"
            shapes.append((kind, [from_mermaid(part) for part in node[3].split("<br/>")]))
        elif arrow:
            label = from_mermaid(arrow[3] or "")
            arrows.append((int(arrow[1]), int(arrow[4]), None if arrow[2] == "-.->" else label))
        elif marked:
            seeds = [int(name[1:]) for name in marked[1].split(",")]
        else:
            assert line == "  classDef seed fill:#ffe0a3,stroke:#996600,color:#000000"
    for seed in seeds:
        assert shapes[seed][0] == "node"
        shapes[seed] = ("seed", shapes[seed][1])
    return shapes, arrows


def from_mermaid(label):
    parts = re.findall(r"#(\d+);|(.)", label)
    assert all(one == "" or one == " " or one.isalnum() for _, one in parts)
    return "".join(chr(int(code)) if code else one for code, one in parts).replace("\u2060", "")


READERS = [pytest.param(dot, read_dot, id="dot"), pytest.param(mermaid, read_mermaid, id="mermaid")]


@pytest.mark.parametrize(("draw", "read"), READERS)
@settings(deadline=None)
@given(
    names=st.lists(texts, min_size=3, max_size=3), relations=st.lists(texts, min_size=2, max_size=2)
)
def test_any_text_is_shown_as_it_is(draw, read, names, relations):
    shapes, arrows = read(draw([path("abc", relations, names=names)]))
    shown = [visible(name) for name in names]
    below = ["score 2.0000, seed", "score 1.0000, 1 hop", "score 0.5000, 2 hops"]
    assert shapes == [
        (kind, [*filter(None, [name]), score])
        for kind, name, score in zip(("seed", "node", "node"), shown, below, strict=True)
    ]
    assert arrows == [
        (start, start + 1, visible(relation)) for start, relation in enumerate(relations)
    ]


@pytest.mark.parametrize(("draw", "read"), READERS)
@given(ids=st.lists(texts, min_size=3, max_size=3, unique=True))
def test_ids_and_documents_are_any_text(draw, read, ids):
    document = ids[1]
    shapes, arrows = read(draw([path(ids[::2], ["r"], document=document)]))
    assert [kind for kind, _ in shapes] == ["seed", "node", "document"]
    assert [line[:-1] for _, line in shapes] == [
        list(filter(None, [visible(each)])) for each in (ids[0], ids[2], document)
    ]
    assert arrows == [(0, 1, "r"), (1, 2, None)]


@pytest.mark.parametrize(("draw", "read"), READERS)
def test_the_union_has_each_node_and_relation_once(draw, read):
    shapes, arrows = read(
        draw(
            [
                path("a", []),
                None,
                path("ab", ["r"]),
                path("abc", ["r", "s"]),
                path("abc", ["t", "s"]),
                path("db", ["r"], score=8.0),
                path("cd", ["u"], score=1.0),
                path("ab", ["r"], document="b's text"),
                path("db", ["r"], score=8.0, document="b's text"),
            ]
        )
    )
    assert shapes == [
        ("seed", ["a", "score 2.0000, seed"]),
        ("node", ["b", "score 4.0000, 1 hop"]),
        ("seed", ["c", "score 1.0000, seed"]),  # as good as over two hops
        ("seed", ["d", "score 8.0000, seed"]),
        ("document", ["b's text", "score 4.0000, 1 hop"]),
    ]
    assert arrows == [
        (0, 1, "r"), (1, 2, "s"), (0, 1, "t"), (3, 1, "r"), (2, 3, "u"), (1, 4, None),
    ]  # fmt: skip


@pytest.mark.parametrize(("draw", "read"), READERS)
def test_a_document_is_no_node_of_its_id(draw, read):
    shapes, arrows = read(draw([path("ab", ["r"], document="a")]))
    assert [kind for kind, _ in shapes] == ["seed", "node", "document"]
    assert arrows == [(0, 1, "r"), (1, 2, None)]


@pytest.mark.parametrize(("draw", "read"), READERS)
def test_nothing_is_an_empty_drawing(draw, read):
    assert read(draw([])) == read(draw([None])) == ([], [])


def test_long_texts_are_shortened():  # Graphviz refuses a drawing with one of 16,384 bytes
    drawn = path(["a" * 20_000, "b"], ["🦊 " * 10_000], names=["a" * 20_000, "b"])
    assert max(map(len, dot([drawn]).split("\n"))) < 300
    assert "…" in dot([drawn])
    assert len(mermaid([drawn])) < 3000

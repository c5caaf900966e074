"""HTML: what a reader sees."""

import pytest

from octavo import SourceLoadingError

HEAD = """<html><head><title>A
 page</title><style>p {}</style><meta name="author" content="Ann">
<meta property="article:modified_time" content="2024-05-01T10:00:00Z"></head>"""


def text(load, body):
    (document,) = load({"a.html": f"<html><body>{body}</body></html>"})
    return document.content


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>One<p>Two <b>bo</b>ld", "One\n\nTwo bold"),
        ("a<script>alert('<h1>x</h1>')</script>b", "ab"),
        ("<nav>menu</nav><p>text<noscript>no</noscript>", "text"),
        ("<p>one<br>two", "one\ntwo"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>d", "- a\n- b\n- c\n\nd"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "A | B\n1 | 2"),
        ("<pre>  a\n    b</pre>", "  a\n    b"),
        ("<p hidden>secret</p><p>shown", "shown"),
        ("<header>site</header><main><p>story</p></main><footer>end</footer>", "story"),
        ("&lt;b&gt; &amp;amp; &#x1F600;", "<b> &amp; 😀"),
        ("<!-- comment --><p>x</p>", "x"),
        ("<p onclick='x'>a</p></p></div><p>b", "a\n\nb"),
    ],
)
def test_texts(load, body, expected):
    assert text(load, body) == expected


def test_metadata(load):
    (document,) = load({"a.html": HEAD + "<body><h1>Top</h1>x"})
    assert document.metadata["title"] == "A page"
    assert document.metadata["author"] == "Ann"
    assert document.metadata["temporal.timestamp"] == "2024-05-01T10:00:00Z"
    assert document.metadata["hierarchy.title"] == "Top"


def test_sections(load):
    documents = load({"a.html": "<h1>A</h1>x<h2>B <i>c</i></h2>y<h2>D</h2>z"}, unit="SECTION")
    assert [(each.id, each.content) for each in documents] == [
        ("docs/a.html", "A\n\nx"),
        ("docs/a.html#b-c", "B c\n\ny"),
        ("docs/a.html#d", "D\n\nz"),
    ]
    assert "line_start" not in documents[0].metadata


@pytest.mark.parametrize(
    "head", ["<meta charset=iso-8859-1>", '<meta http-equiv=x content="text/html; charset=latin1">']
)
def test_a_declared_charset(load, head):
    (document,) = load({"a.html": f"{head}<p>é".encode("latin1")})
    assert document.content == "é"


@pytest.mark.parametrize(
    ("charset", "content"),
    [("utf-16", "“è”".encode()), ("UTF-16LE", "“è”".encode()), ("latin-1", "“è”".encode("cp1252"))],
)
def test_a_charset_means_what_the_standard_says(load, charset, content):
    page = f"<meta charset={charset}><p>".encode() + content
    assert load({"a.html": page})[0].content == "“è”"


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "utf-7", "hex", "os"])
def test_charsets_of_no_document(load, charset):
    with pytest.raises(SourceLoadingError, match="expected a known charset"):
        load({"a.html": f"<meta charset={charset}><p>text"})

from xml.etree import ElementTree as ET

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.errors import InvalidArgumentError, SourceLoadingError
from octavo.evaluation import read_queries
from octavo.evaluation.queries import judged_queries


def texts(*arguments, **options):
    table = read_queries(*arguments, **options)
    return dict(zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True))


def test_topics(fixtures):
    path = fixtures / "topics.sgml"
    assert texts(path) == {
        "301": "International Organized Crime",
        "302": "Poliomyelitis and Post-Polio",
    }
    assert texts(path, text="desc") == {
        "301": "Identify organizations that participate in international criminal activity.",
        "302": "Is the disease of Poliomyelitis under control?",
    }
    with pytest.raises(
        SourceLoadingError, match=r"topics\.sgml, line 13: expected <narr> in topic 302"
    ):
        read_queries(path, text="narr")


def test_topics_in_xml(fixtures):
    assert texts(fixtures / "topics.xml") == {"1": "red fox", "2": "blue <whale>"}
    assert texts(fixtures / "topics.xml", text="question")["2"] == "what does the whale eat?"


XML = """<?xml version="1.0"?>
<!-- <topic number="0"><title>no topic</title></topic> -->
<topics>
  <topic number="1"><!-- <title>old</title>
    --><title>red <!-- and
    green --> fox</title><desc>a <i>b</i>c: <![CDATA[x < y && <title>z</title> <!-- kept --> ]]></desc>
  </topic>
  <topic number="a&amp;b">
    <desc><![CDATA[&lt; is <]]>&lt;<![CDATA[</topic><topic number="9">]]></desc>
    <title><![CDATA[1 < 2]]> and <b>2 &gt; 1</b>: a question: which?</title>
  </topic>
</topics>
"""


@pytest.mark.parametrize("field", ["title", "desc"])
def test_topics_in_xml_read_as_a_parser_of_xml_reads_them(tmp_path, field):
    path = tmp_path / "topics.xml"
    path.write_text(XML)
    expected = {
        topic.get("number"): " ".join("".join(topic.find(field).itertext()).split())
        for topic in ET.fromstring(XML)
    }
    assert len(expected) == 2
    assert texts(path, text=field) == expected


def test_lines_keep_their_numbers_behind_comments(tmp_path):
    path = tmp_path / "topics.xml"
    path.write_text("<!-- a\nb\n-->\n<top><num>1</num>\n</top>")
    with pytest.raises(SourceLoadingError, match="line 4: expected <title> in topic 1"):
        read_queries(path)


def test_topics_without_closing_tags(tmp_path):
    path = tmp_path / "topics"
    path.write_text(
        "<top>\n<num> 1\n<title> a < b &amp; c<!-- d -->\n<desc> e </top>\n<top><num> 2<title>f"
    )
    assert texts(path) == {"1": "a < b & c", "2": "f"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<html></html>", "expected <top> or <topic> elements"),
        ("<top>\n<title> a", "a topic's number"),
        ("<top><num>1\n<title>a <!-- b", "line 2: expected an end of <!--, found none"),
        ("<top><num>1\n<title><![CDATA[a", r"line 2: expected an end of <!\[CDATA\[, found none"),
    ],
)
def test_topics_that_are_none(tmp_path, content, message):
    path = tmp_path / "topics"
    path.write_text(content)
    with pytest.raises(SourceLoadingError, match=message):
        read_queries(path)


@pytest.mark.parametrize(
    "content",
    [
        "<!--" * 500_000,
        "<![CDATA[" * 500_000,
        "<top " * 500_000,
        "<num>" + " " * 500_000,
        "<title>" + "<a" * 500_000,
        "<top number=" + " " * 500_000 + ">",
    ],
)
def test_broken_topics_take_no_quadratic_time(tmp_path, content):
    """Each took hours."""
    path = tmp_path / "topics"
    path.write_text(f"<top>{content}")
    with pytest.raises(SourceLoadingError, match=r"line 1: expected (an end|a topic's number)"):
        read_queries(path)


def test_beir(fixtures):
    expected = {"q1": "red fox", "q2": "blue whale", "q3": "no judgement"}
    assert texts(fixtures / "beir" / "queries.jsonl") == expected
    assert texts(fixtures / "beir") == expected


def test_lines_without_a_header(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("7\twhat is it?\n\n8\ta\tb \n")
    assert texts(path) == {"7": "what is it?", "8": "a\tb"}
    # A line ends where lines of a file end, not at a form feed or a separator of Unicode.
    path.write_bytes("7\ta\u2028b\x0cc\x85d\r\n8\te\r9\tf".encode())
    assert texts(path) == {"7": "a\u2028b\x0cc\x85d", "8": "e", "9": "f"}
    path.write_text("7 what is it?\n")
    with pytest.raises(
        InvalidArgumentError, match=r"line 1: expected an id, a tab and a query, found"
    ):
        read_queries(path)
    path.write_text("7\ta\n7\tb\n")
    with pytest.raises(InvalidArgumentError, match="expected distinct query ids, found '7' again"):
        read_queries(path)


def test_tables(tmp_path):
    vectors = pa.array([[1.0, 0.0], [0.0, 1.0]], pa.list_(pa.float16(), 2))
    table = pa.table({"qid": [1, 2], "question": ["a", "b"], "v": vectors})
    pq.write_table(table, tmp_path / "q.parquet")
    (tmp_path / "q.tsv").write_text("qid\tquestion\n1\ta\n2\tb\n")
    for source in (table, tmp_path / "q.parquet", tmp_path / "q.tsv", str(tmp_path / "*.parquet")):
        assert texts(source) == {"1": "a", "2": "b"}
    found = read_queries(tmp_path / "q.parquet", vector="v")
    assert found["vector"].to_pylist() == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(InvalidArgumentError, match="query_text: no column 'x'"):
        read_queries(table, text="x")


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(SourceLoadingError, match="no: no such file or directory"):
        read_queries(tmp_path / "no")
    with pytest.raises(
        SourceLoadingError, match=r"expected queries\.jsonl or .* in it, found none"
    ):
        read_queries(tmp_path)


def test_only_judged_queries_are_asked(judged, fixtures):
    queries = read_queries(fixtures / "beir")
    assert judged_queries(queries, judged({"q2": {"a": 1}, "x": {"a": 1}}))["id"].to_pylist() == [
        "q2"
    ]
    with pytest.raises(InvalidArgumentError, match="such as 'x', found 'q1'"):
        judged_queries(queries, judged({"x": {"a": 1}}))

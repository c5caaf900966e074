import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.errors import InvalidArgumentError, SourceLoadingError
from octavo.evaluation import read_qrels

SMALL = {
    ("1", "d1"): 2, ("1", "d2"): 0, ("1", "d3"): 1, ("2", "d2"): 1, ("3", "d4"): 1, ("4", "d1"): 0,
}  # fmt: skip


def grades(qrels):
    return {(row["query_id"], row["id"]): row["grade"] for row in qrels.table().to_pylist()}


def test_trec(fixtures):
    qrels = read_qrels(fixtures / "small.qrels")
    assert grades(qrels) == SMALL
    assert qrels.query_ids.to_pylist() == ["1", "2", "3", "4"]
    assert qrels.offsets.tolist() == [0, 3, 4, 5, 6]
    assert qrels.without_relevant == 1


def test_every_layout_gives_the_same(fixtures, tmp_path):
    rows = [{"query": int(q), "docno": d, "rel": grade} for (q, d), grade in SMALL.items()]
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text(
        "query_id,document_id,relevance\n"
        + "".join(f"{q},{d},{g}\n" for (q, d), g in SMALL.items())
    )
    (tmp_path / "a.jsonl").write_text(
        "".join(f'{{"qid": "{q}", "doc_id": "{d}", "label": {g}}}\n' for (q, d), g in SMALL.items())
    )
    (tmp_path / "a.tsv").write_text("".join(f"{q}\t{d}\t{g}\n" for (q, d), g in SMALL.items()))
    for source in (table, *(tmp_path / f"a.{end}" for end in ("parquet", "csv", "jsonl", "tsv"))):
        assert grades(read_qrels(source)) == SMALL, source


def test_a_beir_folder_gives_its_test_split_unless_another_is_named(fixtures):
    expected = {("q1", "a"): 2, ("q1", "d"): 1, ("q2", "b"): 1}
    assert grades(read_qrels(fixtures / "beir")) == expected
    assert grades(read_qrels(fixtures / "beir" / "qrels" / "test.tsv")) == expected
    assert grades(read_qrels(fixtures / "beir", split="train")) == {("q3", "a"): 1}
    with pytest.raises(
        SourceLoadingError, match=r"expected dev\.tsv of qrels, found test\.tsv, train"
    ):
        read_qrels(fixtures / "beir", split="dev")


def test_a_folder_may_hold_qrels_beside_other_tables(tmp_path):
    (tmp_path / "links.tsv").write_text("a\tb\t1\n")
    (tmp_path / "qrels.tsv").write_text("q\ta\t1\n")
    assert grades(read_qrels(tmp_path)) == {("q", "a"): 1}


def test_a_folder_without_qrels_is_told(tmp_path):
    with pytest.raises(SourceLoadingError, match=r"expected test\.tsv, .* found no \.tsv file"):
        read_qrels(tmp_path)


def test_rows_of_one_query_may_lie_apart(judged):
    table = pa.table({"qid": ["a", "b", "a"], "docid": ["x", "y", "z"], "rel": [1, 2, 3]})
    qrels = read_qrels(table)
    assert qrels.ids.to_pylist() == ["x", "z", "y"]
    assert qrels.grades.tolist() == [1, 3, 2]


def test_a_judgement_given_twice_is_one_and_a_contradiction_is_refused(tmp_path):
    path = tmp_path / "a.qrels"
    path.write_text("1 0 a 1\n1 0 b 0\n1 0 a 1\n")
    assert grades(read_qrels(path)) == {("1", "a"): 1, ("1", "b"): 0}
    path.write_text("1 0 a 1\n1 0 b 0\n1 0 a 2\n")
    with pytest.raises(
        InvalidArgumentError, match=r"one grade for a document, found 1 and 2 for document 'a' of"
    ):
        read_qrels(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a 1\n1 0 b x\n", r"a\.qrels, field 'grade': expected numbers, found 'x' in line 2"),
        (
            "1 0 a 1\n\n1 0 b 1.5\n",
            r"expected whole numbers of at most 1,000,000, found 1\.5 in line 3",
        ),
        ("1 0 a nan\n", "expected finite numbers, found nan in line 1"),
        ("1 0 a 1e30\n", "expected whole numbers of at most 1,000,000, found 1e.30 in line 1"),
        # trec_eval would count this far beyond its integers, and say zero.
        (
            "1 0 a 2147483647\n",
            "expected whole numbers of at most 1,000,000, found 2.*e.09 in line 1",
        ),
        ("", "expected at least one judgement, found none"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, message):
    path = tmp_path / "a.qrels"
    path.write_text(text)
    with pytest.raises(InvalidArgumentError, match=message):
        read_qrels(path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"qid": ["a"], "rel": [1]},
            "expected a column of qrels called doc_id or .* found 'qid', 'rel'",
        ),
        ({"qid": ["a", None], "doc_id": ["b", "c"], "rel": [1, 1]}, "found null in row 1"),
        ({"qid": ["a", ""], "doc_id": ["b", "c"], "rel": [1, 1]}, "found an empty one in row 1"),
        (
            {"qid": ["a"], "doc_id": ["b\0"], "rel": [1]},
            "ids without NUL characters, found 'b.x00'",
        ),
        ({"qid": ["a"], "doc_id": ["b"], "rel": pa.array([None], pa.int32())}, "null in row 0"),
        ({"qid": ["a"], "doc_id": ["b"], "rel": [[1]]}, "column 'rel' of table: expected numbers"),
        ({"qid": [[1]], "doc_id": ["b"], "rel": [1]}, "column 'qid' of table: expected strings"),
    ],
)
def test_bad_columns_are_named(columns, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_qrels(pa.table(columns))

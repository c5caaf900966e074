import json
from xml.etree import ElementTree as ET

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from octavo.errors import InvalidArgumentError
from octavo.evaluation import compare_runs
from octavo.evaluation.output import as_json, write_per_query
from octavo.evaluation.plot import means_plot
from octavo.evaluation.tables import PLAIN_COLUMNS, means_table, notes, p_text, plain_rows


@pytest.fixture
def report(judged, found):
    grades = {f"q{number}": {"a": 1} for number in range(20)} | {"none": {"a": 0}}
    better = found({name: {"a": 1} for name in grades}, "better")
    worse = found({name: {"b": 1} for name in list(grades)[:5]} | {"x": {"a": 1}}, "worse")
    return compare_runs([better, worse], judged(grades), ["P@1", "RR"])


def test_plain_rows_fit_their_columns(report):
    rows = list(plain_rows(report))
    assert {len(row) for row in rows} == {len(PLAIN_COLUMNS)}
    assert rows[0][:5] == ("better", "P@1", "0.9524", "0.8571", "1.0000")
    assert set(rows[0][5:]) == {""}
    assert rows[2][:3] == ("worse", "P@1", "0.0000")
    assert rows[2][5] == "-0.9524"
    assert rows[2][8:10] == ("0", "20")


def test_the_table_and_its_notes(report):
    table = means_table(report)
    assert table.columns == ("system", "P@1", "RR")
    assert table.rows[0] == ("better", "0.9524 [0.857, 1.000]", "0.9524 [0.857, 1.000]")
    assert table.rows[1][1] == "0.0000 [0.000, 0.000]\n-0.9524 p < 0.001 *"
    assert list(notes(report)) == [
        "judged queries: 21",
        "of them without a relevant document, counted as zero: 1",
        "worse: judged queries without results, counted as zero: 16",
        "worse: queries without judgements, left out: 1",
        "[low, high]: 95 % confidence interval, bootstrap over queries",
        (
            "differences to better: paired randomisation test, p corrected by Holm's method over the 2 "
            "comparisons; * p < 0.05"
        ),
    ]


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.00099, "< 0.001"),
        (0.001, "0.001"),
        (0.05, "0.05"),
        (0.0504, "0.05"),
        (0.9996, "1"),
        (1.0, "1"),
    ],
)
def test_p_values_for_people(p, text):
    assert p_text(p) == text


def test_json_holds_everything_but_the_queries(report):
    found = json.loads(json.dumps(as_json(report)))
    assert found["systems"][1]["missing_queries"] == 16
    assert found["systems"][0]["metrics"]["P@1"]["mean"] == report.systems[0].means[0].mean
    assert found["comparisons"][0]["significant"] is True
    assert found["queries_without_relevant"] == 1


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_per_query_files(report, tmp_path, ending):
    path = tmp_path / f"q.{ending}"
    write_per_query(report, path)
    read = pq.read_table(path) if ending == "parquet" else pyarrow.csv.read_csv(path)
    assert read.to_pylist() == report.per_query().to_pylist()


def test_other_endings_are_refused(report, tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"expected a \.parquet or \.csv file"):
        write_per_query(report, tmp_path / "q.xlsx")
    with pytest.raises(FileNotFoundError):
        write_per_query(report, tmp_path / "no" / "q.csv")


def test_the_plot_has_a_bar_for_each_mean(report):
    pytest.importorskip("matplotlib")
    plot = means_plot(report)
    (axes,) = plot.figure.axes
    assert [bar.get_height() for bar in axes.patches] == [
        *(each.mean for each in report.systems[0].means),
        *(each.mean for each in report.systems[1].means),
    ]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["P@1", "RR"]
    assert ET.fromstring(plot.svg()).tag.endswith("svg")
    assert plot.svg() == means_plot(report).svg()

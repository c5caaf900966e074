import json

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from octavo.cli.search import search
from octavo.corpus.corpus import Corpus

STRATEGIES = ("keyword", "vector", "hybrid")


def rows(shown: str) -> list[list[str]]:
    return [line.split("\t") for line in shown.splitlines()]


def test_a_pipe_gets_lines_of_fields_with_a_header(octavo, index):
    found = octavo("search", index, "fox", "-k", 2)
    assert (found.exit_code, found.stderr) == (0, "")
    header, first, second = rows(found.stdout)
    assert header == ["#", "score", "id", "text"]
    assert [first[0], second[0]] == ["1", "2"]
    assert {first[2], second[2]} == {"a", "d"}
    assert float(first[1]) >= float(second[1])


def test_control_characters_never_reach_the_terminal(octavo, index):
    found = octavo("search", index, "box")
    assert found.stdout.splitlines()[1].split("\t")[3] == "A fox in a red box �[31m is a red fox."


def test_json_is_one_object_a_hit_with_document_and_parts(octavo, index):
    found = octavo("search", index, "fox", "--strategy", "hybrid", "--json")
    hits = [json.loads(line) for line in found.stdout.splitlines()]
    expected = Corpus.open(index).search("fox", strategy="hybrid")
    assert [(hit["id"], hit["score"], hit["content"], hit["source"]) for hit in hits] == [
        (one.metadata["entryId"], one.score, one.content, one.source) for one in expected
    ]
    assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    assert hits[0]["parts"]["keyword_rank"] == int(expected[0].metadata["hybrid.keyword.rank"])
    assert "keyword_rank" not in hits[-1]["parts"]
    assert hits[0]["metadata"]["tier"] in {"top", "rest"}


def test_explain_shows_streams_and_plans(octavo, index):
    # S23
    found = octavo("search", index, "whale", "--strategy", "hybrid", "--explain")
    header, first, *_ = rows(found.stdout)
    assert header == ["#", "score", "id", "keyword", "vector", "text"]
    hit = Corpus.open(index).search("whale", strategy="hybrid")[0].metadata
    for column, stream in ((3, "keyword"), (4, "vector")):
        score = float(hit[f"hybrid.{stream}.score"])
        assert first[column] == f"{hit[f'hybrid.{stream}.rank']} ({score:.4f})"
    assert "strategy: hybrid" in found.stderr
    assert "plan: keyword" in found.stderr


def test_a_hit_that_a_stream_lacks_shows_a_dash(octavo, index):
    found = octavo("search", index, "whale", "--strategy", "hybrid", "--explain")
    assert any(row[3] == "-" for row in rows(found.stdout)[1:])


def test_filters_and_thresholds(octavo, index):
    # S7, S10
    found = octavo("search", index, "fox", "--filter", "tier=top")
    assert [row[2] for row in rows(found.stdout)[1:]] == ["a"]
    assert rows(octavo("search", index, "fox", "--min-score", "1000").stdout) == []


@pytest.mark.parametrize("given_", [["tier"], ["=top"], ["tier="], ["tier=a", "tier=b"]])
def test_filters_that_say_nothing_are_wrong_use(octavo, index, given_):
    options = [part for one in given_ for part in ("--filter", one)]
    assert octavo("search", index, "fox", *options).exit_code == 2


def test_nothing_found_is_said_on_stderr(octavo, index):
    found = octavo("search", index, "zebra")
    assert (found.exit_code, found.stdout) == (0, "")
    assert found.stderr == "No document was found.\n"


def test_an_unknown_strategy_names_the_known(octavo, index):
    found = octavo("search", index, "fox", "--strategy", "keywords")
    assert found.exit_code == 2
    assert "expected one of vector, keyword, hybrid, graph" in found.stderr


def test_an_option_of_another_strategy_is_refused(octavo, index):
    found = octavo("search", index, "fox", "--strategy", "keyword", "--candidate-depth", 5)
    assert found.exit_code == 2
    assert "candidate_depth" in found.stderr


def test_a_terminal_gets_a_table(octavo, index, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    search(index, "fox", explain=True, strategy="hybrid")
    shown = capsys.readouterr().out
    assert "───" in shown
    assert "\x1b[1;33mfox\x1b[0m" in shown
    assert "\x1b[31m" not in shown


any_text = st.one_of(
    st.text(st.characters(codec=None, exclude_categories=()), max_size=60),
    st.lists(
        st.sampled_from(
            ["AND", "OR", "NOT", '"', ":", "(", ")", "^", "~", "\\", "*", "fox", "+", "-", "[", "]"]
        ),
        max_size=20,
    ).map(" ".join),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(any_text, st.sampled_from(STRATEGIES), st.booleans())
def test_any_text_is_a_legal_query(index, capsys, query, strategy, as_json):
    # S2, S21
    search(index, query, strategy=strategy, as_json=as_json, explain=True)
    captured = capsys.readouterr()
    for line in captured.out.splitlines():
        if as_json:
            assert isinstance(json.loads(line), dict)
        else:
            assert len(line.split("\t")) >= 4


def test_a_query_of_100_000_characters(octavo, index):
    found = octavo("search", index, "fox " * 25_000)
    assert (found.exit_code, len(rows(found.stdout))) == (0, 3)


def test_the_title_is_shown(octavo, index):
    shown = rows(octavo("search", index, "foxes").stdout)[1]
    assert shown[3] == "Foxes: The red fox jumps over the river."
    titles = [
        json.loads(line)["title"]
        for line in octavo("search", index, "fox", "--json").stdout.splitlines()
    ]
    assert set(titles) == {"Foxes", None}


def test_a_filter_key_that_no_document_has_is_pointed_out(octavo, index):  # S7
    found = octavo("search", index, "fox", "--filter", "teir=top")
    assert found.exit_code == 0
    assert "No document has the key 'teir'" in found.stderr
    assert "did you mean 'tier'?" in found.stderr
    assert octavo("search", index, "fox", "--filter", "tier=top").stderr == ""


def test_vectors_from_outside_leave_keyword_search(octavo, tmp_path):
    table = pa.table({"id": ["a"], "text": ["red fox"], "v": [[1.0, 0.0]]})
    Corpus.build(table, tmp_path / "index", embedding="column:v")
    found = octavo("search", tmp_path / "index", "fox")
    assert (found.exit_code, rows(found.stdout)[1][2]) == (0, "a")
    assert "keyword search" in found.stderr
    refused = octavo("search", tmp_path / "index", "fox", "--strategy", "vector")
    assert refused.exit_code == 1

"""The bundled questions."""

from pathlib import Path

import pytest

from octavo.demo.docstrings import Library
from octavo.demo.questions import load_questions, read_questions
from octavo.errors import InvalidArgumentError

SOURCE = Path(__file__).parents[2] / "data" / "demo_questions.tsv"


def test_the_package_ships_what_the_source_says():
    assert load_questions().equals(read_questions(SOURCE))


def test_questions_are_distinct_and_judged():
    questions = load_questions().to_pylist()
    assert 45 <= len(questions) <= 60
    assert len({question["id"] for question in questions}) == len(questions)
    assert len({question["text"] for question in questions}) == len(questions)
    assert all(question["relevant"] for question in questions)


def test_every_answer_exists_in_this_python():
    known = {document.id for document in Library()}
    judged = {answer for row in load_questions().to_pylist() for answer in row["relevant"]}
    assert judged - known == set()


def test_quotes_are_plain_text(tmp_path):
    source = tmp_path / "questions.tsv"
    source.write_text('question\trelevant\nwhat is "x\ta b\n', encoding="utf-8")
    assert read_questions(source).to_pylist() == [
        {"id": "q01", "text": 'what is "x', "relevant": ["a", "b"]}
    ]


@pytest.mark.parametrize("line", ["no answer", "blank answer\t ", "\tno.question", "a\tb\tc"])
def test_a_bad_line_is_named(tmp_path, line):
    source = tmp_path / "questions.tsv"
    source.write_text(f"question\trelevant\nfine\tid\n{line}\n", encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="line 3"):
        read_questions(source)

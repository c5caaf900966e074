"""The demonstration as a whole."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

import octavo.demo.run
from octavo.demo.corpus_file import write_corpus
from octavo.demo.docstrings import Library
from octavo.demo.run import STRATEGIES, _open_fresh, run_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    directory = tmp_path_factory.mktemp("demo") / "made" / "on demand"
    return directory, run_demo(directory)


def test_keyword_answers_four_of_five_questions(demo):
    _, result = demo
    success = {answered.strategy: answered.success for answered in result.results}
    assert tuple(success) == STRATEGIES
    assert success["keyword"] >= 0.8
    assert not result.reused


def test_success_is_that_of_the_result_files(demo):
    directory, result = demo
    questions = {row["id"]: set(row["relevant"]) for row in result.questions.to_pylist()}
    for answered in result.results:
        hits = pq.read_table(directory / f"results-{answered.strategy}.parquet").to_pylist()
        answered_well = {hit["query_id"] for hit in hits if hit["id"] in questions[hit["query_id"]]}
        assert answered.success == pytest.approx(len(answered_well) / len(questions))
        first = {hit["query_id"]: hit["id"] for hit in hits if hit["rank"] == 1}
        assert answered.first == tuple(first.get(question) for question in questions)


def test_a_second_run_reuses_the_index_and_gives_the_same(demo):
    directory, result = demo
    names = [f"results-{strategy}.parquet" for strategy in STRATEGIES]
    before = [(directory / name).read_bytes() for name in names]
    again = run_demo(directory)
    assert again.reused
    assert [answered.success for answered in again.results] == [
        answered.success for answered in result.results
    ]
    assert [(directory / name).read_bytes() for name in names] == before


def test_only_a_whole_index_of_these_versions_is_reused(demo, tmp_path):
    directory = tmp_path / "copy"
    shutil.copytree(demo[0], directory)
    versions = directory / "versions.json"
    made_with = versions.read_text(encoding="utf-8")
    assert _open_fresh(directory) is not None
    for spoiled in (json.dumps({**json.loads(made_with), "octavo": "0.0.1"}), "[", ""):
        versions.write_text(spoiled, encoding="utf-8")
        assert _open_fresh(directory) is None
    versions.unlink()
    assert _open_fresh(directory) is None
    versions.write_text(made_with, encoding="utf-8")
    shutil.rmtree(directory / "index")
    assert _open_fresh(directory) is None


def test_what_was_stopped_is_made_again(tmp_path, monkeypatch):
    source = tmp_path / "library" / "box.py"
    source.parent.mkdir()
    source.write_text('"""Serialise an object to JSON."""\n', encoding="utf-8")
    small = Library(source.parent)
    monkeypatch.setattr(octavo.demo.run, "write_corpus", lambda path: write_corpus(path, small))
    directory = tmp_path / "demo"
    said = []
    assert run_demo(directory, said.append).documents == 1
    assert any("1 documents" in line for line in said)
    (directory / "versions.json").unlink()
    assert not run_demo(directory).reused
    assert run_demo(directory).reused

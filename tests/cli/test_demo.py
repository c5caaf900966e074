import pyarrow as pa

from octavo.demo.run import DemoResult, StrategyResult


def test_it_shows_answers_success_and_rates(octavo, monkeypatch, tmp_path):
    questions = pa.table(
        {"id": ["1", "2"], "text": ["How?", "Why?"], "relevant": [["json.dumps"], ["os"]]}
    )
    results = (
        StrategyResult("keyword", 0.9, 1234.0, ("json.dumps", None)),
        StrategyResult("vector", 0.5, 10.0, ("a", "b")),
    )

    def run_demo(directory, say):
        say(f"working in {directory}")
        return DemoResult(7_700, 2.5, True, questions, results)

    monkeypatch.setattr("octavo.demo.run.run_demo", run_demo)
    shown = octavo("demo", "--directory", tmp_path)
    assert shown.exit_code == 0
    assert shown.stderr == f"working in {tmp_path}\n"
    lines = shown.stdout.splitlines()
    assert lines[1:5] == ["  How?", "    * json.dumps", "  Why?", "      nothing"]
    assert ["keyword", "0.90", "1,234"] in [line.split() for line in lines]
    assert "2.5 s, index of an earlier run" in shown.stdout

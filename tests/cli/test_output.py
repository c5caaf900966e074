import io
import json

from octavo.cli.output import counts, facts, show_json, size


def test_sizes():
    assert [size(one) for one in (0, 1_000, 999_999_999, 2_500_000_000_000)] == [
        "0 B",
        "1.0 kB",
        "1000.0 MB",
        "2.5 TB",
    ]


def test_facts_and_counts_of_nothing():
    assert facts([]) == []
    assert counts({}) == ""


def test_json_is_ascii_where_stdout_is(monkeypatch):
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", ascii_only)
    show_json({"a": "東"})
    ascii_only.flush()
    assert json.loads(ascii_only.buffer.getvalue()) == {"a": "東"}


def test_json_survives_half_a_surrogate_pair(capsys):
    show_json({"a": "\ud800é"})
    assert json.loads(capsys.readouterr().out) == {"a": "\ud800é"}

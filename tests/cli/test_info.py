import json
import shutil

from tests.corpus import hand_made


def test_it_describes_the_index(octavo, index):
    lines = octavo("info", index).stdout.splitlines()
    described = dict(line.split("  ", 1) for line in lines)
    described = {name: value.strip() for name, value in described.items()}
    assert described["documents"] == "5"
    assert described["columns"] == "id 'id', text 'text', title 'title', metadata 'tier'"
    assert described["embedding"] == "hash:128, 128 dimensions"
    assert described["default strategy"] == "keyword"


def test_json_for_programs(octavo, index):
    described = json.loads(octavo("info", index, "--json").stdout)
    assert described["path"] == str(index)
    assert described["documents"] == 5
    assert described["columns"]["metadata"] == ["tier"]


def test_no_index_is_a_failure(octavo, tmp_path):
    assert octavo("info", tmp_path).exit_code == 1


def test_deleted_rows_are_counted_and_compaction_advised(octavo, index, tmp_path):
    changed = shutil.copytree(index, tmp_path / "index")
    assert "deleted rows" not in octavo("info", changed).stdout
    hand_made.delete(changed, ["c", "e"])
    lines = octavo("info", changed).stdout.splitlines()
    described = dict(line.split("  ", 1) for line in lines)
    described = {name: value.strip() for name, value in described.items()}
    assert described["documents"] == "3"
    assert described["empty texts"] == "0"
    assert described["deleted rows"] == "2 (40.0% of all rows)"
    assert described["compaction"].startswith("advised: 40 % of the rows are deleted")
    found = json.loads(octavo("info", changed, "--json").stdout)
    assert (found["documents"], found["deleted_rows"], found["deleted_share"]) == (3, 2, 0.4)
    assert "40 %" in found["compaction"]

import json


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

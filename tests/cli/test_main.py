import os
import subprocess
import sys
from importlib.metadata import entry_points

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.interrupting import interrupted_at

OCTAVO = [sys.executable, "-c", "from octavo.cli.main import main; main()"]

HEAVY = ("numpy", "pyarrow", "numba", "faiss", "tantivy", "rich")


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [*OCTAVO, *(str(one) for one in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_help_names_every_command_and_imports_nothing_heavy():
    script = (
        "import sys\n"
        "from octavo.cli.main import main\n"
        "sys.argv = ['octavo', '--help']\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    print(end.code)\n"
        f"print([name for name in {HEAVY} if name in sys.modules])\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    for command in (
        "index",
        "search",
        "batch",
        "eval",
        "compare",
        "add",
        "delete",
        "compact",
        "repair",
        "info",
        "verify",
        "demo",
    ):
        assert f"  {command} " in shown
    assert shown.endswith("0\n[]\n")


def test_version(octavo):
    from octavo.version import __version__

    assert octavo("--version").stdout == f"octavo {__version__}\n"


def test_the_entry_point_is_main():
    (script,) = [one for one in entry_points(group="console_scripts") if one.name == "octavo"]
    assert script.value == "octavo.cli.main:main"


@pytest.mark.parametrize(
    "arguments",
    [(), ("nothing",), ("search",), ("search", "a", "b", "--nothing"), ("search", "a", "b", "-k0")],
)
def test_wrong_use_exits_with_2(octavo, arguments):
    assert octavo(*arguments).exit_code == 2


def test_a_failure_is_one_line_and_1(tmp_path):
    failed = run("search", tmp_path / "no", "fox")
    assert failed.returncode == 1
    assert failed.stdout == ""
    line = f"octavo: {tmp_path}/no: expected an octavo index, found no such directory\n"
    assert failed.stderr == line


def test_a_reader_that_goes_away_is_no_failure_to_report(tmp_path, index):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        gone = subprocess.run(
            [*OCTAVO, "search", str(index), "fox"],
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (gone.returncode, gone.stderr) == (0, b"")


def test_a_terminal_that_cannot_show_a_character_is_no_failure(index):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shown = run("search", index, "東京", env=environment)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "\\u6771\\u4eac" in shown.stdout


def test_interrupt_is_one_line_and_130_and_can_be_resumed(index, tmp_path):
    queries = tmp_path / "q.parquet"
    count = 200_000
    pq.write_table(pa.table({"id": range(count), "text": ["red fox"] * count}), queries)
    out = tmp_path / "r.parquet"
    arguments = ("batch", index, queries, "--out", out)
    code, lines = interrupted_at("part-000001.arrow.tmp", *arguments)
    assert code == 130
    assert lines[-1] == "octavo: interrupted"
    assert "--resume" in lines[-2]
    assert not any("Traceback" in line for line in lines)
    assert not out.exists()

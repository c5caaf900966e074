"""Writers killed everywhere, with and without a power cut: one state or the other, never a mix."""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from octavo.storage.commit.commit import CommitStep
from tests.storage.kill_harness import WRITES

ROOT = Path(__file__).parents[2]


def kills(*options):
    """Run the harness in memory where there is such a place; return its reports."""
    memory = "/dev/shm"
    place = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as directory:
        run = subprocess.run(
            [sys.executable, "-m", "tests.storage.kill_harness", directory, *map(str, options)],
            cwd=ROOT, capture_output=True, text=True, check=False, timeout=900,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def check(reports):
    wrong = [report for report in reports if report["result"] != "right"]
    assert not wrong, json.dumps(wrong[:3], indent=1)
    named = {life["place"].partition(", ")[2] for report in reports for life in report["lives"]}
    assert named >= set(CommitStep)
    assert {report["power"] for report in reports} == {True, False}


def test_thirty_kills():
    reports = kills("--kills", 30, "--named", len(CommitStep), "--seed", 1)
    assert sum(len(report["lives"]) for report in reports) >= 30
    check(reports)


@pytest.mark.slow
def test_five_hundred_kills():
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda seed: kills("--kills", 260, "--seed", seed), (2, 3)))
    reports = [report for each in found for report in each]
    assert sum(len(report["lives"]) for report in reports) >= 500
    check(reports)
    assert {report["fresh"] for report in reports} == {True, False}
    named = {
        (life["write"], life["place"].partition(", ")[2])
        for report in reports
        for life in report["lives"]
    }
    assert named >= {(name, step) for name in WRITES for step in CommitStep}

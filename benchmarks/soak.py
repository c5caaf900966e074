"""One writer and four readers, for minutes, with every answer checked.

The writer makes commits at a steady pace: it adds, replaces and deletes documents, rolls some
transactions back, and compacts now and then. Before each commit it publishes what the index must hold
afterwards. Readers search by words, by vectors and by both, with filters too, and refresh; each
answer is compared, hit by hit, with what the state that the reader holds must give. A reader that
refreshes must see what was acknowledged before.

The parent watches memory, open files and the directory. The exit status is 1 if any answer was
wrong, or anything grew.

    python benchmarks/soak.py --minutes 10 --commits 1000
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from octavo import Corpus
from soaking.documents import COLUMNS, States, documents_of
from soaking.reader import Reader
from soaking.report import judge, lines
from soaking.watch import told_to_start, watch
from soaking.writer import Writer

SHOWN, LONGEST = 10, 1_000
"""How many problems are printed, and how much of each."""


def soak(told: argparse.Namespace) -> int:
    """Build an index, run the processes, print the report; return the exit status."""
    for left_over in ("index", "fresh", "states"):
        shutil.rmtree(told.directory / left_over, ignore_errors=True)
    for left_over in told.directory.iterdir():
        left_over.unlink()
    index = told.directory / "index"
    numbers = np.arange(told.documents)
    versions = np.zeros(told.documents, np.int64)
    Corpus.build(documents_of(told).table(numbers, versions), index, overwrite=True, **COLUMNS)
    states = States(told.directory)
    states.publish(1, numbers, versions)
    states.acknowledge(1)
    report = judge(told, *watch(told, index))
    if told.json:
        print(json.dumps(report))
    else:
        for name, value in report.items():
            if name != "problems":
                print("\n".join(lines(name, value)))
    for problem in report["problems"][:SHOWN]:
        print(f"PROBLEM: {problem[:LONGEST]}", file=sys.stderr)
    if len(report["problems"]) > SHOWN:
        print(f"and {len(report['problems']) - SHOWN} problems more", file=sys.stderr)
    return 1 if report["problems"] else 0


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, help="in place of --minutes")
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--dimensions", type=int, default=64)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--rate", type=float, default=10.0, help="searches a second and reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--directory", type=Path, help="unset: a temporary one, removed at the end")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--role", choices=("writer", "reader"), help=argparse.SUPPRESS)
    parser.add_argument("--reader", type=int, default=0, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.seconds is None:
        told.seconds = 60 * told.minutes
    if told.role is not None:
        role = Writer(told) if told.role == "writer" else Reader(told)
        told.started = told_to_start(told)
        role.run()
        return 0
    if told.directory is not None:
        told.directory.mkdir(parents=True, exist_ok=True)
        return soak(told)
    told.directory = Path(tempfile.mkdtemp(prefix="octavo-soak-"))
    try:
        return soak(told)
    finally:
        shutil.rmtree(told.directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

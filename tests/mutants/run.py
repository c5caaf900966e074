"""Apply every mutant in turn; report which tests notice.

Usage: ``python tests/mutants/run.py [RULE...]``. Exit status 1 where a mutant survives. Takes a few
seconds for each.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.mutants.mutants import MUTANTS
from tests.mutants.mutation import Outcome, Workshop


def main(rules):
    chosen = [mutant for mutant in MUTANTS if not rules or mutant.rule in rules]
    if not chosen:
        print(f"no mutant of {', '.join(rules)}")
        return 1
    killed = 0
    with tempfile.TemporaryDirectory() as directory:
        workshop = Workshop(directory)
        # A test that fails anyway would kill every mutant.
        unchanged = workshop.run(*dict.fromkeys(mutant.test for mutant in chosen))
        if unchanged.returncode:
            print(unchanged.stdout[-4_000:], unchanged.stderr[-2_000:])
            print("the tests fail without a mutant")
            return 1
        for mutant in chosen:
            started = time.monotonic()
            outcome, done = workshop.outcome(mutant)
            seconds = time.monotonic() - started
            print(
                f"{mutant.rule:4} {outcome.value:9} {seconds:5.1f} s  {mutant.breaks}", flush=True
            )
            if outcome is not Outcome.KILLED:
                print(done.stdout[-2_000:], done.stderr[-2_000:])
            killed += outcome is Outcome.KILLED
    print(f"{killed} of {len(chosen)} mutants killed")
    return int(killed < len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

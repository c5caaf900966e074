import sys

import numpy as np
import pytest

from octavo.benchmark.processes import CommandFailedError, run_python

MEGABYTE = 1 << 20
ALLOCATES = "import time; block = bytearray(b'x' * {} * 1048576); time.sleep(0.1)"

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


@linux
def test_memory_is_that_of_the_process():
    cost = run_python(["-c", ALLOCATES.format(100)])
    assert 100 * MEGABYTE < cost.anonymous < 230 * MEGABYTE
    assert cost.resident >= cost.anonymous
    assert cost.owned == cost.anonymous
    assert cost.seconds > 0.1


@linux
def test_the_memory_of_the_parent_does_not_count():
    held = np.ones(200 * MEGABYTE, np.uint8)
    cost = run_python(["-c", "import time; time.sleep(0.05)"])
    assert held.all()
    assert cost.resident < 100 * MEGABYTE


def test_a_failure_says_what_the_process_said():
    with pytest.raises(CommandFailedError, match="no such thing"):
        run_python(["-c", "raise SystemExit('no such thing')"])

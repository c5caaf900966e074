"""One writer at a time; a dead writer blocks nobody."""

import os
import signal
import subprocess
import sys
import time

import pytest

from octavo.errors import CorpusLockedError
from octavo.storage.lock import writer_lock

HOLD = """
import sys, time
from pathlib import Path
from octavo.storage.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_writer_is_told_who_holds_the_lock(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            for _ in range(2):  # being refused must not spoil the record
                with (
                    pytest.raises(CorpusLockedError, match=f"pid {holder.pid}, for "),
                    writer_lock(tmp_path),
                ):
                    pass
        finally:
            holder.send_signal(signal.SIGKILL)
            holder.wait()
    started = time.monotonic()
    with writer_lock(tmp_path):
        assert time.monotonic() - started < 10


def test_it_is_free_again_after_use_and_after_an_error(tmp_path):
    with pytest.raises(RuntimeError), writer_lock(tmp_path):
        raise RuntimeError
    with writer_lock(tmp_path):
        assert str(os.getpid()) in (tmp_path / "writer.json").read_text()

"""Ctrl-C at a given moment of a command, however fast or loaded the machine is."""

import subprocess
import sys

SCRIPT = """
import os, signal, sys

ending = sys.argv.pop(1)
told = []

def press(event, arguments):
    if event == "open" and not told and str(arguments[0]).endswith(ending):
        told.append(event)
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(press)
from octavo.cli.main import main
main()
"""


def interrupted_at(ending: str, *arguments: object) -> tuple[int, list[str]]:
    """What ``octavo`` returned and said, interrupted as it opens a file whose path ends so."""
    command = [sys.executable, "-c", SCRIPT, ending, *(str(one) for one in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr.splitlines()

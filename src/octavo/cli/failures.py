"""How a command ends when it fails: one line on stderr and an exit status."""

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from octavo.errors import OctavoError

Parameters = ParamSpec("Parameters")

DONE = 0
FAILED = 1
INTERRUPTED = 130


def reported(command: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Return the command with errors turned into a line on stderr and an exit status.

    With ``OCTAVO_TRACEBACK=1`` in the environment the traceback is shown. Errors that octavo does
    not raise on purpose are bugs and always show theirs. A reader that went away (``| head``) has
    had enough: the command ends without a word, as done.
    """

    @wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python flushes stdout once more on its way out.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(DONE) from None
        except KeyboardInterrupt:
            print("octavo: interrupted", file=sys.stderr)  # noqa: T201
            raise SystemExit(INTERRUPTED) from None
        except (OctavoError, OSError) as error:
            if os.environ.get("OCTAVO_TRACEBACK") == "1":
                raise
            print(f"octavo: {message(error)}", file=sys.stderr)  # noqa: T201
            raise SystemExit(FAILED) from None

    return run


def message(error: BaseException) -> str:
    """Return what an error says, on one line.

    Examples
    --------
    >>> message(FileNotFoundError(2, "No such file or directory", "a.parquet"))
    'a.parquet: No such file or directory'
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__

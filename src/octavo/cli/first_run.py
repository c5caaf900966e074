"""Say why the first run on a machine takes longer."""

import logging
import sys

_COMPILER = "octavo.kernels.compile"
NOTICE = "octavo: compiling for this machine; the next run starts at once"


def tell_of_compiling() -> None:
    """Print a line on stderr, once and only to a terminal, when a kernel had to be compiled."""
    if sys.stderr.isatty():
        logger = logging.getLogger(_COMPILER)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        logger.addHandler(_Once())


class _Once(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self._told = False

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - one line for all
        if not self._told:
            self._told = True
            print(NOTICE, file=sys.stderr, flush=True)  # noqa: T201

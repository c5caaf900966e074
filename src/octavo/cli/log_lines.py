"""What a part of octavo logs, as lines for the user."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from octavo.cli.output import say


@contextmanager
def log_lines(logger: str) -> Iterator[None]:
    """Print the warnings of a logger on stderr while a command works."""
    handler = _Lines(logging.WARNING)
    logging.getLogger(logger).addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger(logger).removeHandler(handler)


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(record.getMessage())

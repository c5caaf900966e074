"""What goes wrong around sources, and is judged by those who know more of it."""

from octavo.errors import ExecutionError


class DamagedSource(Exception):  # noqa: N818 - it becomes an error of one of two types
    """A file is not what its format says.

    Where a declaration names the format, that is a configuration error; where the ending of the
    file does, the source is damaged (S66).
    """


class UnusableManifestError(ExecutionError):
    """What was read of a source cannot be remembered: the disk is full, or nothing can be written."""

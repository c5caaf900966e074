"""How a reader says that bytes are not what they should be, before it is known whose fault that is."""


class DamagedSource(Exception):  # noqa: N818 - it becomes an error of one of two types
    """A file is not what its format says.

    Where a declaration names the format, that is a configuration error; where the ending of the
    file does, the source is damaged (S66).
    """

"""Turn what tantivy raises about damaged files into an error that callers can catch."""

from collections.abc import Iterator
from contextlib import contextmanager

from octavo.errors import CorpusCorruptError


@contextmanager
def damage_reported(where: str) -> Iterator[None]:
    """Raise :class:`CorpusCorruptError` about ``where`` when tantivy meets damaged files.

    It raises plain ``ValueError`` for damage that it recognises and panics where files contradict
    each other. A panic is no ``Exception``, and its class has no public name to catch it by.
    """
    try:
        yield
    except BaseException as error:
        if type(error) is not ValueError and type(error).__name__ != "PanicException":
            raise
        raise CorpusCorruptError(f"{where}: the keyword index is damaged: {error}") from error

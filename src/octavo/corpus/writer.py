"""What ``corpus.writer()`` gives: a block in which a corpus changes, as a whole or not at all."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from octavo.columns.sources import Input
from octavo.errors import ExecutionError
from octavo.storage.build.work import Work
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.storage.writer.writer import IndexWriter, index_writer


class CorpusWriter:
    """A transaction on a corpus: everything in its ``with`` block becomes visible at once, or nothing.

    The block holds the writer's lock: another writer, of this process too, gets
    :class:`octavo.CorpusLockedError`. Where it ends well, the changes are committed durably; where it
    raises, the index stays byte for byte as it was. An operation that fails leaves no trace, so its
    error may be caught and the block go on.

    Operations may be called from several threads, and take turns. Outside the block, in a forked
    process, or called by the inputs of an operation under way, they are refused with
    :class:`octavo.ExecutionError`.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> from octavo import Corpus
    >>> documents = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    >>> changed = pa.table({"id": ["b", "c"], "text": ["white whale", "grey owl"]})
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     corpus = Corpus.build(documents, directory + "/index", embedding="none")
    ...     with corpus.writer() as writer:
    ...         written, deleted = writer.upsert(changed), writer.delete(["a", "x"])
    ...     written, deleted, [hit.content for hit in corpus.search("fox or whale")]
    (2, 1, ['white whale'])
    """

    def __init__(self, opened: Snapshot, work: Work, committed: Callable[[], object]) -> None:
        self._opened = opened
        self._work = work
        self._committed = committed
        self._writer: IndexWriter | None = None

    def add(self, inputs: Input) -> int:
        """Add documents.

        Parameters
        ----------
        inputs
            As for :meth:`octavo.Corpus.build`, with the columns that the index was built with. One
            of title, source, timestamp, parent and metadata that is missing is null.

        Returns
        -------
        int
            How many documents were added.

        Raises
        ------
        InvalidArgumentError
            An id is in the corpus already or comes twice, a document is not acceptable, or vectors
            are noted as those of another model.
        DimensionMismatchError
            A vector does not have the dimensions of the others.
        SourceLoadingError
            A file is missing or damaged.
        """
        return self._inside().add(inputs)

    def upsert(self, inputs: Input) -> int:
        """Add documents, or replace those that have the same id.

        A document that equals the stored one in every column costs nothing and stays where it is;
        one whose title and text are the same is not embedded again by a function.

        Returns
        -------
        int
            How many documents were written: new and changed ones.

        Raises
        ------
        InvalidArgumentError, DimensionMismatchError, SourceLoadingError
            As for :meth:`add`, but that ids may be in the corpus.
        """
        return self._inside().upsert(inputs)

    def delete(self, ids: Any) -> int:  # noqa: ANN401 - lists, arrays and columns of several libraries
        """Delete documents by id.

        Parameters
        ----------
        ids
            Texts or integers: a list, a set, an iterator, a numpy or Arrow array. Unknown ones are
            ignored.

        Returns
        -------
        int
            How many documents were deleted.
        """
        return self._inside().delete(ids)

    def delete_where(self, filters: Mapping[str, str]) -> int:
        """Delete the documents that match every filter, as a search with it would find them.

        Returns
        -------
        int
            How many documents were deleted.

        Raises
        ------
        InvalidArgumentError
            There is no filter, or one names no metadata column of the corpus.
        """
        return self._inside().delete_where(filters)

    def __enter__(self) -> Self:
        if self._writer is not None:
            raise ExecutionError("writer: expected a new writer for a new with block")
        transaction = index_writer(self._opened, self._work)
        self._writer = transaction.__enter__()
        self._transaction = transaction
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._transaction.__exit__(kind, error, traceback)
        if kind is None:
            self._committed()

    def _inside(self) -> IndexWriter:
        if self._writer is None:
            raise ExecutionError("writer: expected a with block: with corpus.writer() as writer")
        return self._writer

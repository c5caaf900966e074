"""A transaction: documents come, change and go; one commit makes all of it the state of the index.

The writer's lock is held from start to end. Rows that go are marked dead, and documents that come are
streamed into one pending segment, so that memory is bounded and a loop of small operations is fast.
Nothing that readers see changes before the commit; without it, everything new is removed.
"""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.document_batch import DocumentBatch
from octavo.columns.filters import ENTRY_ID
from octavo.columns.id_index import find_duplicates, id_hashes
from octavo.columns.place import Place
from octavo.columns.sources import Input
from octavo.errors import CorpusCorruptError, ExecutionError, InvalidArgumentError
from octavo.kernels.fnv import hash_texts
from octavo.spi import RAGContext
from octavo.storage.build.further_inputs import read_ids
from octavo.storage.build.segment_build import discard
from octavo.storage.build.stages import Stage
from octavo.storage.build.work import Work
from octavo.storage.commit.commit import remove_remains
from octavo.storage.commit.lock import check_lock, writer_lock
from octavo.storage.format.durable import errors_naming
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.storage.snapshot.vector_stage import FunctionStage, Mask
from octavo.storage.writer.additions import Additions
from octavo.storage.writer.next_state import NextState
from octavo.storage.writer.transaction_rows import TransactionRows
from octavo.storage.writer.unchanged import known_vectors, unchanged

Rows = NDArray[np.int64]


@contextmanager
def index_writer(opened: Snapshot, work: Work) -> Iterator["IndexWriter"]:
    """Write to an index: commit at the end, unless the block raises.

    Parameters
    ----------
    opened
        Any state of the index; what is still the same need not be opened again. Its embedding
        function makes vectors where the index cannot name its own.
    work
        Memory, threads and a listener, told each :class:`Stage`.

    Raises
    ------
    CorpusLockedError
        Another writer is at work.
    CorpusFormatError, CorpusCorruptError
        The index is gone or damaged.
    OSError
        The disk is full, or the index cannot be written; it stays as it was.
    """
    with ExitStack() as held:
        with errors_naming(opened.path):  # but not what the block itself raises
            held.enter_context(writer_lock(opened.path))
            snapshot = opened.refreshed()
            remove_remains(opened.path, snapshot.manifest)
        writer = IndexWriter(snapshot, work)
        held.callback(writer.close)
        yield writer
        writer.commit()


class IndexWriter:
    """The operations of one transaction, each of which succeeds as a whole or changes nothing.

    Operations of several threads take turns.

    Parameters
    ----------
    snapshot
        The present state of the index, whose writer's lock the caller holds.
    work
        Memory, threads and a listener.
    """

    def __init__(self, snapshot: Snapshot, work: Work) -> None:
        self._snapshot = snapshot
        self._work = work
        self._rows = TransactionRows(snapshot)
        self._states = self._rows.states
        self._additions = Additions(snapshot, self._rows, work)
        self._taken_back = False
        self._committed = False
        self._turn = threading.Lock()
        self._owner: int | None = None
        self._process = os.getpid()
        self._open = True

    def add(self, inputs: Input) -> int:
        """Add documents; return how many.

        Raises
        ------
        InvalidArgumentError
            An id is there already or comes twice, or a document is not acceptable.
        """
        with self._operation():
            read = self._additions.read(inputs)
            return sum(self._add(documents, place) for documents, place in read)

    def upsert(self, inputs: Input) -> int:
        """Add documents or replace those of the same id; return how many were written.

        One that equals the stored one in every column stays where it is and is not counted.

        Raises
        ------
        InvalidArgumentError
            An id comes twice, or a document is not acceptable.
        """
        with self._operation():
            kept = np.zeros(self._states.rows, np.bool_)
            read = self._additions.read(inputs)
            return sum(self._upsert(documents, place, kept) for documents, place in read)

    def delete(self, ids: object) -> int:
        """Delete documents by id; return how many there were.

        Raises
        ------
        InvalidArgumentError
            It is no sequence of texts or integers.
        """
        with self._operation():
            return sum(self._delete(identifiers) for identifiers in read_ids(ids))

    def delete_where(self, filters: Mapping[str, str]) -> int:
        """Delete the documents that match every filter; return how many there were.

        Raises
        ------
        InvalidArgumentError
            There is no filter, or one names no metadata column.
        """
        wanted = RAGContext(metadata_filters=filters).metadata_filters
        known = (ENTRY_ID, *self._snapshot.manifest.columns.metadata)
        if not wanted:
            raise InvalidArgumentError("filters: expected at least one, found none")
        for key in wanted:
            if key not in known:
                raise InvalidArgumentError(
                    f"filters: no metadata {key!r}; the keys are {', '.join(map(repr, known))}"
                )
        with self._operation():
            return self._kill(self._rows.matching(wanted))

    def commit(self) -> None:
        """Make all of it the state of the index; without any change, nothing is committed."""
        with self._operation():
            self._open = False
            check_lock(self._snapshot.path)
            pending = self._rows.pending
            state = NextState(
                self._snapshot,
                self._additions.settings,
                self._work,
                None if pending is None else self._additions.plan,
                self._additions.model,
            )
            self._committed = state.commit(self._states.live, pending, taken_back=self._taken_back)

    def close(self) -> None:
        """Remove everything that was written and is not committed."""
        if os.getpid() != self._process:
            return  # a forked child unwinds its parent's block, whose files these are
        with self._turn:
            self._open = False
            if self._rows.pending is not None:
                with suppress(OSError):  # a full disk has been told of; the files are of no use
                    self._rows.pending.close()
            if not self._committed:
                with suppress(OSError, CorpusCorruptError):  # the next writer's to do
                    remove_remains(self._snapshot.path, self._snapshot.manifest)

    def _add(self, documents: DocumentBatch, place: Place) -> int:
        identifiers = _texts(documents.ids)
        hashes = hash_texts(documents.ids)
        rows = self._rows.rows_of(identifiers, hashes)
        there = (rows >= 0) & ~self._states.is_new(rows)
        _refuse(there, identifiers, place, "ids that are not in the index yet")
        _refuse_repeated(rows >= 0, identifiers, hashes, place)
        self._additions.append(documents, hashes)
        return len(documents)

    def _upsert(self, documents: DocumentBatch, place: Place, kept: Mask) -> int:
        identifiers = _texts(documents.ids)
        hashes = hash_texts(documents.ids)
        rows = self._rows.rows_of(identifiers, hashes)
        old = (rows >= 0) & ~self._states.is_new(rows)
        repeated = (rows >= 0) & ~old
        repeated[old] = kept[rows[old]]
        _refuse_repeated(repeated, identifiers, hashes, place)
        positions = np.flatnonzero(old)
        same = unchanged(documents.take(positions), self._rows, rows[positions])
        same &= ~self._rows.only_parents(rows[positions])  # from now on it can be found
        kept[rows[positions[same]]] = True
        changed = np.ones(len(rows), np.bool_)
        changed[positions[same]] = False
        written = np.flatnonzero(changed)
        if not len(written):
            return 0
        documents, replaced = documents.take(written), rows[written]
        if isinstance(self._additions.plan.stage, FunctionStage):
            documents = replace(documents, vectors=known_vectors(documents, self._rows, replaced))
        self._additions.append(documents, hashes[written])
        self._kill(replaced[replaced >= 0])
        return len(written)

    def _delete(self, identifiers: Sequence[str]) -> int:
        rows = self._rows.rows_of(identifiers, id_hashes(identifiers))
        return self._kill(np.unique(rows[rows >= 0]))

    def _kill(self, rows: Rows) -> int:
        if len(rows):
            self._states.kill(rows)
            self._work.progress(Stage.DELETING, len(rows))
        return len(rows)

    @contextmanager
    def _operation(self) -> Iterator[None]:
        """Take a turn, and take everything back if the operation fails."""
        if self._owner == threading.get_ident():
            raise ExecutionError("writer: used by the inputs of an operation that is under way")
        with self._turn:
            if not self._open or os.getpid() != self._process:
                raise ExecutionError("writer: used outside its with block, or in another process")
            if self._additions.torn:  # what is written no longer has the rows that are known
                raise ExecutionError(
                    f"{self._snapshot.path}: cannot commit, since writing a document failed; "
                    "begin a new block"
                )
            self._owner = threading.get_ident()
            self._states.begin()
            try:
                with errors_naming(self._snapshot.path):
                    yield
            except BaseException:
                self._take_back()
                raise
            finally:
                self._owner = None

    def _take_back(self) -> None:
        """Undo an operation; if it was the first to add, what it wrote goes too, and all it taught."""
        if not self._states.undo():
            return
        pending = self._rows.pending
        first = self._states.added == 0 and not self._additions.torn
        if first and pending is not None:
            with suppress(OSError):
                pending.close()
            discard(pending.directory)
            self._rows.pending = None
        else:
            self._states.keep_dead()
            self._taken_back = True


def _texts(ids: pa.LargeStringArray) -> list[str]:
    texts: list[Any] = ids.to_pylist()  # none is null
    return texts


def _refuse(refused: Mask, identifiers: Sequence[str], place: Place, expected: str) -> None:
    positions = np.flatnonzero(refused)
    if len(positions):
        shown = ", ".join(repr(identifiers[position]) for position in positions[:3].tolist())
        raise InvalidArgumentError(
            f"{place}: expected {expected}, found {shown} in {place.rows(positions)}"
        )


def _refuse_repeated(
    repeated: Mask, identifiers: Sequence[str], hashes: NDArray[np.uint64], place: Place
) -> None:
    """Refuse ids that came in an earlier batch, or come twice in this one."""
    order = np.argsort(hashes, kind="stable")
    found = find_duplicates(hashes[order], order, lambda rows: [identifiers[row] for row in rows])
    for _, rows in found:
        repeated[rows[1:]] = True
    _refuse(repeated, identifiers, place, "every id once")

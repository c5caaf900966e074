"""A corpus: build it once, open it anywhere, search it by any strategy."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from numpy.typing import ArrayLike

from octavo.columns.edge_columns import EdgeColumns
from octavo.columns.schema import NoTitle
from octavo.columns.sources import Input
from octavo.corpus.building import build_request
from octavo.corpus.hash_notice import HASH_DEFAULT_NOTICE, HashEmbeddingWarning
from octavo.corpus.info import CorpusInfo, describe
from octavo.corpus.options import default_strategy
from octavo.corpus.searchable import SearchableCorpus
from octavo.corpus.tuning import tune_request
from octavo.corpus.writer import CorpusWriter
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.choice import DEFAULT_RECALL, VectorIndexKind
from octavo.parallel import checked_threads
from octavo.storage.build.build import build_index
from octavo.storage.build.build_request import Listener
from octavo.storage.build.memory_budget import parse_budget
from octavo.storage.build.work import Work, work_of
from octavo.storage.maintenance.repair import Repair, repair_index
from octavo.storage.maintenance.tune import tune_index
from octavo.storage.maintenance.verify import Verification, verify_index
from octavo.storage.snapshot.snapshot import open_snapshot
from octavo.storage.writer.compact import compact_index

if TYPE_CHECKING:
    from octavo.strategies.queries import Texts


class Corpus(SearchableCorpus):
    """Documents on disk, ready to search: a read-only, memory-mapped snapshot.

    Make one with :meth:`build` or :meth:`open`, change it with :meth:`writer`. Safe to share between
    threads; any number of processes may open the same index. Readers lock nothing, and keep the
    state they opened until :meth:`refresh`.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> documents = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     corpus = Corpus.build(documents, directory + "/index", embedding="hash")
    ...     [hit.content for hit in corpus.search("whale", strategy="keyword")]
    ['blue whale']
    """

    @classmethod
    def open(cls, path: str | Path, *, embedding: EmbeddingFunction | None = None) -> "Corpus":
        """Open an index; reads footers and the manifest, nothing of the size of the corpus.

        Parameters
        ----------
        path
            The directory that :meth:`build` or ``octavo index`` made. It may be read-only.
        embedding
            The function that embeds query texts, where the index cannot name its own.

        Raises
        ------
        CorpusFormatError
            No octavo index, or one of a newer format.
        CorpusCorruptError
            A file is missing or damaged.
        ConfigurationError
            ``embedding`` is another model than the one that made the vectors.
        """
        return cls(open_snapshot(Path(path), embedding))

    @classmethod
    def build(
        cls,
        inputs: Input,
        out: str | Path,
        *,
        text: str | None = None,
        id: str | None = None,  # noqa: A002 - the column's name in the public API
        title: str | Literal[NoTitle.NO_TITLE] | None = None,
        source: str | None = None,
        timestamp: str | None = None,
        timestamp_zone: str | None = None,
        parent: str | None = None,
        parents: Input | None = None,
        edges: Input | None = None,
        edge_columns: EdgeColumns | Mapping[str, str] | None = None,
        metadata: Sequence[str] = (),
        language: str | None = None,
        stem: bool = False,
        stop_words: bool = False,
        embedding: str | EmbeddingFunction | None = None,
        recall: float = DEFAULT_RECALL,
        vector_index: VectorIndexKind | str = VectorIndexKind.AUTOMATIC,
        memory_budget: int | str | None = None,
        block_max: bool = True,
        threads: int | None = None,
        overwrite: bool = False,
        progress: Listener | None = None,
    ) -> "Corpus":
        """Index documents into the directory ``out`` and open the result.

        Parameters
        ----------
        inputs
            Files (parquet, Arrow IPC, JSON lines, CSV), directories or globs of them, or anything
            with the Arrow PyCapsule interface: a pyarrow, polars, pandas or duckdb table or reader.
        out
            The index directory; must not exist, be empty, or be an index with ``overwrite``.
        text, id, title, source, timestamp, parent
            Column names. ``text``, ``id`` and ``title`` are found among common names when unset.
        parents
            Further inputs, documents that are only parents: no search finds them by themselves,
            but hierarchical retrieval can climb to them.
        edges
            Edge lists, inputs as above: columns ``head`` and ``tail`` with the ids of two
            documents, ``relation`` and ``weight`` where they are there. They make the graph that
            graph retrieval walks. An id that no document has yet is kept for when one comes.
        edge_columns
            Their columns where they have other names: ``{"head": "src", "tail": "dst"}``.
        timestamp_zone
            Zone of timestamps that carry none, such as ``"UTC"``.
        metadata
            Columns to filter by, kept as text.
        language, stem, stop_words
            How words are analysed; see :class:`octavo.Analyzer`.
        embedding
            ``"hash"``, ``"hash:N"``, ``"column:COL"``, ``"MODULE:ATTR"``, ``"provider"``,
            ``"none"`` or a function. Unset: the hash embedding, with a warning that says so.
        recall
            The share of the ten nearest documents that a vector search shall find, above 0 and up
            to 1; 1.0 is exact search. Above 50,000 documents anything less is faster.
        vector_index
            How vectors are searched: a :class:`VectorIndexKind` or its name.
        memory_budget
            Bytes, or a text such as ``"2GiB"``; by default a quarter of the machine's memory.
        block_max
            Whether to write block-max postings too, about three times the size of the others:
            keyword search then finds the same several times faster, above all in batches.
        threads
            By default one for each processor.
        overwrite
            Replace an existing index; readers see the old one until the new is complete. A function
            that embedded it too is asked only for texts that it does not have.
        progress
            Called with :class:`BuildProgress` and once with the chosen columns.

        Raises
        ------
        InvalidArgumentError, CorpusFormatError, CorpusLockedError, OSError
            See :func:`octavo.storage.build.build.build_index`; whatever fails, an index that was there
            stays as it was.
        """
        if embedding is None:
            warnings.warn(HASH_DEFAULT_NOTICE, HashEmbeddingWarning, stacklevel=2)
            embedding = "hash"
        request = build_request(
            embedding=embedding,
            text=text,
            id=id,
            title=title,
            source=source,
            timestamp=timestamp,
            timestamp_zone=timestamp_zone,
            parent=parent,
            parents=parents,
            edges=edges,
            edge_columns=edge_columns,
            metadata=metadata,
            language=language,
            stem=stem,
            stop_words=stop_words,
            recall=recall,
            vector_index=vector_index,
            memory_budget=memory_budget,
            block_max=block_max,
            threads=threads,
            overwrite=overwrite,
            progress=progress,
        )
        build_index(inputs, Path(out), request)
        return cls.open(out, embedding=embedding if callable(embedding) else None)

    def writer(
        self,
        *,
        memory_budget: int | str | None = None,
        threads: int | None = None,
        progress: Callable[[str, int], None] | None = None,
    ) -> CorpusWriter:
        """Change the documents: ``with corpus.writer() as writer: writer.upsert(table)``.

        The block is one transaction on the present state of the index, which may be newer than this
        corpus. Where it ends well, the changes are durable and this corpus shows them; other ones
        do after :meth:`refresh`. Documents get vectors as the index's own did, if need be by the
        function that this corpus was opened with.

        Parameters
        ----------
        memory_budget, threads
            As for :meth:`build`.
        progress
            Told the stage and the rows done.

        Raises
        ------
        CorpusLockedError
            At the start of the block: another writer is at work; says which process, and for how
            long.
        OSError
            The disk is full, or the index cannot be written; it stays as it was.
        """
        work = Work(
            parse_budget(memory_budget),
            checked_threads(threads),
            progress or (lambda _stage, _rows: None),
        )
        return CorpusWriter(self._snapshot, work, self.refresh)

    def refresh(self) -> "Corpus":
        """Move to the present state of the index, and return this corpus.

        Searches under way, and strategies made before, stay with the state they began with. Only
        what is new is opened; where nothing was committed, nothing happens.

        Raises
        ------
        CorpusFormatError, CorpusCorruptError
            The index is gone or damaged; this corpus stays what it was.
        ConfigurationError
            Its vectors are now those of another model than this corpus was opened with.
        """
        with self._moving:  # or a slower thread could move back
            self._snapshot = self._snapshot.refreshed()
        return self

    def tune(
        self,
        recall: float = DEFAULT_RECALL,
        *,
        queries: "Texts | None" = None,
        query_vectors: ArrayLike | None = None,
        vector_index: VectorIndexKind | str = VectorIndexKind.AUTOMATIC,
        embedding: EmbeddingFunction | None = None,
        memory_budget: int | str | None = None,
        threads: int | None = None,
        progress: Callable[[str, int], None] | None = None,
    ) -> "Corpus":
        """Choose how widely vectors are searched again, commit that, and return the new state.

        Nothing is built again, unless the index has no structure of the kind yet. This corpus stays
        the snapshot it is.

        Parameters
        ----------
        recall
            The share of the ten nearest documents to find, above 0 and up to 1; 1.0 is exact.
        queries, query_vectors
            Queries to tune for, at least 20; by default the index samples its own documents.
        vector_index
            How vectors are searched: a :class:`VectorIndexKind` or its name.
        embedding
            The function that embeds query texts, where the index cannot name its own.
        memory_budget, threads
            As for :meth:`build`.
        progress
            Told the stage and the rows done.

        Raises
        ------
        InvalidArgumentError, ConfigurationError, CorpusLockedError, OSError
            See :func:`octavo.storage.maintenance.tune.tune_index`; whatever fails, the index stays as it was.
        """
        request = tune_request(
            recall,
            queries=queries,
            query_vectors=query_vectors,
            vector_index=vector_index,
            embedding=embedding,
            memory_budget=memory_budget,
            threads=threads,
            progress=progress,
        )
        tune_index(self.path, request)
        return type(self).open(self.path, embedding=embedding)

    def compact(
        self,
        *,
        memory_budget: int | str | None = None,
        threads: int | None = None,
        progress: Callable[[str, int], None] | None = None,
    ) -> "Corpus":
        """Merge everything into one segment without deleted rows, and move on to that state.

        The result equals an index built from scratch of the same documents; nothing is embedded
        again. The disk needs room for a second copy, for a while. Parameters as for :meth:`tune`.

        Raises
        ------
        CorpusLockedError, CorpusCorruptError, OSError
            See :func:`octavo.storage.writer.compact.compact_index`; the index then stays as it was.
        """
        work = work_of(memory_budget, threads, progress)
        compact_index(self.path, work, self._snapshot.function)
        return self.refresh()

    @classmethod
    def repair(
        cls,
        path: str | Path,
        *,
        embedding: EmbeddingFunction | None = None,
        memory_budget: int | str | None = None,
        threads: int | None = None,
        progress: Callable[[str, int], None] | None = None,
    ) -> Repair:
        """Build damaged parts of an index again from its documents, and report which.

        Whatever follows from the documents can be made again: ids, postings, structures and codes
        of vectors, and vectors that the hash embedding or a function made. Parameters as for
        :meth:`tune`.

        Raises
        ------
        CorpusCorruptError
            Something is damaged that nothing else tells, such as the documents; all stays as it is.
        CorpusFormatError, CorpusLockedError, OSError
            See :func:`octavo.storage.maintenance.repair.repair_index`.
        """
        work = work_of(memory_budget, threads, progress)
        return repair_index(Path(path), work, embedding)

    def info(self) -> CorpusInfo:
        """Describe the index: sizes, columns, analyser, embedding."""
        snapshot = self._snapshot
        return describe(snapshot, default_strategy(snapshot))

    def verify(self) -> Verification:
        """Check every byte of what is on disk now against its checksums, and the parts together.

        Where another process has replaced the index since it was opened, the new one is checked.
        """
        return verify_index(self.path)

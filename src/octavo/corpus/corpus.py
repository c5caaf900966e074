"""A corpus: build it once, open it anywhere, search it by any strategy."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from numpy.typing import ArrayLike

from octavo.analysis import Analyzer
from octavo.columns.filters import ENTRY_ID
from octavo.columns.schema import ColumnRequest, NoTitle
from octavo.columns.sources import Input
from octavo.corpus.blocks import search_blocks, split_queries
from octavo.corpus.hash_notice import HASH_DEFAULT_NOTICE, HashEmbeddingWarning
from octavo.corpus.info import CorpusInfo, describe
from octavo.corpus.options import default_strategy, make_strategy
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.choice import DEFAULT_RECALL, VectorIndexKind, requested_vector_index
from octavo.errors import InvalidArgumentError
from octavo.parallel import checked_threads
from octavo.spi import RAGContext, RetrievedDocument
from octavo.storage.build import BuildRequest, Listener, build_index
from octavo.storage.memory_budget import parse_budget
from octavo.storage.snapshot import Snapshot, open_snapshot
from octavo.storage.tune import TuneRequest, tune_index
from octavo.storage.verify import Verification, verify_index
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.queries import Queries, Texts, query_array


class Corpus:
    """Documents on disk, ready to search: a read-only, memory-mapped snapshot.

    Make one with :meth:`build` or :meth:`open`. Safe to share between threads; any number of
    processes may open the same index. Nothing is locked.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> documents = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     corpus = Corpus.build(documents, directory + "/index", embedding="hash")
    ...     [hit.content for hit in corpus.search("whale", strategy="keyword")]
    ['blue whale']
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

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
            Replace an existing index; readers see the old one until the new is complete.
        progress
            Called with :class:`BuildProgress` and once with the chosen columns.

        Raises
        ------
        InvalidArgumentError, CorpusFormatError, CorpusLockedError, OSError
            See :func:`octavo.storage.build.build_index`; whatever fails, an index that was there
            stays as it was.
        """
        if embedding is None:
            warnings.warn(HASH_DEFAULT_NOTICE, HashEmbeddingWarning, stacklevel=2)
            embedding = "hash"
        if isinstance(metadata, str) or not all(isinstance(name, str) for name in metadata):
            raise InvalidArgumentError(
                f"metadata: expected a sequence of column names, found {metadata!r}"
            )
        if not isinstance(block_max, bool):
            raise InvalidArgumentError(f"block_max: expected True or False, found {block_max!r}")
        request = BuildRequest(
            columns=ColumnRequest(
                id=id,
                text=text,
                title=title,
                source=source,
                timestamp=timestamp,
                timestamp_zone=timestamp_zone,
                parent=parent,
                metadata=tuple(metadata),
            ),
            analyzer=Analyzer(language=language, stem=stem, stop_words=stop_words),
            embedding=embedding,
            memory_budget=parse_budget(memory_budget),
            threads=checked_threads(threads),
            overwrite=overwrite,
            vector_index=requested_vector_index(recall, vector_index),
            listener=progress or (lambda _: None),
            parents=parents,
            block_max=block_max,
        )
        build_index(inputs, Path(out), request)
        return cls.open(out, embedding=embedding if callable(embedding) else None)

    @property
    def path(self) -> Path:
        """The directory of the index."""
        return self._snapshot.path

    @property
    def analyzer(self) -> Analyzer:
        """The analyser that documents and queries go through."""
        return self._snapshot.analyzer

    @property
    def dimensions(self) -> int | None:
        """The dimensions of the vectors; ``None`` where there are none."""
        entry = self._snapshot.manifest.embedding
        return None if entry is None else entry.dimensions

    @property
    def keyword_index(self) -> Snapshot:
        """The keyword source of the corpus, for strategies built by hand."""
        return self._snapshot

    @property
    def vector_store(self) -> Snapshot:
        """The vector source of the corpus, for strategies built by hand."""
        return self._snapshot

    @property
    def filter_keys(self) -> tuple[str, ...]:
        """The metadata keys that filters can name."""
        return (ENTRY_ID, *self._snapshot.manifest.columns.metadata)

    @property
    def embeds_queries(self) -> bool:
        """Whether query texts can be embedded, so that vector and hybrid search need no vectors."""
        return self._snapshot.embeds_queries

    @property
    def default_strategy(self) -> str:
        """``hybrid`` where there are real vectors; ``keyword`` where only hashes, or none."""
        return default_strategy(self._snapshot)

    def strategy(self, name: str | None = None, **options: Any) -> ColumnarStrategy:  # noqa: ANN401
        """Return a strategy over this corpus by name.

        Parameters
        ----------
        name
            ``vector``, ``keyword``, ``hybrid``, ``graph``, ``multi-query``, ``hierarchical``,
            ``temporal`` or ``reasoning``; by default :attr:`default_strategy`.
        **options
            Parameters of the strategy; an unknown one is refused with the known ones. ``child``
            takes a strategy or a name; ``half_life`` also text such as ``"30d"``; ``navigator``
            also ``"lexical"`` or ``"MODULE:ATTR"``; ``expander`` also ``"table:FILE"``.
        """
        snapshot = self._snapshot
        return make_strategy(snapshot, name or default_strategy(snapshot), options)

    def search(
        self,
        query: str,
        *,
        strategy: str | None = None,
        max_results: int = 10,
        min_score: float = 0.0,
        filters: Mapping[str, str] | None = None,
        query_vector: ArrayLike | None = None,
        **options: Any,  # noqa: ANN401
    ) -> tuple[RetrievedDocument, ...]:
        """Return the best documents for one query, best first.

        Parameters
        ----------
        query
            Any text; no query language, nothing to escape.
        strategy
            By default :attr:`default_strategy`.
        max_results, min_score, filters
            As in :class:`RAGContext`.
        query_vector
            The query's own vector, in place of embedding its text.
        **options
            Options of the strategy.
        """
        if not isinstance(query, str):
            raise TypeError(f"query: expected a string, found {type(query).__name__}")
        chosen = self.strategy(strategy, **options)
        vectors: Any = None if query_vector is None else [query_vector]
        context = RAGContext(max_results, min_score, filters or {})
        return chosen.rank(Queries.of([query], vectors), context).retrieved()

    def search_batch(
        self,
        queries: Texts,
        *,
        strategy: str | None = None,
        max_results: int = 10,
        min_score: float = 0.0,
        filters: Mapping[str, str] | None = None,
        query_vectors: ArrayLike | None = None,
        threads: int | None = None,
        **options: Any,  # noqa: ANN401
    ) -> pa.Table:
        """Return the hits of many queries as one Arrow table, a row a hit.

        The same hits, order and scores as :meth:`search` query by query, for any number of
        threads. Columns: ``query_id`` (the query's position, as text), ``rank`` from 1, ``id``,
        ``score``, then the parts that the strategy has.

        Parameters
        ----------
        queries
            Texts: a sequence of strings, or an Arrow string array.
        strategy, max_results, min_score, filters, **options
            As in :meth:`search`.
        query_vectors
            Float array of shape ``(queries, dimensions)``.
        threads
            By default one for each processor.
        """
        block = Queries.of(queries, query_vectors)
        ids = pa.array([str(position) for position in range(len(block))], pa.string())
        chosen = self.strategy(strategy, **options)
        context = RAGContext(max_results, min_score, filters or {})
        if len(block) == 0:
            return chosen.retrieve_batch(block, context)
        found = search_blocks(
            chosen, split_queries(ids, block), context, threads=checked_threads(threads)
        )
        return pa.concat_tables([result.table for result in found]).combine_chunks()

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
            See :func:`octavo.storage.tune.tune_index`; whatever fails, the index stays as it was.
        """
        request = TuneRequest(
            requested_vector_index(recall, vector_index),
            parse_budget(memory_budget),
            checked_threads(threads),
            progress or (lambda _stage, _rows: None),
            texts=None if queries is None else Queries.of(queries, query_vectors).texts,
            vectors=None if query_vectors is None else query_array(query_vectors),
            embedding=embedding,
        )
        tune_index(self.path, request)
        return type(self).open(self.path, embedding=embedding)

    def info(self) -> CorpusInfo:
        """Describe the index: sizes, columns, analyser, embedding."""
        snapshot = self._snapshot
        return describe(snapshot, default_strategy(snapshot))

    def verify(self) -> Verification:
        """Check every byte of what is on disk now against its checksums, and the parts together.

        Where another process has replaced the index since it was opened, the new one is checked.
        """
        return verify_index(self.path)

    def __len__(self) -> int:
        return self._snapshot.count

    def __repr__(self) -> str:
        return f"Corpus({str(self.path)!r}, documents={len(self)})"

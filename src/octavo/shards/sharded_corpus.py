"""A corpus in shards: built in parts, searched as one."""

import json
import warnings
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from octavo.columns.sources import Input
from octavo.corpus.hash_notice import HASH_DEFAULT_NOTICE, HashEmbeddingWarning
from octavo.corpus.info import CorpusInfo, describe_state, describe_together
from octavo.corpus.searchable import SearchableCorpus
from octavo.corpus.tuning import tune_request
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.choice import DEFAULT_RECALL
from octavo.graph.corpus_graph import CorpusGraph
from octavo.shards import layout
from octavo.shards.build import build_shards
from octavo.shards.linked import check_linked
from octavo.shards.maintenance import repair_shards, tune_shards
from octavo.shards.open_source import open_source, present_source
from octavo.shards.shard import ShardPlace
from octavo.shards.shard_build import LocalBuilder, ShardBuilder
from octavo.shards.shards import Shards
from octavo.shards.source import ShardedSource
from octavo.shards.verify import verify_shards
from octavo.storage.build.build_request import Listener
from octavo.storage.build.work import work_of
from octavo.storage.maintenance.repair import Repair
from octavo.storage.maintenance.verify import Verification
from octavo.strategies.columnar import ColumnarStrategy

if TYPE_CHECKING:
    from octavo.storage.snapshot.snapshot import Snapshot


class ShardedCorpus(SearchableCorpus):
    """A read-only index in shards, each an index of its own; searches ask all and merge.

    Keyword scores are computed from the statistics of all shards together, and ties are settled by
    the position of the documents in the build, so keyword search and exact vector search give what
    a single index of the same documents gives, to the bit. Strategies: keyword, vector, hybrid
    (two streams), multi-query and temporal.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> documents = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     corpus = ShardedCorpus.build(documents, directory + "/index", 2, embedding="hash")
    ...     [hit.content for hit in corpus.search("whale", strategy="keyword")]
    ['blue whale']
    """

    @property
    def _source(self) -> ShardedSource:
        return cast("ShardedSource", self._snapshot)

    @classmethod
    def open(cls, path: str | Path, *, embedding: EmbeddingFunction | None = None) -> Self:
        """Open a sharded index: every shard, memory-mapped in this process.

        Parameters
        ----------
        path
            The directory that :meth:`build` or ``octavo index --shards`` made.
        embedding
            The function that embeds query texts, where the index cannot name its own.

        Raises
        ------
        CorpusFormatError
            No sharded index, or one of a newer format.
        CorpusCorruptError
            A file is missing or damaged.
        ConfigurationError
            ``embedding`` is another model than the one that made the vectors.
        """
        # A sharded source answers all that the strategies above ask of a snapshot.
        return cls(cast("Snapshot", open_source(Path(path), embedding)))

    @classmethod
    def build(
        cls,
        inputs: Input,
        out: str | Path,
        shards: int,
        *,
        builder: ShardBuilder | None = None,
        embedding: str | EmbeddingFunction | None = None,
        overwrite: bool = False,
        progress: Listener | None = None,
        **options: Any,  # noqa: ANN401 - those of Corpus.build
    ) -> Self:
        """Cut documents into shards by their ids, build each, and open the result.

        The assignment depends on ids and the number of shards only
        (:func:`octavo.shards.assignment.shard_of`).

        Parameters
        ----------
        inputs, out, embedding, overwrite, progress
            As for :meth:`octavo.Corpus.build`. Where an index of as many shards is replaced, a
            function that embedded it too is asked only for texts that are not in the same shard.
        shards
            How many, 1 to 1,000.
        builder
            Where shards are built; unset, one after the other in this process. The result is the
            same.
        **options
            Further options of :meth:`octavo.Corpus.build`; ``parents`` and ``edges`` are refused.

        Raises
        ------
        InvalidArgumentError, CorpusFormatError, CorpusLockedError, OSError
            See :func:`octavo.shards.build.build_shards`; an index that was there stays as it was.
        """
        if embedding is None:
            warnings.warn(HASH_DEFAULT_NOTICE, HashEmbeddingWarning, stacklevel=2)
            embedding = "hash"
        build_shards(
            inputs,
            Path(out),
            shards=shards,
            options={**options, "embedding": embedding},
            overwrite=overwrite,
            builder=builder or LocalBuilder(),
            listener=progress or (lambda _: None),
        )
        return cls.open(out, embedding=embedding if callable(embedding) else None)

    @property
    def shards(self) -> tuple[ShardPlace, ...]:
        """Where the shards lie."""
        return self._source.places

    @property
    def held(self) -> tuple[int, ...]:
        """The numbers of the shards that hold documents; the others are never asked."""
        return self._source.held

    def asking(self, shards: Shards) -> Self:
        """Return this corpus with other shards to ask, such as those of a cluster."""
        source = self._source
        asked = ShardedSource(source.path, shards, source.places, source.manifests, source.function)
        return self.with_store(cast("Snapshot", asked))

    @property
    def fingerprint(self) -> str:
        """A digest of the state of all shards."""
        states = [place.state for place in self.shards]
        return blake2b(json.dumps(states).encode(), digest_size=16).hexdigest()

    def refresh(self) -> Self:
        """Move to the present state of the index, and return this corpus.

        Searches under way, and strategies made before, stay with the state they began with. All
        shards are opened again in this process; where nothing was committed, nothing happens.

        Raises
        ------
        CorpusFormatError, CorpusCorruptError
            The index is gone or damaged; this corpus stays what it was.
        ConfigurationError
            Its vectors are now those of another model than this corpus was opened with.
        """
        with self._moving:  # or a slower thread could move back
            self._snapshot = cast("Snapshot", present_source(self._source))
        return self

    @property
    def graph(self) -> CorpusGraph:
        """Not over shards.

        Raises
        ------
        GraphCapabilityError
            Always.
        """
        return self._source.graph

    def tune(self, recall: float = DEFAULT_RECALL, **options: Any) -> Self:  # noqa: ANN401
        """Choose how widely the vectors of every shard are searched again, and return the new state.

        Shards are tuned one after the other, each to the same recall; each commits by itself, so
        whatever stops the work, those that are done stay tuned and all are searched as before. This
        corpus stays in the state it is.

        Parameters
        ----------
        recall, **options
            As for :meth:`octavo.Corpus.tune`. Query texts are embedded once for all shards;
            ``embedding`` is by default the function that this corpus was opened with.

        Raises
        ------
        InvalidArgumentError, ConfigurationError, CorpusLockedError, OSError
            See :func:`octavo.shards.maintenance.tune_shards`.
        """
        given = tune_request(recall, **{"embedding": self.embedding_function, **options})
        if given.texts is not None and given.vectors is None:
            asked = type(self).open(self.path, embedding=given.embedding)
            given = replace(given, vectors=asked.vector_store.embed(given.texts))
        tune_shards(self.path, given)
        return type(self).open(self.path, embedding=given.embedding)

    @classmethod
    def repair(
        cls,
        path: str | Path,
        *,
        embedding: EmbeddingFunction | None = None,
        **work: Any,  # noqa: ANN401
    ) -> Repair:
        """Build damaged parts of every shard again from its documents, and report which.

        Parameters as for :meth:`octavo.Corpus.repair`.

        Raises
        ------
        CorpusCorruptError, CorpusFormatError, CorpusLockedError, OSError
            See :func:`octavo.shards.maintenance.repair_shards`.
        """
        return repair_shards(Path(path), work_of(**work), embedding)

    def verify(self) -> Verification:
        """Check every byte on the disk now against its checksums, and the shards together."""
        return verify_shards(self.path)

    def writer(self, **_options: Any) -> NoReturn:  # noqa: ANN401 - those of Corpus.writer
        """Not over shards, which are built together; so is :meth:`compact`.

        Raises
        ------
        CorpusFormatError
            Always; says how to build the index again.
        """
        raise layout.unchanging(self.path)

    compact = writer

    def info(self) -> CorpusInfo:
        """Describe all shards together, as they were opened."""
        default = self.default_strategy
        parts = [describe_state(self.path, each, default) for each in self._source.manifests]
        return describe_together(self.path, parts)

    def strategy(self, name: str | None = None, **options: Any) -> ColumnarStrategy:  # noqa: ANN401
        """Return a strategy over all shards by name.

        Parameters
        ----------
        name
            ``keyword``, ``vector``, ``hybrid``, ``multi-query`` or ``temporal``; by default
            :attr:`default_strategy`.
        **options
            As for :meth:`octavo.Corpus.strategy`, but for ``graph``.

        Raises
        ------
        ConfigurationError
            The strategy, or its child, follows links between documents.
        """
        check_linked(name, options)
        return super().strategy(name, **options)

    def __repr__(self) -> str:
        return (
            f"ShardedCorpus({str(self.path)!r}, documents={len(self)}, shards={len(self.shards)})"
        )

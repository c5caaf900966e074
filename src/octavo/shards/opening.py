"""Opening an index of either kind."""

from pathlib import Path

from octavo.corpus.corpus import Corpus
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.shards import layout
from octavo.shards.sharded_corpus import ShardedCorpus


def open_index(
    path: str | Path, *, embedding: EmbeddingFunction | None = None
) -> Corpus | ShardedCorpus:
    """Open an index, in shards or not, for searching.

    Raises
    ------
    CorpusFormatError
        It is none, or one of a newer format.
    CorpusCorruptError
        A file is missing or damaged.
    ConfigurationError
        ``embedding`` is another model than the one that made the vectors.
    """
    kind = ShardedCorpus if layout.is_sharded(Path(path)) else Corpus
    return kind.open(path, embedding=embedding)


def open_single(path: str | Path) -> Corpus:
    """Open an index whose documents are to change, which those of one in shards cannot.

    Raises
    ------
    CorpusFormatError
        It is in shards, or none, or one of a newer format.
    CorpusCorruptError
        A file is missing or damaged.
    """
    if layout.is_sharded(Path(path)):
        raise layout.unchanging(Path(path))
    return Corpus.open(path)

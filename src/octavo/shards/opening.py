"""Opening an index of either kind."""

from pathlib import Path

from octavo.corpus.corpus import Corpus
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.shards.layout import is_sharded
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
    kind = ShardedCorpus if is_sharded(Path(path)) else Corpus
    return kind.open(path, embedding=embedding)

"""The function that made the vectors of a file or an index, so that queries are embedded likewise."""

from os import PathLike
from pathlib import Path

from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.embeddings.vector_record import embedding_of_file
from octavo.errors import ConfigurationError
from octavo.shards.opening import open_index


def embedding_of(
    path: str | PathLike[str], *, column: str | None = None, **options: object
) -> EmbeddingFunction:
    """Return the function that embedded a file or an index, so that queries can be embedded likewise.

    To call this is to say that the model which is named there may be loaded, or asked by a server.
    No address is taken from a file or an index, since they may come from somebody else and the
    address would be sent the key: give ``base_url`` yourself where the server is not the package's
    default. For the same reason nothing that they name is imported.

    Parameters
    ----------
    path
        A parquet file of ``octavo embed``, or an index, in shards or not.
    column
        The column of vectors of a file, needed where models made several.
    options
        Further parameters of the function, such as ``base_url`` or ``device``.

    Raises
    ------
    SourceLoadingError, CorpusFormatError
        The file does not say how it was embedded, or there is no such file or index.
    ConfigurationError
        The index does not know; it was by a function of an application; or the model cannot be had.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> import octavo
    >>> documents = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     corpus = octavo.Corpus.build(documents, directory + "/index", embedding="hash:64")
    ...     embedding_of(corpus.path).dimensions
    64
    """
    if not Path(path).is_dir():
        return embedding_of_file(path, column, **options)
    corpus = open_index(Path(path))
    model, entry = corpus.vector_model, corpus.keyword_index.manifest.embedding
    if entry is not None and entry.is_hash and entry.model is None:
        return HashEmbedding(entry.dimensions, corpus.analyzer)  # which stems as the index does
    if model is None:
        raise ConfigurationError(
            f"{path}: the index does not know which model made its vectors; name the function "
            "yourself"
        )
    return model.function(str(path), options)

"""The one sentence said where the hash embedding is used without having been asked for (S45)."""

HASH_DEFAULT_NOTICE = (
    "The built-in hash embedding only measures token overlap and is a weak retriever: give real "
    "vectors (embedding='column:COL' or 'MODULE:ATTR') for semantic and hybrid search, or say "
    "embedding='hash' to keep it."
)


class HashEmbeddingWarning(UserWarning):
    """The hash embedding was used by default."""

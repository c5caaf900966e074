"""What a shard holds, told apart from how it is searched."""

import json
from dataclasses import asdict
from hashlib import blake2b

from octavo.storage.format.layout import DICTIONARIES, DOCUMENTS
from octavo.storage.format.manifest import Manifest


def contents_digest(manifest: Manifest) -> str:
    """Return a digest of the documents of a shard, and of how they were analysed and embedded.

    Shards go together, and with the positions of their rows, as long as it is what it was when they
    were built. Tuning and repair do not change it.
    """
    documents = [
        [segment.rows, *(asdict(segment.files[name]) for name in _FILES if name in segment.files)]
        for segment in manifest.segments
    ]
    embedding = None if manifest.embedding is None else asdict(manifest.embedding)
    parts = [asdict(manifest.columns), manifest.analyzer_fingerprint, embedding, documents]
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


_FILES = (DOCUMENTS, DICTIONARIES)

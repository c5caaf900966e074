"""Vector search by cosine similarity, nominated by FAISS and scored exactly by one kernel."""

from octavo.engines.vector.flat import FlatVectorIndex
from octavo.engines.vector.index import VectorIndex

__all__ = ["FlatVectorIndex", "VectorIndex"]

"""LangChain's EnsembleRetriever over its BM25Retriever and its FAISS store, with their defaults."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from octavo.benchmark.peers.faiss_alone import flat, single_threaded
from octavo.benchmark.peers.peer import (
    Answers,
    PeerDocuments,
    PeerQueries,
    RecallOf,
    Search,
    Stream,
)

_DEPTH = 100  # of each retriever, as octavo's hybrid


class LangChain:
    """A framework: pure-Python BM25 (rank_bm25), a flat FAISS index, weighted RRF with c = 60."""

    name: ClassVar[str] = "langchain"

    def build(self, documents: PeerDocuments) -> None:
        """Make both retrievers; the store is filled directly, not through lists of floats."""
        import warnings  # noqa: PLC0415

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of the package as a whole
            from langchain_classic.retrievers import EnsembleRetriever  # noqa: PLC0415 - a peer
            from langchain_community import __version__  # noqa: PLC0415
            from langchain_community.docstore.in_memory import InMemoryDocstore  # noqa: PLC0415
            from langchain_community.retrievers import BM25Retriever  # noqa: PLC0415
            from langchain_community.vectorstores import FAISS  # noqa: PLC0415
            from langchain_core.documents import Document  # noqa: PLC0415
            from langchain_core.embeddings import Embeddings  # noqa: PLC0415

        class GivenVectors(Embeddings):  # type: ignore[misc]
            """The vector of each query, known beforehand."""

            def __init__(self) -> None:
                self.vectors: dict[str, Any] = {}

            def embed_query(self, text: str) -> Any:  # noqa: ANN401
                return self.vectors[text]

            def embed_documents(self, texts: list[str]) -> Any:  # noqa: ANN401
                return [self.vectors[text] for text in texts]

        texts = [text or "" for text in documents.analyzed.to_pylist()]
        keyword = BM25Retriever.from_texts(
            texts,
            metadatas=[{"row": row} for row in range(len(texts))],
            bm25_params={"k1": 1.2, "b": 0.75},
            preprocess_func=str.split,
            k=_DEPTH,
        )
        self._given = GivenVectors()
        names = {row: str(row) for row in range(len(texts))}
        store = InMemoryDocstore(
            {
                str(row): Document(page_content=text, metadata={"row": row})
                for row, text in enumerate(texts)
            }
        )
        vectors = FAISS(self._given, flat(documents.vectors), store, names)
        self._ensemble = EnsembleRetriever(
            retrievers=[keyword, vectors.as_retriever(search_kwargs={"k": _DEPTH})],
            weights=[0.5, 0.5],
            id_key="row",
        )
        self._version = __version__

    def tune(self, recall_of: RecallOf) -> None:
        """Do nothing: its index is exact."""

    def searches(self) -> Mapping[Stream, Search]:
        """Return the hybrid search."""
        return {Stream.HYBRID: self._hybrid}

    def settings(self) -> str:
        """Return the version and the retrievers."""
        return f"langchain-community {self._version}, BM25Retriever and flat FAISS, 100 deep each"

    def _hybrid(self, queries: PeerQueries, k: int) -> Answers:
        texts = [" ".join(tokens) for tokens in queries.tokens]
        self._given.vectors = dict(zip(texts, queries.vectors, strict=True))
        with single_threaded():
            found = [self._ensemble.invoke(text)[:k] for text in texts]
        return [np.array([hit.metadata["row"] for hit in hits], np.int64) for hits in found]

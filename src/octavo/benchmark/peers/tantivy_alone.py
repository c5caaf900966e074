"""tantivy-py by itself: one segment, a union of term queries, its own top-k collector."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from octavo.benchmark.peers.peer import (
    Answers,
    PeerDocuments,
    PeerQueries,
    RecallOf,
    Search,
    Stream,
)

_HEAP = 2_000_000_000  # all in one segment, so that documents stay in row order


class TantivyAlone:
    """The keyword engine without octavo above it."""

    name: ClassVar[str] = "tantivy"

    def build(self, documents: PeerDocuments) -> None:
        """Index the analysed texts and one filter term a document, row by row."""
        import tantivy  # noqa: PLC0415 - heavy

        self.directory = documents.directory
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
        builder.add_text_field("tier", tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field("row", fast=True)
        self._schema = builder.build()
        index = tantivy.Index(self._schema, path=str(documents.directory))
        writer = index.writer(heap_size=_HEAP, num_threads=1)
        texts, tiers = documents.analyzed.to_pylist(), documents.tiers.to_pylist()
        for row, (text, tier) in enumerate(zip(texts, tiers, strict=True)):
            document = tantivy.Document(body=text or "", tier=tier)
            document.add_unsigned("row", row)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()
        self._version = version("tantivy")

    def tune(self, recall_of: RecallOf) -> None:
        """Do nothing: keyword search is exact."""

    def searches(self) -> Mapping[Stream, Search]:
        """Return the keyword search."""
        return {Stream.KEYWORD: self._keyword}

    def settings(self) -> str:
        """Return the version and the number of segments."""
        return f"tantivy {self._version}, {self._searcher.num_segments} segment(s), one thread"

    def top(
        self, tokens: Sequence[str], k: int, tier: str | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return rows and scores of one query; with a tier, of its documents only."""
        from tantivy import Occur, Query  # noqa: PLC0415

        known = [
            (frequency, token, times)
            for token, times in Counter(tokens).items()
            if (frequency := self._searcher.doc_freq("body", token)) > 0
        ]
        # The order of terms moves the last bit of a sum: octavo's order, so that bits can agree.
        clauses = [(Occur.Should, self._term(token, times)) for _, token, times in sorted(known)]
        query = Query.boolean_query(clauses)
        if tier is not None:
            admitted = Query.const_score_query(
                Query.term_query(self._schema, "tier", tier, "basic"), 0.0
            )
            query = Query.boolean_query([(Occur.Must, query), (Occur.Must, admitted)])
        hits = self._searcher.search(query, limit=k, count=False).hits
        rows = self._searcher.fast_field_values("row", [address for _, address in hits])
        return np.array(rows, np.int64), np.array([score for score, _ in hits], np.float64)

    def _term(self, token: str, times: int) -> Any:  # noqa: ANN401 - a tantivy query
        from tantivy import Query  # noqa: PLC0415

        query = Query.term_query(self._schema, "body", token, "freq")
        return query if times == 1 else Query.boost_query(query, float(times))

    def _keyword(self, queries: PeerQueries, k: int) -> Answers:
        return [self.top(tokens, k)[0] for tokens in queries.tokens]

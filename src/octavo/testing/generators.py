"""hypothesis strategies for documents, contexts, filters and ranked streams.

The alphabets are small on purpose: collisions, ties and near misses are where contracts break.
"""

import numpy as np
from hypothesis import strategies as st

from octavo.columns.hits import Hits
from octavo.spi import RAGContext, RetrievedDocument
from octavo.spi.metadata import ENTRY_ID

WORDS = ("red", "fox", "blue", "whale", "grey", "owl", "", "\u72d0", "na\u00efve", "snake_case")
KEYS = ("tier", "year", "Tier")
VALUES = ("SEMANTIC", "semantic", "WORKING", "2001", "2002")
SCORES = (0.0, 0.25, 0.5, 0.5000000000000001, 1.0, 2.0, -1.0, 1e-300)


def texts(*, max_words: int = 6) -> st.SearchStrategy[str]:
    """Return texts of few words from a small vocabulary."""
    return st.lists(st.sampled_from(WORDS), max_size=max_words).map(" ".join)


def metadata() -> st.SearchStrategy[dict[str, str]]:
    """Return metadata over few keys and values, some alike but for their case."""
    return st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES))


def metadata_filters() -> st.SearchStrategy[dict[str, str]]:
    """Return legal filters over the same keys and values, often none."""
    known = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=2)
    return st.one_of(st.just({}), known)


def documents() -> st.SearchStrategy[RetrievedDocument]:
    """Return documents without an id; scores often tie."""
    return st.builds(
        RetrievedDocument,
        texts(),
        st.sampled_from(("guide.md", "notes.md", "")),
        st.sampled_from(SCORES),
        metadata(),
    )


def document_lists(
    *, min_size: int = 0, max_size: int = 12
) -> st.SearchStrategy[list[RetrievedDocument]]:
    """Return lists of documents with distinct entry ids."""
    return st.lists(documents(), min_size=min_size, max_size=max_size).map(_with_ids)


def contexts(*, max_results: int = 12) -> st.SearchStrategy[RAGContext]:
    """Return contexts: limits around small counts, thresholds at scores that occur, filters."""
    return st.builds(
        RAGContext,
        st.integers(1, max_results),
        st.sampled_from((*SCORES, -1.7976931348623157e308)),
        metadata_filters(),
    )


def ranked_streams(
    *, queries: int | None = None, rows: int = 12, max_hits: int = 8
) -> st.SearchStrategy[Hits]:
    """Return hits as a stream gives them: distinct rows, (score descending, row ascending).

    Parameters
    ----------
    queries
        The number of queries; by default 0 to 4.
    rows
        Row numbers are below this.
    max_hits
        The largest number of hits of a query.
    """
    hit = st.tuples(st.integers(0, rows - 1), st.sampled_from(SCORES))
    stream = st.lists(hit, max_size=max_hits, unique_by=lambda pair: pair[0])
    few, many = (0, 4) if queries is None else (queries, queries)
    return st.lists(stream, min_size=few, max_size=many).map(_hits)


def _with_ids(found: list[RetrievedDocument]) -> list[RetrievedDocument]:
    return [
        RetrievedDocument(
            each.content, each.source, each.score, {**each.metadata, ENTRY_ID: f"d{number}"}
        )
        for number, each in enumerate(found)
    ]


def _hits(streams: list[list[tuple[int, float]]]) -> Hits:
    ordered = [sorted(stream, key=lambda pair: (-pair[1], pair[0])) for stream in streams]
    flat = [pair for stream in ordered for pair in stream]
    counts = np.array([len(stream) for stream in ordered], np.int64)
    return Hits(
        np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64))),
        np.array([row for row, _ in flat], np.int64),
        np.array([score for _, score in flat], np.float64),
    )

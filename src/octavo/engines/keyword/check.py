"""Whether postings are those of some rows, and block-max postings say what tantivy's say.

Checksums find changed bytes. This finds files that are whole and do not belong together.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.engines.keyword.block_max.files import BlockMaxPostings
from octavo.engines.keyword.composed import open_composed, segment_documents
from octavo.engines.keyword.damage import damage_reported
from octavo.engines.keyword.frequency import document_frequencies
from octavo.engines.keyword.queries import QueryTerm, union
from octavo.engines.keyword.rows import RowSearcher
from octavo.engines.keyword.writer import start_of_run
from octavo.errors import CorpusCorruptError
from octavo.kernels.fnv import fnv1a

_AT_ONCE = 1 << 22
_COUNTED_TERMS = 32_768
_SEARCHED_TERMS, _DEPTH = 32, 256


def check_rows(directories: Sequence[Path], rows: int) -> None:
    """Check that the documents of ``directories`` are the rows 0 to ``rows`` - 1, in order.

    Looks at the row of every document: about a microsecond each.

    Raises
    ------
    CorpusCorruptError
        They are not; the message begins with the directory.
    """
    first = 0
    for directory in directories:
        searcher = open_composed([directory])
        with damage_reported(str(directory)):
            for ordinal, documents in enumerate(segment_documents(directory)):
                start = start_of_run(searcher, ordinal, documents)
                if documents and start != first:
                    raise CorpusCorruptError(
                        f"{directory}: expected consecutive rows from {first}, found others"
                    )
                first += documents
    if first != rows:
        where = directories[-1] if directories else "keyword index"
        raise CorpusCorruptError(f"{where}: expected postings of {rows} rows, found {first}")


def check_block_max(postings: BlockMaxPostings, directories: Sequence[Path]) -> None:
    """Check block-max postings by themselves, and against tantivy's postings of the same rows.

    Every row and term is looked at. With tantivy are compared the document frequencies of up to
    32,768 terms, spread evenly, and for some of them the best rows and their scores, bit by bit:
    a score holds the number of rows, the frequencies, the row's length and the mean length.

    Raises
    ------
    CorpusCorruptError
        They contradict themselves or each other; the message begins with the directory.
    """
    where = str(postings.directory)
    rows = postings.description.rows
    _check_terms(postings)
    _check_posting_rows(postings)
    terms = len(postings.hashes)
    chosen = _spread(terms, _COUNTED_TERMS)
    counts = np.diff(postings.ends, prepend=0)[chosen].tolist()
    texts = [_text(postings, term) for term in chosen.tolist()]
    searcher = open_composed(directories)
    with damage_reported(where):
        if searcher.num_docs != rows:
            raise CorpusCorruptError(
                f"{where}: expected {searcher.num_docs} rows, as the postings, found {rows}"
            )
        frequency = document_frequencies(searcher)
        for text, count in zip(texts, counts, strict=True):
            if frequency(text) != count:
                raise CorpusCorruptError(
                    f"{where}: expected {text!r} in {frequency(text)} documents, as the postings, "
                    f"found it in {count}"
                )
        searched = [texts[place] for place in _spread(len(texts), _SEARCHED_TERMS).tolist()]
        most = np.argsort(counts, kind="stable")[::-1][: _SEARCHED_TERMS // 2]
        searched += [texts[place] for place in most.tolist()]
        _check_searches(postings, RowSearcher(searcher, rows, where), searched)


def rows_with_words(postings: BlockMaxPostings) -> NDArray[np.bool_]:
    """Return which rows hold any term."""
    found = np.zeros(postings.description.rows, np.bool_)
    for part in _parts(len(postings.rows)):
        found[postings.rows[part]] = True
    return found


def _check_terms(postings: BlockMaxPostings) -> None:
    where = str(postings.directory)
    ends, text_ends = postings.ends, postings.text_ends
    for name, found, total in (
        ("ends", ends, len(postings.rows)),
        ("text_ends", text_ends, len(postings.text)),
    ):
        steps = np.diff(found, prepend=0)
        if bool((steps < 1).any()) or (int(found[-1]) if len(found) else 0) != total:
            raise CorpusCorruptError(f"{where}: {name} do not rise to {total}")
    hashes = np.empty(len(text_ends), np.uint64)
    offsets = np.concatenate((np.zeros(1, np.int64), text_ends))
    with np.errstate(over="ignore"):
        fnv1a(offsets, np.asarray(postings.text), hashes)
    if not np.array_equal(hashes, postings.hashes):
        raise CorpusCorruptError(f"{where}: a hash is not that of its term")
    if bool((postings.hashes[1:] < postings.hashes[:-1]).any()):
        raise CorpusCorruptError(f"{where}: terms are out of order")


def _check_posting_rows(postings: BlockMaxPostings) -> None:
    """Check that rows exist, and rise within a term."""
    where, rows = str(postings.directory), postings.rows
    starts = postings.ends[:-1]
    for part in _parts(len(rows)):
        here = rows[part]
        if int(here.min()) < 0 or int(here.max()) >= postings.description.rows:
            raise CorpusCorruptError(f"{where}: a posting is of a row that does not exist")
        before = rows[max(part.start - 1, 0) : part.stop]
        falls = np.flatnonzero(before[1:] <= before[:-1]) + max(part.start - 1, 0) + 1
        places = np.minimum(np.searchsorted(starts, falls), max(len(starts) - 1, 0))
        if len(falls) and not (len(starts) and np.array_equal(starts[places], falls)):
            raise CorpusCorruptError(f"{where}: the rows of a term do not rise")


def _check_searches(
    postings: BlockMaxPostings, searcher: RowSearcher, texts: Sequence[str]
) -> None:
    from octavo.engines.keyword.block_max.search import BlockMaxSearcher  # noqa: PLC0415 - heavy

    everything = Selection.everything(searcher.rows)
    found, _ = BlockMaxSearcher([postings]).search([[text] for text in texts], _DEPTH, everything)
    for query, text in enumerate(texts):
        part = slice(found.offsets[query], found.offsets[query + 1])
        expected = searcher.top(union([QueryTerm(0, text, 1)]), _DEPTH)
        if (found.rows[part].tolist(), found.scores[part].tolist()) != expected:
            raise CorpusCorruptError(
                f"{postings.directory}: a search for {text!r} finds something else than in the "
                "postings"
            )


def _text(postings: BlockMaxPostings, term: int) -> str:
    start = int(postings.text_ends[term - 1]) if term else 0
    return bytes(postings.text[start : postings.text_ends[term]]).decode("utf-8", "replace")


def _spread(count: int, most: int) -> NDArray[np.int64]:
    """Return at most ``most`` of ``count`` places, evenly spread."""
    return np.arange(0, count, max(1, -(-count // most)), dtype=np.int64)


def _parts(length: int) -> Iterator[slice]:
    return (slice(start, min(start + _AT_ONCE, length)) for start in range(0, length, _AT_ONCE))

"""Corpora whose documents are nodes of graphs, in one segment and in several with deleted rows."""

import pyarrow as pa

from octavo import Corpus
from tests.corpus import hand_made

# Turkish, German, Greek, CJK, a space, a slash, and code points beyond the first plane.
IDS = ["İstanbul", "ılık", "Straße", "Ελλάς", "東京", "a b", "a/b", "🦊", "zebra", "Zoo"]


def table(ids, first=1, **columns):
    """Documents with scores of their own for every query: other counts, other lengths."""
    size = range(first, first + len(ids))
    return pa.table(
        {
            "id": ids,
            "title": [f"name{number}" for number in size],
            "text": [
                " ".join([*["fox"] * (number % 5), *["owl"] * (number % 3), *["x"] * (3 * number)])
                for number in size
            ],
            "source": [f"s{number % 3}" for number in size],
            "even": [str(number % 2) for number in size],
            **columns,
        }
    )


OPTIONS = {"source": "source", "metadata": ["even"], "embedding": "hash", "threads": 1}


def one_segment(path):
    return Corpus.build(table(IDS), path, **OPTIONS)


def many_segments(path):
    """The same ids, but "zebra" deleted, and "東京" and "a b" replaced; rows are not in id order."""
    Corpus.build(table([*IDS[4:], "gone"]), path, **OPTIONS)
    hand_made.append(path, table(IDS[:4], 20), **OPTIONS)
    hand_made.delete(path, ["zebra", "gone"])
    hand_made.upsert(path, table(["東京", "a b"], 30), **OPTIONS)
    return Corpus.open(path)

"""What a search must give, worked out in plain Python: no part of octavo is used.

Analysis: words between spaces, runs of Han characters as pairs. BM25 as in S21, over all rows, live
or not. The hash embedding as in ``docs/hash-embedding.md``, and the cosine of two of its vectors.
"""

import math
from collections import Counter
from typing import Any

K1, B = 1.2, 0.75
DIMENSIONS = 64
MASK = (1 << 64) - 1
Row = dict[str, Any]


def tokens(text: str) -> list[str]:
    """Return the tokens of a text."""
    found = []
    for word in text.split():
        folded = word.casefold()
        if "\u4e00" <= word[0] <= "\u9fff" and len(word) > 1:
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append(folded)
    return found


def searchable(row: Row) -> str:
    """Return title, new line and text; nothing for a document that is only a parent."""
    if row["only_parent"]:
        return ""
    return "\n".join(part for part in (row["title"], row["text"]) if part)


def admitted(row: Row, filters: dict[str, str]) -> bool:
    """Whether a row is live and matches the filters."""
    return row["live"] and all(
        row[key] is not None and str(row[key]) == value for key, value in filters.items()
    )


def keyword(rows: list[Row], text: str, filters: dict[str, str]) -> list[tuple[str, float]]:
    """Return ids and BM25 scores, best first, equal ones by row. All lengths are below 24."""
    documents = [Counter(tokens(searchable(row))) for row in rows]
    lengths = [sum(document.values()) for document in documents]
    mean = sum(lengths) / len(rows)
    found = []
    for place, row in enumerate(rows):
        score = 0.0
        for word in tokens(text):
            frequency = documents[place][word]
            if frequency:
                holders = sum(word in document for document in documents)
                idf = math.log(1 + (len(rows) - holders + 0.5) / (holders + 0.5))
                norm = K1 * (1 - B + B * lengths[place] / mean)
                score += idf * (K1 + 1) * frequency / (frequency + norm)
        if score > 0 and admitted(row, filters):
            found.append((-score, place))
    return [(rows[place]["id"], round(-score, 9)) for score, place in _sorted(found)]


def vector(rows: list[Row], text: str, filters: dict[str, str]) -> list[tuple[str, float]]:
    """Return ids and cosines of at least 0, best first, equal ones by row."""
    query = embedded(text)
    found = []
    for place, row in enumerate(rows):
        if admitted(row, filters) and not row["only_parent"]:
            cosine = sum(a * b for a, b in zip(query, embedded(searchable(row)), strict=True))
            if cosine >= 0:
                found.append((-cosine, place))
    return [(rows[place]["id"], round(-score, 9)) for score, place in _sorted(found)]


def graph(
    rows: list[Row], edges: list[tuple[str, str, str, float]], text: str, filters: dict[str, str]
) -> list[tuple[str, float]]:
    """Return ids and scores after two hops at most: what words find, times 0.85 for each hop (S24)."""
    live = {row["id"]: place for place, row in enumerate(rows) if row["live"]}
    best = dict(keyword(rows, text, {}))
    arrived = dict(best)
    for _ in range(2):
        further: dict[str, float] = {}
        for head, _, tail, _ in edges:
            if head in arrived and tail in live:
                further[tail] = max(further.get(tail, 0.0), 0.85 * arrived[head])
        for identity, score in further.items():
            best[identity] = max(best.get(identity, 0.0), score)
        arrived = further
    found = [
        (-score, live[identity])
        for identity, score in best.items()
        if admitted(rows[live[identity]], filters)
    ]
    return [(rows[place]["id"], round(-score, 9)) for score, place in _sorted(found)]


def _sorted(found: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Sort by score and then by place, scores that differ by rounding only being equal."""
    return sorted(found, key=lambda pair: (round(pair[0], 6), pair[1]))


def embedded(text: str) -> list[float]:
    """Return the hash embedding of a text."""
    sums = [0] * DIMENSIONS
    for token in tokens(text):
        weight = min(max(len(token.encode()) - 1, 1), 6)
        for slot, sign in _slots(token):
            sums[slot] += sign * weight
    length = math.sqrt(sum(map(abs, sums)))
    return [math.copysign(math.sqrt(abs(one)), one) / length if length else 0.0 for one in sums]


def _slots(token: str) -> list[tuple[int, int]]:
    state = 0xCBF29CE484222325
    for byte in token.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    first = _mixed(state)
    halves = [
        half
        for value in (first, _mixed((first + 1) & MASK))
        for half in (value & 0xFFFFFFFF, value >> 32)
    ]
    return [((half >> 1) * DIMENSIONS >> 31, -1 if half & 1 else 1) for half in halves]


def _mixed(value: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = ((value ^ (value >> 33)) * factor) & MASK
    return value ^ (value >> 33)

"""The documents of the committed indexes, the changes made to them, and the questions asked.

All words are in lower case and stand between single spaces, but for a few Han characters, so that
the plain analysis of ``oracle.py`` is enough. Nothing here may change: a new format version gets a
new index of the same content.
"""

from typing import Any

TEXTS = (
    "the red fox runs over the hill",
    "a red whale is no fox",
    "grey owl hunts at night",
    "the owl and the fox share the night",
    "größe und straße liegen im süden",
    "лиса бежит через поле ночью",
    "東京 の 塔 night view",
    "café olé in the red light",
    "",
    "fox fox fox fox and one owl",
    "the hill is green and the sea is blue",
    "blue whale in the blue sea",
)


def id_of(number: int) -> str:
    """Return an id; some are no ASCII."""
    return f"dok-{number:02d}" if number % 5 else f"dök-{number:02d}-🦊"


def document(number: int, **changes: Any) -> dict[str, Any]:
    """Return a document; which columns are empty depends on its number."""
    text = TEXTS[number % len(TEXTS)]
    found = {
        "id": id_of(number),
        "text": text + f" item{number}" if text and number % 3 else text,
        "title": None if number % 4 == 0 else f"title of {('hill', 'sea', 'night')[number % 3]}",
        "source": None if number % 6 == 0 else f"books/{number % 4}.md",
        "tier": (None, "top", "rest")[number % 3],
        "year": None if number % 7 == 0 else 1990 + number % 5,
        # Microseconds since 1970; some lie before it.
        "written": None if number % 8 == 0 else (number - 9) * 86_400_000_000 + number,
        "parent": None if number % 6 == 0 else id_of(number // 6),
    }
    return found | changes


BUILT = [document(number) for number in range(24)]
PARENTS = [document(60, parent=None), document(61, parent=id_of(60))]
"""Documents that are only parents: nothing finds them by itself."""
ADDED = [document(number) for number in range(24, 32)]
UPSERTED = [
    document(3, text="the fox is gone and an owl came", tier="top"),
    document(40, text="a new owl in the night", title=None, parent=id_of(61)),
    document(17),  # unchanged: it keeps its row
]
DELETED = ["dok-07", "dok-26", "dök-10-🦊", "nobody"]
EDGES: list[tuple[str, str, str, float]] = [
    *((id_of(number), "follows", id_of(number + 1), 1.0) for number in range(30)),
    *((id_of(number), "größer", id_of(2 * number), number / 4) for number in range(1, 31, 3)),
    (id_of(61), "holds", id_of(40), 1.0),
    (id_of(40), "is in", id_of(61), 0.0),
    (id_of(9), "cites", "nobody", 1.0),
    ("nobody", "cites", id_of(2), 1.0),
    (id_of(2), "cites", id_of(50), 1.0),
    (id_of(4), "cites", id_of(4), 1.0),
]
"""Edges, some of whose ends no document has, or none yet."""
LATE = [document(number) for number in range(50, 53)]

QUERIES: list[dict[str, Any]] = [
    {"text": "fox"},
    {"text": "red fox owl"},
    {"text": "night night owl"},
    {"text": "the blue sea", "filters": {"tier": "top"}},
    {"text": "owl", "filters": {"year": "1993"}},
    {"text": "лиса straße"},
    {"text": "東京"},
    {"text": "café"},
    {"text": "title of hill"},
    {"text": "item25 item26"},
    {"text": "nothing"},
]


def rows_as_written() -> list[dict[str, Any]]:
    """Return the rows after build, add, upsert and delete.

    ``live`` says which count, ``only_parent`` which have no words and no vector.
    """
    rows = [
        *map(_row, BUILT),
        *(_row(one) | {"only_parent": True} for one in PARENTS),
        *map(_row, ADDED),
    ]
    places = {row["id"]: place for place, row in enumerate(rows)}
    for new in map(_row, UPSERTED):
        place = places.get(new["id"])
        if place is not None and rows[place] == new:
            continue
        if place is not None:
            rows[place]["live"] = False
        rows.append(new)
    for row in rows:
        if row["id"] in DELETED:
            row["live"] = False
    return rows


def rows_later() -> list[dict[str, Any]]:
    """Return the rows after one document more is deleted, three are added, and compaction."""
    kept = [row for row in rows_as_written() if row["live"] and row["id"] != "dok-09"]
    return [*kept, *map(_row, LATE)]


def _row(one: dict[str, Any]) -> dict[str, Any]:
    return one | {"live": True, "only_parent": False}

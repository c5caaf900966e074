"""What a hit says of itself: the parts that have a metadata key, as text (S11, S23)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from octavo.columns.hits import Hits, ListPart, Part, RowPart
from octavo.strategies.sources import Documents

STREAMS_KEY = "hybrid.streams"


def hit_metadata(hits: Hits, documents: Documents) -> list[dict[str, str]]:
    """Return for each hit the metadata keys that describe how it was found.

    Where streams were fused, ``hybrid.streams`` lists those that ranked the hit, in the order of
    the parts. Numbers are written so that reading them gives the same number.
    """
    shown = {part.key: _texts(part, documents) for part in hits.parts.values() if part.key}
    return [_described(shown, position) for position in range(len(hits))]


def _described(shown: Mapping[str, list[str | None]], position: int) -> dict[str, str]:
    described = {key: text for key, texts in shown.items() if (text := texts[position]) is not None}
    streams = [
        key.removeprefix("hybrid.").removesuffix(".rank")
        for key in described
        if key.startswith("hybrid.") and key.endswith(".rank")
    ]
    return {STREAMS_KEY: ",".join(streams), **described} if streams else described


def _texts(part: Part, documents: Documents) -> list[str | None]:
    if isinstance(part, RowPart):
        present = np.flatnonzero([part.has(position) for position in range(len(part.values))])
        texts: list[str | None] = [None] * len(part.values)
        for position, identifier in zip(
            present.tolist(), documents.ids(part.values[present]), strict=True
        ):
            texts[position] = identifier
        return texts
    if isinstance(part, ListPart):
        return [
            _list_text(values) if part.has(position) else None
            for position, values in enumerate(part.values.tolist())
        ]
    return [
        _text(value) if part.has(position) else None
        for position, value in enumerate(part.values.tolist())
    ]


def _text(value: Any) -> str:  # noqa: ANN401 - a number or a text
    return value if isinstance(value, str) else repr(value)


def _list_text(values: Sequence[int]) -> str:
    """Write a list of counts as JSON does, such as ``[1, null, 3]``."""
    return json.dumps([value or None for value in values if value >= 0])

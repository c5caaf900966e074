"""A batch of edges: input columns checked and brought to one type each."""

from dataclasses import dataclass
from typing import Final, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import compute
from octavo.columns.edge_columns import RELATION_NAMES, EdgeChoice
from octavo.columns.place import Place
from octavo.columns.sources import InputBatch
from octavo.columns.text import as_ids, blank_rows
from octavo.columns.weights import as_weights
from octavo.errors import InvalidArgumentError

LINKS_TO: Final = "links to"
"""The relation of every edge of a list that names none."""


@dataclass(frozen=True, slots=True, eq=False)
class EdgeBatch:
    """Edges as validated columns of equal length.

    Parameters
    ----------
    heads, relations, tails
        large_string, never null.
    weights
        Finite; ``None`` where each is 1.
    head_place, tail_place
        Where the ends came from.
    """

    heads: pa.LargeStringArray
    relations: pa.LargeStringArray
    tails: pa.LargeStringArray
    weights: NDArray[np.float64] | None
    head_place: Place
    tail_place: Place

    def refuse_blank(self) -> NoReturn:
        """Raise the error for an end that is blank, of which there is one."""
        ends = ((self.heads, self.head_place), (self.tails, self.tail_place))
        texts, place = next((texts, place) for texts, place in ends if len(blank_rows(texts)))
        raise InvalidArgumentError(
            f"{place}: expected non-blank ids, found blank in {place.rows(blank_rows(texts))}"
        )


def edge_batch(batch: InputBatch, choice: EdgeChoice) -> EdgeBatch:
    """Check the chosen columns of an input batch and bring each to its type.

    Parameters
    ----------
    batch
        Some rows of one input.
    choice
        The columns; a chosen weight may be missing.

    Raises
    ------
    InvalidArgumentError
        A null end or relation, a relation where none was chosen, a weight that is not finite, a
        column of a wrong type, or invalid UTF-8. The message names origin, column and the first rows.
    """
    rows = batch.batch

    def place(name: str) -> Place:
        return Place(name, batch.origin, batch.first_row)

    def texts(name: str, what: str) -> pa.LargeStringArray:
        found = as_ids(rows.column(name), place(name))
        if found.null_count:
            missing = place(name).rows(compute.indices_nonzero(found.is_null()).to_numpy())
            raise InvalidArgumentError(
                f"{place(name)}: expected {what} in every row, found null in {missing}"
            )
        return found

    weights = None
    if choice.weight is not None and choice.weight in rows.schema.names:
        weights = as_weights(rows.column(choice.weight), place(choice.weight))
    if choice.relation is None:
        _refuse_relations(batch, choice)
        relations = pa.repeat(pa.scalar(LINKS_TO, pa.large_string()), rows.num_rows)
    else:
        relations = texts(choice.relation, "a relation")
    return EdgeBatch(
        heads=texts(choice.head, "an id"),
        relations=relations,
        tails=texts(choice.tail, "an id"),
        weights=weights,
        head_place=place(choice.head),
        tail_place=place(choice.tail),
    )


def _refuse_relations(batch: InputBatch, choice: EdgeChoice) -> None:
    """Refuse relations that no edge before them had."""
    rows = batch.batch
    for name in set(RELATION_NAMES).intersection(rows.schema.names) - {*choice.columns()}:
        found = compute.indices_nonzero(rows.column(name).is_valid()).to_numpy()
        if len(found):
            place = Place(name, batch.origin, batch.first_row)
            raise InvalidArgumentError(
                f"{place}: expected a relation in every row or in none, found the first in "
                f"{place.rows(found[:1])}"
            )

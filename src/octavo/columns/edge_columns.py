"""Which column of an edge list plays which part: named, or found among common names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

import pyarrow as pa

from octavo.columns.arrow_types import is_id_like, is_weight_like
from octavo.columns.naming import Fits, check_column, check_unique_names, listed
from octavo.errors import InvalidArgumentError, shown

HEAD_NAMES: Final = ("head", "source", "subject", "from")
RELATION_NAMES: Final = ("relation", "predicate", "type", "label")
TAIL_NAMES: Final = ("tail", "target", "object", "to")
WEIGHT: Final = "weight"

ID_TYPES: Final = "strings or integers"
WEIGHT_TYPES: Final = "numbers"


@dataclass(frozen=True, slots=True)
class EdgeColumns:
    """The columns of an edge list; an unset one is found by itself.

    Parameters
    ----------
    head, tail
        The ids of the documents that an edge leaves and leads to; found among
        :data:`HEAD_NAMES` and :data:`TAIL_NAMES`.
    relation
        What connects them; found among :data:`RELATION_NAMES`, else there is none.
    weight
        A finite number; found by the name ``weight``, else there is none.
    """

    head: str | None = None
    relation: str | None = None
    tail: str | None = None
    weight: str | None = None

    @classmethod
    def of(cls, columns: "EdgeColumns | Mapping[str, str] | None") -> "EdgeColumns | None":
        """Take what a caller gave: the columns, or a mapping from part to column.

        Raises
        ------
        InvalidArgumentError
            It is neither, or names a part that an edge does not have.
        """
        if columns is None or isinstance(columns, cls):
            return columns
        parts = [each.name for each in fields(cls)]
        if not isinstance(columns, Mapping) or not all(
            isinstance(name, str) for name in columns.values()
        ):
            raise InvalidArgumentError(
                f"edge_columns: expected a mapping from {listed(parts)} to the names of columns, "
                f"found {shown(columns)}"
            )
        for part in columns:
            if part not in parts:
                raise InvalidArgumentError(
                    f"edge_columns: expected one of {listed(parts)}, found {shown(part)}"
                )
        return cls(**columns)

    def named(self) -> tuple[str, ...]:
        """Return the columns that are set."""
        names = (self.head, self.relation, self.tail, self.weight)
        return tuple(name for name in names if name is not None)


@dataclass(frozen=True, slots=True)
class EdgeChoice:
    """The input column for each part of an edge; ``None`` means there is none."""

    head: str
    tail: str
    relation: str | None = None
    weight: str | None = None

    def columns(self) -> tuple[str, ...]:
        """Return the distinct input columns that are read, in a fixed order."""
        names = (self.head, self.relation, self.tail, self.weight)
        return tuple(dict.fromkeys(name for name in names if name is not None))


def choose_edge_columns(schema: pa.Schema, requested: EdgeColumns, origin: str) -> EdgeChoice:
    """Decide which column of an edge list is the head, the relation and so on.

    The first of the common names is taken where it is there, another only if no third could be
    meant as well: exactly spelled first, then without regard to case.

    Parameters
    ----------
    schema
        The schema of one input.
    requested
        What the user said.
    origin
        What messages call the input.

    Raises
    ------
    InvalidArgumentError
        A named column is missing or of a wrong type, head or tail are not found, several columns
        could be meant, or column names repeat.

    Examples
    --------
    >>> schema = pa.schema({"Source": pa.string(), "Target": pa.string(), "Weight": pa.float64()})
    >>> choose_edge_columns(schema, EdgeColumns(), "edges.csv")
    EdgeChoice(head='Source', tail='Target', relation=None, weight='Weight')
    """
    check_unique_names(schema.names, origin)
    taken = requested.named()

    def chosen(
        part: str, named: str | None, candidates: Sequence[str], fits: Fits, types: str
    ) -> str | None:
        found = named or _found(schema, f"{origin}: {part}", candidates, taken)
        check_column(schema, f"{origin}: {part}", found, fits, types)
        return found

    def end(part: str, named: str | None, candidates: Sequence[str]) -> str:
        found = chosen(part, named, candidates, is_id_like, ID_TYPES)
        if found is None:
            raise InvalidArgumentError(
                f"{origin}: {part}: no column is called {', '.join(candidates[:-1])} or "
                f"{candidates[-1]}; the columns are {listed(schema.names)}"
            )
        return found

    return EdgeChoice(
        end("head", requested.head, HEAD_NAMES),
        end("tail", requested.tail, TAIL_NAMES),
        chosen("relation", requested.relation, RELATION_NAMES, is_id_like, ID_TYPES),
        chosen("weight", requested.weight, (WEIGHT,), is_weight_like, WEIGHT_TYPES),
    )


def _found(
    schema: pa.Schema, part: str, candidates: Sequence[str], taken: Sequence[str]
) -> str | None:
    free = [name for name in schema.names if name not in taken]
    if candidates[0] in free:
        return candidates[0]
    exact = [name for name in free if name in candidates]
    found = exact or [name for name in free if name.casefold() in candidates]
    if len(found) > 1:
        raise InvalidArgumentError(
            f"{part}: expected one column, found {listed(found)}; "
            f"call the one that is meant {candidates[0]!r}, or name it: edge_columns=, --edge-column"
        )
    return found[0] if found else None

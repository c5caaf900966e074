"""Which nodes a walk may visit."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection


@dataclass(frozen=True, slots=True, eq=False)
class Fence:
    """The nodes from allowed sources, made once for many walks (S24).

    Parameters
    ----------
    nodes
        One boolean a row; ``None`` admits all.
    documents
        Where the nodes are a corpus's documents: the same of its rows, for the search for seeds.
    """

    nodes: NDArray[np.bool_] | None = None
    documents: Selection | None = None

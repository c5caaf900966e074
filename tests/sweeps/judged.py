"""Judgements in memory."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa


@dataclass
class Judgements:
    """``{query: {document: grade}}`` as the arrays that a sweep takes."""

    grades_of: dict

    @property
    def query_ids(self):
        return pa.array(list(self.grades_of), pa.string())

    @property
    def offsets(self):
        return np.cumsum([0, *map(len, self.grades_of.values())])

    @property
    def ids(self):
        return pa.array([name for of in self.grades_of.values() for name in of], pa.string())

    @property
    def grades(self):
        return np.array(
            [grade for of in self.grades_of.values() for grade in of.values()], np.int64
        )

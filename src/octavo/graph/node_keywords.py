"""Nodes ranked by the words of their names and contents (S21)."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis import Analyzer
from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.keyword import KeywordIndex, write_segment
from octavo.engines.report import SearchReport
from octavo.graph.node_table import NodeTable


class NodeKeywords:
    """A keyword index of nodes: BM25 over each node's id, a new line, and its content.

    Parameters
    ----------
    nodes
        At least one node.
    """

    def __init__(self, nodes: NodeTable) -> None:
        self._analyzer = Analyzer()
        everything = nodes.nodes(np.arange(nodes.rows))
        # Lone surrogates separate words, as they do in a query.
        texts = pa.array(
            [f"{node.id}\n{node.content}".encode("utf-8", "replace") for node in everything],
            pa.large_binary(),
        ).cast(pa.large_string())
        with TemporaryDirectory(prefix="octavo-graph-") as directory:
            write_segment(Path(directory), [self._analyzer.analyze_batch(texts)])
            # The files are mapped into memory and outlive their directory.
            self._index = KeywordIndex.open([Path(directory)], nodes.rows)

    def rank(
        self, texts: Sequence[str], limit: int, allowed: NDArray[np.bool_] | None
    ) -> tuple[Hits, SearchReport]:
        """Return the ``limit`` best allowed nodes of each query; every score is above 0."""
        selection = None if allowed is None else Selection.of(allowed)
        return self._index.search([self._analyzer.tokens(text) for text in texts], limit, selection)

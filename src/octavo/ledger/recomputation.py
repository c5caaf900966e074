"""Scores once more, from nothing but the columns and the settings of a table of results."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.ledger.formulas import formula_of
from octavo.ledger.results import open_results
from octavo.ledger.stage import stage_of
from octavo.strategies.settings import RunSettings


def recompute(results: Any, *, settings: RunSettings | None = None) -> NDArray[np.float64]:  # noqa: ANN401 - a path or a table
    """Compute each final score from the parts of its hit.

    Parameters
    ----------
    results
        What :meth:`octavo.Corpus.search_batch` or ``retrieve_batch`` returned, a parquet or JSON
        lines file of ``octavo batch``, or any Arrow table with these columns.
    settings
        How the results were asked for. Only needed where the results do not tell: a table of
        another library, or lines of JSON without the ``.ledger.json`` file beside them.

    Returns
    -------
    numpy.ndarray
        float64, one score a row, in the order of the rows: equal to column ``score`` to the last
        bit, unless a column was changed.

    Raises
    ------
    InvalidArgumentError
        A column is missing or damaged (the message names it), nothing tells the settings, or the
        scores are those of an application's own strategy.
    SourceLoadingError
        There is no such file, or it is damaged.

    Notes
    -----
    The formulas are those of the strategies: reciprocal rank fusion over the streams' ranks (S22),
    or the variants' (S25); ``seed_score * decay^hops`` (S24); ``child_score * decay^level`` (S26);
    ``child_score * multiplier`` (S27); 1.0 (S28). A child's score is recomputed from the child's
    own parts; a keyword or vector score (S20, S21) was measured by the engine and is taken as it
    is. O(hits), in bounded memory beside the result.

    Examples
    --------
    >>> from octavo import BM25Index, HybridRAGStrategy, MemoryEntry, MemoryTier, VectorMemoryStore
    >>> from octavo import HashEmbedding
    >>> words, vectors = BM25Index(), VectorMemoryStore(HashEmbedding())
    >>> for text in ("red fox", "blue whale"):
    ...     for store in (words, vectors):
    ...         store.add(MemoryEntry(text, text, MemoryTier.SEMANTIC))
    >>> table = HybridRAGStrategy(words, vectors).retrieve_batch(["a red fox"])
    >>> recompute(table).tolist() == table["score"].to_pylist()
    True
    """
    opened = open_results(results, "results", settings)
    stage = stage_of(opened.required_settings().strategy)
    formula = formula_of(stage)
    scores = [formula(stage, block) for block in opened.blocks()]
    return np.concatenate([np.zeros(0), *scores])

"""A navigator without a model: it follows the words of titles and summaries."""

import math
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from octavo.analysis import Analyzer
from octavo.spi import NodeView

_K1 = 1.2
_B = 0.75


class LexicalNavigator:
    """Choose the child whose title and summary match the query best, by BM25.

    The node and the children offered are the collection that the words are weighed in, so a word
    that all of them share decides nothing. ``None`` where the node itself matches better than any
    child, or no child has a word of the query. Deterministic: equal children are settled by the
    order in which they are offered. It serves every model name and asks no model; never a default.

    Parameters
    ----------
    analyzer
        How words are found; ``Analyzer()`` when absent.

    Notes
    -----
    k1 = 1.2, b = 0.75, idf = ln(1 + (N - df + 0.5) / (df + 0.5)), as for keyword retrieval. Its
    reach is that of shared words: it opens a wide index well and does not reason.

    Examples
    --------
    >>> children = [NodeView("a", "Installing"), NodeView("b", "Removing a package")]
    >>> LexicalNavigator().choose("removing packages", NodeView("root", "Guide"), children, "words")
    'b'
    """

    def __init__(self, analyzer: Analyzer | None = None) -> None:
        self._analyzer = analyzer or Analyzer()

    def supports(self, model: str) -> bool:  # noqa: ARG002 - the protocol's
        """Return true: no model is asked."""
        return True

    def choose(
        self,
        query: str,
        node: NodeView,
        children: Sequence[NodeView],
        model: str,  # noqa: ARG002 - the protocol's
    ) -> str | None:
        """Return the id of the best matching child, or ``None`` where the node matches better."""
        own, *scores = self._scores(query, [node, *children])
        best = max(range(len(children)), key=scores.__getitem__, default=None)
        if best is None or scores[best] <= 0.0 or scores[best] < own:
            return None
        return children[best].id

    def _scores(self, query: str, views: Sequence[NodeView]) -> list[float]:
        terms = dict.fromkeys(self._analyzer.tokens(query))
        words = self._words(views)
        texts = [Counter(token for token in text.split() if token in terms) for text in words]
        lengths = [text.count(" ") + 1 if text else 0 for text in words]
        frequency = Counter(term for text in texts for term in text)
        mean = sum(lengths) / len(views) or 1.0
        weights = {
            term: math.log(1 + (len(views) - frequency[term] + 0.5) / (frequency[term] + 0.5))
            for term in terms
        }
        return [
            sum(
                weights[term] * _saturated(text[term], length / mean)
                for term in terms
                if term in text
            )
            for text, length in zip(texts, lengths, strict=True)
        ]

    def _words(self, views: Sequence[NodeView]) -> list[str]:
        """Return the words of each title and summary; one call of the analyser for all."""
        texts = [f"{view.title or ''}\n{view.summary or ''}" for view in views]
        encodable = [text.encode("utf-8", "replace").decode() for text in texts]
        analyzed = self._analyzer.analyze_batch(pa.array(encodable, pa.large_string()))
        return [words or "" for words in analyzed.to_pylist()]


def _saturated(count: int, length: float) -> float:
    """Return what ``count`` occurrences are worth in a text ``length`` times the mean length."""
    return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length))

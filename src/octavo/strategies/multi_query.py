"""Multi-query retrieval: variants of each query, ranked by one strategy and fused (S25)."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits, ListPart, Part
from octavo.engines.report import SearchReport
from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    InvalidArgumentError,
    OctavoError,
    ProviderUnavailableError,
    checked_count,
    plain_text,
    shown,
    told,
)
from octavo.kernels.rrf import reciprocal_rank_fusion
from octavo.spi import (
    CancellationToken,
    MultiQueryMetadata,
    QueryExpander,
    QueryExpansion,
    RAGContext,
    RAGStrategy,
)
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.identity import canonical_rows
from octavo.strategies.inner import candidate_depth as depth_of
from octavo.strategies.inner import carried, checked_depth, inner_context
from octavo.strategies.queries import ClockReadings, Queries
from octavo.strategies.returned import as_columnar

Expand: TypeAlias = Callable[[str, QueryExpansion, str, int], Sequence[str]]


class MultiQueryRAGStrategy(ColumnarStrategy):
    """Ask an expander for variants of each query, and fuse what a base strategy finds for them.

    Parameters
    ----------
    base
        Any strategy; it ranks the original and each distinct variant, all of a batch in one call.
    expander
        A :class:`~octavo.QueryExpander`, or a function ``(query, mode, model, max_expansions)``.
        Called once a query.
    mode
        What kind of variants to ask for; not ``NONE``.
    model
        The exact name of the model, passed on to the expander.
    max_expansions
        The largest number of variants used beside the original, at least 1.
    cancellation
        Looked at before, between and after the calls.
    candidate_depth
        How many hits of each variant are fused, 100 by default; ``max_results`` are always taken.

    Raises
    ------
    ConfigurationError
        The mode is ``NONE``, the model blank, the limit not positive, or the expander neither an
        expander nor a function.
    ProviderUnavailableError
        The expander does not support the model.

    Notes
    -----
    The original comes first. Variants are stripped; blank ones and repeats (of the original too)
    are dropped, and then the first ``max_expansions`` are kept. ``score = (sum over variants of
    61 / (60 + rank)) / non-empty variants``. Query vectors that come with a query are not used:
    a variant needs an embedding made from its text, and so that all are ranked alike, the original
    gets one too. Parts: ``variant_ranks``, one rank a variant, the original's first, null where it
    did not find the document; ``variant_streams``, the number of non-empty variants; then the parts
    that the base gave the hit where it ranked best, the first such variant deciding.
    """

    name = "multi-query"
    RRF_K: Final = 60

    def __init__(  # noqa: PLR0917 - the names and order of the public interface
        self,
        base: RAGStrategy,
        expander: QueryExpander | Expand,
        mode: QueryExpansion,
        model: str,
        max_expansions: int,
        cancellation: CancellationToken | None = None,
        *,
        candidate_depth: int | None = None,
    ) -> None:
        self._base = as_columnar(base)
        self._mode = _checked_mode(mode)
        self._model = _checked_model(model)
        self._max_expansions = _checked_limit(max_expansions)
        self._expand = _checked_expander(expander, self._model)
        self._cancellation = cancellation or CancellationToken()
        self._depth = checked_depth(candidate_depth)

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts."""
        return {
            **super().settings(clocks),
            "formula": "multi-query",
            "rrf_k": self.RRF_K,
            "mode": str(self._mode),
            "model": self._model,
            "max_expansions": self._max_expansions,
            "candidate_depth": self._depth,
            "child": self._base.settings(clocks),
        }

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch: one call of the expander a query, one of the base, one fusion.

        Raises
        ------
        CancelledError
            The token was cancelled.
        ExecutionError
            The expander raised, or returned something that is no sequence of strings.
        """
        variants = [self._variants(query) for query in queries.texts]
        self._cancellation.raise_if_cancelled()
        # Stream by stream, so that the base's hits lie as the fusion wants them.
        width = max(map(len, variants), default=1)
        exists = np.arange(width)[:, None] < np.array([len(each) for each in variants])
        texts = tuple(
            each[stream] for stream in range(width) for each in variants if stream < len(each)
        )
        base = self._base.stream(
            Queries(texts, None, queries.clocks, self._cancellation),
            inner_context(context, depth_of(context, self._depth)),
        )
        self._cancellation.raise_if_cancelled()
        fused = self._fused(base, exists, context.max_results)
        report = SearchReport()
        report.counters["expander calls"] += len(variants)
        report.counters["variants ranked"] += len(texts)
        return Ranking(fused.at_least(context.min_score), base.documents, base.report + report)

    def _variants(self, query: str) -> list[str]:
        """Return the original and its variants, each once."""
        self._cancellation.raise_if_cancelled()
        found = self._asked(query)
        self._cancellation.raise_if_cancelled()
        kept = [query]
        seen = {query.strip(), ""}
        for variant in map(str.strip, found):
            if variant not in seen and len(kept) <= self._max_expansions:
                seen.add(variant)
                kept.append(variant)
        return kept

    def _asked(self, query: str) -> tuple[str, ...]:
        try:
            found = self._expand(query, self._mode, self._model, self._max_expansions)
            whole = found is None or plain_text(found) is not None
            texts = () if whole else tuple(map(plain_text, found))
        except OctavoError:
            raise
        except Exception as error:
            raise ExecutionError(f"query expander: raised {told(error)}") from error
        if whole or None in texts:
            raise ExecutionError(
                f"query expander: expected a sequence of strings, found {shown(found):.200}"
            )
        return tuple(text for text in texts if text is not None)

    def _fused(self, base: Ranking, exists: NDArray[np.bool_], limit: int) -> Hits:
        """Fuse the base's hits, stream ``s`` of query ``q`` being where ``exists[s, q]``."""
        streams, queries = exists.shape
        lengths = np.zeros((streams, queries), np.int64)
        lengths[exists] = base.hits.counts()
        offsets = np.zeros((streams, queries + 1), np.int64)
        offsets[:, 1:] = np.cumsum(lengths).reshape(streams, queries)
        offsets[1:, 0] = offsets[:-1, -1]
        asked = np.broadcast_to(np.arange(queries), exists.shape)[exists]
        kept, rows, scores, ranks = reciprocal_rank_fusion(
            offsets,
            canonical_rows(base.hits.rows, base.documents, asked[base.hits.query_of()]),
            k=self.RRF_K,
            limit=min(limit, max(1, len(base.hits))),
        )
        hits = Hits(kept, rows, scores)
        query_of = hits.query_of()
        listed = np.where(exists[:, query_of], ranks, -1).astype(np.int32)
        voting = np.count_nonzero(lengths, axis=0).astype(np.int32)
        parts: dict[str, Part] = {
            "variant_ranks": ListPart(np.ascontiguousarray(listed.T), key=MultiQueryMetadata.RANKS),
            "variant_streams": Part(voting[query_of], key=MultiQueryMetadata.STREAMS),
        }
        best = np.where(ranks > 0, ranks, np.iinfo(np.int32).max).argmin(axis=0)
        own = np.arange(len(rows))
        shown = offsets[best, query_of] + ranks[best, own] - 1
        inner = {name: part.take(shown) for name, part in base.hits.parts.items()}
        return Hits(kept, rows, scores, carried(inner, self._base.name, parts))


def _checked_mode(mode: object) -> QueryExpansion:
    known = [str(each) for each in QueryExpansion if each is not QueryExpansion.NONE]
    name = plain_text(mode)
    if name not in known:
        raise ConfigurationError(f"mode: expected one of {', '.join(known)}, found {shown(mode)}")
    return QueryExpansion(name)


def _checked_model(model: object) -> str:
    if not isinstance(model, str) or not model.strip():
        raise ConfigurationError(f"model: expected the name of a model, found {shown(model)}")
    return model


def _checked_limit(limit: object) -> int:
    try:
        return checked_count("max_expansions", limit)
    except InvalidArgumentError as error:
        raise ConfigurationError(str(error)) from error


def _checked_expander(expander: object, model: str) -> Expand:
    """Return the function to call; a plain function serves every model."""
    if not isinstance(expander, QueryExpander):
        if callable(expander):
            return expander
        raise ConfigurationError(
            "expander: expected an object with supports and expand, or a function, found "
            f"{type(expander).__name__}"
        )
    try:
        supported = bool(expander.supports(model))
    except OctavoError:
        raise
    except Exception as error:
        raise ExecutionError(f"query expander: supports raised {told(error)}") from error
    if not supported:
        raise ProviderUnavailableError(f"query expander: does not support the model {model!r}")
    return expander.expand

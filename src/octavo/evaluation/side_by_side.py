"""The hits of several systems for a query, document by document."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from octavo.columns.arrow_types import compute
from octavo.columns.sources import Input
from octavo.columns.streams import in_stream, stream_names
from octavo.corpus.searchable import SearchableCorpus
from octavo.evaluation.groups import strings
from octavo.evaluation.hit_parts import Parts, hit_parts
from octavo.evaluation.hit_texts import HitText, hit_texts
from octavo.evaluation.qrels import Qrels
from octavo.evaluation.report import EvaluationReport, SystemResult
from octavo.reporting.html.drawing import fitted

DEPTH: Final = 10
"""Hits of each system that are shown, and relevant documents beyond them."""

_OF_QUERY: Final = {"voting_streams", "voting_weight", "variant_streams"}
_LONGEST_PART: Final = 40


@dataclass(frozen=True, slots=True, eq=False)
class PageSources:
    """What is known of hits beside their ranks.

    Parameters
    ----------
    results
        By a system's name the results that its run was read from, for the parts of scores.
    queries
        Columns ``id`` and ``text``, from :func:`~octavo.evaluation.read_queries`.
    corpus
        The index that holds the documents.
    """

    results: Mapping[str, Input] = field(default_factory=dict)
    queries: pa.Table | None = None
    corpus: SearchableCorpus | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """Where one system ranks a document, from 1, and the parts of the score as text by name."""

    rank: int
    score: float
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """A document, its grade where somebody judged it, and its hit in each system."""

    id: str
    grade: int | None
    text: HitText | None
    hits: tuple[Hit | None, ...]


@dataclass(frozen=True, slots=True)
class ComparedQuery:
    """A query and the documents that any of the systems ranks high, or should."""

    number: int
    id: str
    text: str | None
    documents: tuple[ComparedDocument, ...]


def compared_queries(
    report: EvaluationReport, numbers: Sequence[int], sources: PageSources
) -> Iterator[ComparedQuery]:
    """Yield judged queries by their numbers, with the first ten hits of each system.

    Documents come by the best of their ranks. Relevant ones that no system has among its first ten
    follow, at most ten, the highest grades first.
    """
    ids = report.query_ids
    wanted = [ids[number] for number in numbers]
    texts = _texts(sources.queries, wanted)
    parts: list[Parts] = [
        hit_parts(sources.results[system.name], wanted) if system.name in sources.results else {}
        for system in report.systems
    ]
    places = [_places(system) for system in report.systems]
    for number, query in zip(numbers, wanted, strict=True):
        hits = [
            _hits(system, place.get(query), of_system, query)
            for system, place, of_system in zip(report.systems, places, parts, strict=True)
        ]
        grades = _grades(report.qrels, number)
        shown = _shown(hits, grades)
        text = texts.get(query)
        found = {} if sources.corpus is None else hit_texts(sources.corpus, text or "", shown)
        documents = tuple(
            ComparedDocument(
                id=each,
                grade=grades.get(each),
                text=found.get(each),
                hits=tuple(of_system.get(each) for of_system in hits),
            )
            for each in shown
        )
        yield ComparedQuery(number, query, text, documents)


def _texts(queries: pa.Table | None, wanted: Sequence[str]) -> dict[str, str]:
    if queries is None:
        return {}
    ids = queries["id"].cast(pa.large_string())
    kept = queries.filter(compute.is_in(ids, pa.array(wanted, pa.large_string())))
    texts = zip(kept["id"].to_pylist(), kept["text"].to_pylist(), strict=True)
    return {str(query): text for query, text in texts if text is not None}


def _places(system: SystemResult) -> dict[str, int]:
    return {query: place for place, query in enumerate(strings(system.run.query_ids))}


def _grades(qrels: Qrels, number: int) -> dict[str, int]:
    own = slice(int(qrels.offsets[number]), int(qrels.offsets[number + 1]))
    return dict(zip(strings(qrels.ids[own]), qrels.grades[own].tolist(), strict=True))


def _hits(system: SystemResult, place: int | None, parts: Parts, query: str) -> dict[str, Hit]:
    if place is None:
        return {}
    run = system.run
    own = slice(int(run.offsets[place]), int(run.offsets[place + 1]))
    pairs = zip(strings(run.ids[own]), run.scores[own].tolist(), strict=True)
    return {
        document: Hit(rank, score, _part_texts(parts.get((query, document), {})))
        for rank, (document, score) in enumerate(pairs, start=1)
    }


def _part_texts(parts: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    names = stream_names(name for name in parts if name not in _OF_QUERY)
    texts = ((name, in_stream(parts, name) or "") for name in names)
    return tuple((name, fitted(text, _LONGEST_PART)) for name, text in texts)


def _shown(hits: Sequence[Mapping[str, Hit]], grades: Mapping[str, int]) -> list[str]:
    best: dict[str, int] = {}
    for of_system in hits:
        for document, hit in of_system.items():
            if hit.rank <= DEPTH:
                best[document] = min(hit.rank, best.get(document, hit.rank))
    missed = [each for each, grade in grades.items() if grade > 0 and each not in best]
    missed.sort(key=lambda each: -grades[each])
    return [*sorted(best, key=best.__getitem__), *missed[:DEPTH]]

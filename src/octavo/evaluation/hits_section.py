"""The part of a page that shows the systems' hits beside each other."""

from collections.abc import Sequence
from typing import Final

from octavo.analysis.snippet import Piece
from octavo.evaluation.report import EvaluationReport
from octavo.evaluation.side_by_side import (
    DEPTH,
    ComparedDocument,
    ComparedQuery,
    Hit,
    PageSources,
    compared_queries,
)
from octavo.reporting.html.drawing import fitted, fitted_apart
from octavo.reporting.html.element import Element, Node, element, render
from octavo.reporting.html.page import section
from octavo.reporting.html.table import Cell, Column, table_element

LARGEST: Final = 8_000_000
"""Bytes of markup; queries beyond are left out, so that a browser opens the page at once."""
_LONGEST_ID: Final = 120
_LONGEST_QUERY: Final = 300


def hits_section(
    report: EvaluationReport, numbers: Sequence[int], sources: PageSources
) -> tuple[Element | None, set[int]]:
    """Return the section, ``None`` without a query, and the numbers of the queries in it.

    Parameters
    ----------
    report
        What was found.
    numbers
        Judged queries, in the order to show them in.
    sources
        Texts and parts.
    """
    blocks: list[Element] = []
    shown: set[int] = set()
    size = 0
    for query in compared_queries(report, numbers, sources):
        block = _block(report, query)
        size += len(render(block).encode())
        if size > LARGEST:
            break
        blocks.append(block)
        shown.add(query.number)
    if not blocks:
        return None, shown
    several = len(report.systems) > 1
    order = (
        f"those first on which {report.metrics[0]} differs most" if several else "the worst first"
    )
    explained = (
        f"{len(blocks):,} of {len(report.qrels):,} judged queries, {order}. A table has the first {DEPTH} hits of each system with "
        f"rank, score and the parts of the score, and relevant documents that none of them has there."
    )
    found = section(
        "hits",
        "Hit by hit",
        element("p", explained, class_="hint"),
        _tools(with_parts=any(_has_parts(block) for block in blocks)),
        *blocks,
    )
    return found, shown


def _tools(*, with_parts: bool) -> Element:
    field = element("input", id="filter", type="search", autocomplete="off", spellcheck="false")
    label = element("label", "Find queries", field)
    button = element("button", "Parts of scores", id="parts", type="button", aria_pressed="true")
    shown = element("span", id="filtered", class_="hint")
    # Only a script makes them work, so only a script shows them.
    return element(
        "div", label, *([button] if with_parts else []), shown, class_="tools", hidden=True
    )


def _has_parts(node: Node) -> bool:
    if isinstance(node, str):
        return False
    return ("class", "parts") in node.attributes or any(_has_parts(each) for each in node.children)


def _block(report: EvaluationReport, query: ComparedQuery) -> Element:
    identifier = fitted(query.id, _LONGEST_ID)
    names = fitted_apart([system.name for system in report.systems], 24)
    values = [
        node
        for name, system in zip(names, report.systems, strict=True)
        for node in (
            " · ",
            element("bdi", name),
            " ",
            element("b", f"{system.values[0, query.number]:.3f}"),
        )
    ]
    asked: list[Node] = [element("b", element("bdi", identifier))]
    if query.text:
        asked += ["  ", element("bdi", fitted(" ".join(query.text.split()), _LONGEST_QUERY))]
    return element(
        "details",
        element(
            "summary",
            element("span", *asked, class_="question"),
            element("span", *values[1:], class_="figures-of-query"),
        ),
        _table(report, query, identifier),
        class_="query",
    )


def _table(report: EvaluationReport, query: ComparedQuery, identifier: str) -> Element:
    columns = [
        Column("document"),
        Column("relevance"),
        *map(Column, fitted_apart([system.name for system in report.systems], 40)),
    ]
    rows = [
        [
            Cell(tuple(_document(document)), document.id[:_LONGEST_ID], "document"),
            _relevance(document.grade),
            *(_hit(hit) for hit in document.hits),
        ]
        for document in query.documents
    ]
    marked = [
        "relevant" if document.grade is not None and document.grade > 0 else None
        for document in query.documents
    ]
    return table_element(
        f"Hits for query {identifier}",
        columns,
        rows,
        identifier=f"query-{query.number}",  # a link to it opens the block around it
        row_classes=marked,
        kind="hits",
    )


def _document(document: ComparedDocument) -> list[Node]:
    shown: list[Node] = [
        element("bdi", fitted(document.id, _LONGEST_ID), class_="identifier", dir="auto")
    ]
    if document.text is None:
        return shown
    if document.text.title:
        shown += ["  ", element("span", *_marked(document.text.title), dir="auto")]
    if document.text.snippet:
        shown.append(element("span", *_marked(document.text.snippet), class_="snippet", dir="auto"))
    return shown


def _marked(pieces: Sequence[Piece]) -> list[Node]:
    return [element("mark", piece.text) if piece.found else piece.text for piece in pieces]


def _relevance(grade: int | None) -> Cell:
    if grade is None:
        return Cell((element("span", "not judged", class_="grade"),), "")
    text = f"relevant, {grade}" if grade > 0 else f"not relevant, {grade}"
    return Cell((element("span", text, class_="grade"),), grade)


def _hit(hit: Hit | None) -> Cell:
    if hit is None:
        return Cell((element("span", "not found", class_="absent"),), "")
    parts = [
        element("span", f"{name} {text}", class_="parts", dir="auto") for name, text in hit.parts
    ]
    score = element("small", f" {hit.score:.4g}")
    return Cell((element("b", str(hit.rank)), score, *parts), hit.rank)

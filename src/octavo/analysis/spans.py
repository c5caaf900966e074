"""Where the words of a text stand and which tokens each gives, for highlighting."""

import unicodedata
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from octavo.analysis.analyzer import Analyzer
from octavo.analysis.tables import CodePointTables, code_point_tables
from octavo.kernels.tokenize import BIGRAM, DIGIT, IGNORED, JOINER, LETTER, MARK, UPPER

Span = tuple[int, int, frozenset[str]]

_LONGEST_COMPOSITION = 32


@dataclass(frozen=True, slots=True)
class _Piece:
    """A normalised character and the characters of the original that it came from."""

    character: str
    kind: int
    begin: int
    end: int


def token_spans(analyzer: Analyzer, text: str) -> list[Span]:
    """Return the words of a text with the tokens that the analyser gives for each.

    A span is ``(begin, end, tokens)`` in characters of ``text``, in order of ``begin``. Each word
    of a compound has a span of its own, whose tokens include those of the whole compound; a script
    written without spaces has one span for each pair of characters, so these overlap. Spans whose
    tokens are all stop words are left out.

    Examples
    --------
    >>> spans = token_spans(Analyzer(), "See os.path!")
    >>> [("See os.path!"[begin:end], sorted(tokens)) for begin, end, tokens in spans]
    [('See', ['see']), ('os', ['os', 'os.path']), ('path', ['os.path', 'path'])]
    """
    pieces = _pieces(text.encode("utf-8", "replace").decode("utf-8"))
    groups = _groups(pieces)
    # Whatever spans more than one group is a compound: analyse it whole and word by word.
    texts = ["".join(piece.character for piece in pieces[b:e]) for b, e, _, _ in groups]
    wholes = {
        (first, last): "".join(piece.character for piece in pieces[first:last])
        for _, _, first, last in groups
    }
    analyzed = analyzer.analyze_batch(pa.array([*texts, *wholes.values()], pa.large_string()))
    tokens = [frozenset(str(joined).split()) for joined in analyzed.to_pylist()]
    compounds = dict(zip(wholes, tokens[len(texts) :], strict=True))
    members: dict[tuple[int, int], set[str]] = {whole: set() for whole in wholes}
    for (_, _, first, last), own in zip(groups, tokens, strict=False):
        members[first, last] |= own
    spans = []
    for (begin, end, first, last), own in zip(groups, tokens, strict=False):
        found = own | (compounds[first, last] - members[first, last])
        if found:
            spans.append((pieces[begin].begin, pieces[end - 1].end, frozenset(found)))
    return spans


def _pieces(text: str) -> list[_Piece]:
    """Normalise cluster by cluster, so that every character knows where it came from."""
    bounds = _cluster_bounds(text)
    clusters = [text[begin:end] for begin, end in pairwise(bounds)]
    normal = pc.utf8_normalize(pa.array(clusters, pa.large_string()), form="NFKC")  # type: ignore[attr-defined]
    tables = code_point_tables()
    return [
        _Piece(character, _kind(tables, character), begin, end)
        for begin, end, cluster in zip(bounds, bounds[1:], normal.to_pylist(), strict=False)
        for character in cluster
    ]


def _cluster_bounds(text: str) -> list[int]:
    """Cut where normalising both sides apart gives the same as normalising them together."""
    bounds = [0]
    for at in range(1, len(text)):
        character = text[at]
        if character.isascii():
            bounds.append(at)
            continue
        leading = unicodedata.normalize("NFKC", character)[:1]
        if unicodedata.combining(character) or unicodedata.combining(leading):
            continue
        cluster = text[bounds[-1] : at][-_LONGEST_COMPOSITION:]
        apart = unicodedata.normalize("NFKC", cluster) + unicodedata.normalize("NFKC", character)
        if unicodedata.normalize("NFKC", cluster + character) == apart:
            bounds.append(at)
    return [*bounds, len(text)] if text else [0]


def _kind(tables: CodePointTables, character: str) -> int:
    return int(tables.classes[ord(character)])


def _groups(pieces: list[_Piece]) -> list[tuple[int, int, int, int]]:
    """Return begin and end of every word or pair, and of the compound or run it belongs to."""
    groups: list[tuple[int, int, int, int]] = []
    at = 0
    while at < len(pieces):
        kind = pieces[at].kind
        if kind in (LETTER, UPPER, DIGIT):
            words = _compound(pieces, at)
            groups += [(begin, end, words[0][0], words[-1][1]) for begin, end in words]
            at = words[-1][1]
        elif kind == BIGRAM:
            units = _units(pieces, at)
            pairs = list(pairwise(units)) or [(units[0], units[0])]
            groups += [(a[0], b[1], a[0], b[1]) for a, b in pairs]
            at = units[-1][1]
        else:
            at += 1
    return groups


def _compound(pieces: list[_Piece], begin: int) -> list[tuple[int, int]]:
    words = []
    at = begin
    while True:
        end = _skip(pieces, at, (LETTER, UPPER, DIGIT, MARK, IGNORED))
        words.append((at, end))
        at = _skip(pieces, end, (JOINER, IGNORED))
        joiners = [piece.character for piece in pieces[end:at] if piece.kind == JOINER]
        leads_on = at < len(pieces) and pieces[at].kind in (LETTER, UPPER, DIGIT)
        if not joiners or joiners.count(".") > 1 or not leads_on:
            return words


def _units(pieces: list[_Piece], begin: int) -> list[tuple[int, int]]:
    units = []
    at = begin
    while at < len(pieces) and pieces[at].kind == BIGRAM:
        end = _skip(pieces, at + 1, (MARK, IGNORED))
        units.append((at, end))
        at = end
    return units


def _skip(pieces: list[_Piece], at: int, kinds: tuple[int, ...]) -> int:
    while at < len(pieces) and pieces[at].kind in kinds:
        at += 1
    return at

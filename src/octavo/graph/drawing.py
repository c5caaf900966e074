"""The neighbourhood of a query as a drawing: what paths lead through, in DOT or Mermaid (S24).

Both give text. Ids in it are ``n0``, ``n1``, ...; names and relations stand only where the language
takes any text, escaped so that none of them is read as anything else.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from octavo.graph.graph_path import GraphPath
from octavo.visible import printable

_MOST_CHARACTERS = 200


# What Mermaid reads even where it is written in codes: line breaks, icons, codes in its own form.
# A word joiner, which is invisible, keeps their two parts from each other.
_READ_LATER = re.compile(
    "(?<=\\\\)(?=n)|(?<=:)(?=fa-)|(?<=\ufb02)(?=\xb0)|(?<=\xb6)(?=\xdf)|(?<=\\$)(?=\\$)"
)


@dataclass(slots=True)
class _Shape:
    """A node, or a document for which nodes stand."""

    lines: tuple[str, ...]
    best: tuple[float, int]
    """Score and, negated, hops: of the best path that leads here or through."""
    is_seed: bool = False
    is_document: bool = False


@dataclass(slots=True)
class _Picture:
    shapes: dict[tuple[str, str], _Shape] = field(default_factory=dict)
    """By kind and id, in the order in which paths come to them."""
    arrows: dict[tuple[int, int, str | None], None] = field(default_factory=dict)
    """From shape to shape, with the relation; ``None`` from a node to a document."""


def dot(paths: Iterable[GraphPath | None]) -> str:
    r"""Return the union of paths as a graph in DOT, the language of Graphviz.

    Parameters
    ----------
    paths
        What ``strategy.paths(query)`` returned; ``None`` is passed over.

    Returns
    -------
    str
        Seeds are filled; a document for which a node stands has the shape of a note. Below a name
        stand the score and the hops of the best of these paths there.

    Examples
    --------
    >>> path = GraphPath(("a", "b"), ('"A"', "b"), ("calls",), 2.0, 0.5, "b")
    >>> print(dot([path]))
    digraph paths {
      rankdir=LR;
      node [shape=box, style=rounded, fontname="sans-serif"];
      edge [fontname="sans-serif", fontsize=10];
      n0 [label="\"A\"\nscore 2.0000, seed", style="rounded,filled", fillcolor="#ffe0a3"];
      n1 [label="b\nscore 1.0000, 1 hop"];
      n0 -> n1 [label="calls"];
    }
    <BLANKLINE>
    """
    picture = _picture(paths)
    lines = [
        "digraph paths {",
        "  rankdir=LR;",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
    ]
    for number, shape in enumerate(picture.shapes.values()):
        look = ""
        if shape.is_seed:
            look = ', style="rounded,filled", fillcolor="#ffe0a3"'
        elif shape.is_document:
            look = ", shape=note, style=solid"
        label = "\\n".join(map(_in_dot, shape.lines))
        lines.append(f'  n{number} [label="{label}"{look}];')
    for start, end, relation in picture.arrows:
        look = "style=dashed" if relation is None else f'label="{_in_dot(relation)}"'
        lines.append(f"  n{start} -> n{end} [{look}];")
    return "\n".join([*lines, "}", ""])


def mermaid(paths: Iterable[GraphPath | None]) -> str:
    """Return the union of paths as a flowchart in Mermaid, which many Markdown viewers draw.

    Parameters
    ----------
    paths
        What ``strategy.paths(query)`` returned; ``None`` is passed over.

    Returns
    -------
    str
        As of :func:`dot`, but that all of a text which is neither letter, digit nor space is
        written as a character code.

    Examples
    --------
    >>> path = GraphPath(("a", "b"), ('"A"', "b"), ("calls",), 2.0, 0.5, "b")
    >>> print(mermaid([path]))
    flowchart LR
      n0["#34;A#34;<br/>score 2#46;0000#44; seed"]
      n1["b<br/>score 1#46;0000#44; 1 hop"]
      n0 -->|"calls"| n1
      classDef seed fill:#ffe0a3,stroke:#996600,color:#000000
      class n0 seed
    <BLANKLINE>
    """
    picture = _picture(paths)
    lines, seeds = ["flowchart LR"], []
    for number, shape in enumerate(picture.shapes.values()):
        opening, closing = ("([", "])") if shape.is_document else ("[", "]")
        label = "<br/>".join(map(_in_mermaid, shape.lines))
        lines.append(f'  n{number}{opening}"{label}"{closing}')
        if shape.is_seed:
            seeds.append(f"n{number}")
    for start, end, relation in picture.arrows:
        arrow = "-.->" if relation is None else "-->"
        label = f'|"{_in_mermaid(relation)}"|' if relation and relation.strip() else ""
        lines.append(f"  n{start} {arrow}{label} n{end}")
    if seeds:
        lines.append("  classDef seed fill:#ffe0a3,stroke:#996600,color:#000000")
        lines.append(f"  class {','.join(seeds)} seed")
    return "\n".join([*lines, ""])


def _picture(paths: Iterable[GraphPath | None]) -> _Picture:
    """Return the union of paths; each node and each relation between two of them once."""
    picture = _Picture()
    numbers: dict[tuple[str, str], int] = {}

    def number(kind: str, id_: str, name: str, best: tuple[float, int]) -> int:
        key = (kind, id_)
        shape = picture.shapes.setdefault(key, _Shape((name,) if name.strip() else (), best))
        shape.best = max(shape.best, best)
        return numbers.setdefault(key, len(numbers))

    for path in filter(None, paths):
        steps = []
        scores = path.scores()
        for hops, (node, name) in enumerate(zip(path.nodes, path.names, strict=True)):
            steps.append(number("node", node, name, (scores[hops], -hops)))
        picture.shapes["node", path.nodes[0]].is_seed = True
        for start, end, relation in zip(steps, steps[1:], path.relations, strict=False):
            picture.arrows[start, end, relation] = None
        if path.document != path.nodes[-1]:
            end = number("document", path.document, path.document, (path.score, -path.hops))
            picture.shapes["document", path.document].is_document = True
            picture.arrows[steps[-1], end, None] = None
    for shape in picture.shapes.values():
        score, hops = shape.best[0], -shape.best[1]
        way = f"{hops} hops" if hops > 1 else "1 hop" if hops else "seed"
        shape.lines += (f"score {score:.4f}, {way}",)
    return picture


def _in_dot(text: str) -> str:
    """Escape for a quoted string: backslashes start escapes there, and entities are read."""
    plain = _plain(text).replace("&", "&amp;")
    return plain.replace("\\", "\\\\").replace('"', '\\"')


def _in_mermaid(text: str) -> str:
    """Write what is neither letter, digit nor space as a character code."""
    plain = _READ_LATER.sub("\u2060", _plain(text))
    return "".join(one if one.isalnum() or one == " " else f"#{ord(one)};" for one in plain)


def _plain(text: str) -> str:
    """Return text on one short line, without what controls a terminal, a direction or an encoding.

    Graphviz reads no text that is longer than some 16,000 bytes.
    """
    line = " ".join(text.split())
    if len(line) > _MOST_CHARACTERS:
        line = f"{line[: _MOST_CHARACTERS - 1].rstrip()}…"
    return printable(line)

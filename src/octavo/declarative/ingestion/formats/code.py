"""Source code: classes and functions of Python; of other languages, blocks at the left margin."""

import ast
import re
import warnings

from octavo.declarative.ingestion.decoding import decoded
from octavo.declarative.ingestion.detection import ending
from octavo.declarative.ingestion.identifiers import SiblingNames
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline, Section

_GAP = re.compile(r"\n(?:[ \t]*\n){3,}")
_DEFINITION = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def read_code(resource: Resource, limits: IngestionLimits) -> Outline:
    """Return the definitions of a Python file, or any other file as one section.

    Python that this version cannot parse is read as any other language.
    """
    text = decoded(resource.whole(limits.file_bytes), resource.charset)
    tree = _parsed(text) if ending(resource.path) in {"py", "pyi"} else None
    if tree is None:
        root = Section(None, "", text, 1, (0, len(text)))
    else:
        root = _Source(text).section(tree)
    return Outline(root, {}, text, keeps_indentation=True)


def _parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


class _Source:
    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._length = len(text)

    def section(self, module: ast.Module) -> Section:
        """Return the module; its own text is what belongs to no definition."""
        root = self._below(module.body, Section(None, "", ""), 0, len(self._lines))
        docstring = ast.get_docstring(module)
        root.title = docstring.strip().split("\n")[0] if docstring else None
        return root

    def _below(self, body: list[ast.stmt], section: Section, start: int, end: int) -> Section:
        """Fill a section that covers the lines from ``start`` to ``end``."""
        names = SiblingNames()
        own: list[str] = []
        next_line = start
        for node in body:
            if isinstance(node, _DEFINITION):
                first = self._first_line(node, next_line)
                last = node.end_lineno or first + 1
                own += self._lines[next_line:first]
                child = Section(node.name, names.distinct(node.name), "")
                inner = node.body if isinstance(node, ast.ClassDef) else []
                section.children.append(self._below(inner, child, first, last))
                next_line = max(next_line, last)
        own += self._lines[next_line:end]
        section.text = _GAP.sub("\n\n\n", "\n".join(own)).strip("\n")
        section.line = start + 1
        section.loose = bool(section.children)
        section.span = (self._starts[start], min(self._starts[end], self._length))
        return section

    def _first_line(
        self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, after: int
    ) -> int:
        """Return the line of the definition, from 0, with its decorators and the comment above it."""
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
        while first > after and self._lines[first - 1].lstrip().startswith("#"):
            first -= 1
        return max(first, after)

"""The documentation strings of a Python standard library, as documents with a hierarchy.

Sources are parsed with :mod:`ast`; nothing is imported and nothing runs.
"""

import ast
import inspect
import os
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from octavo.errors import SourceLoadingError

# Tests and applications that come with Python: not what its users ask about.
EXCLUDED_DIRECTORIES = frozenset(
    {"__pycache__", "dist-packages", "idlelib", "lib2to3", "site-packages", "test", "tests"}
)

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class DocstringKind(StrEnum):
    """What a documentation string belongs to."""

    PACKAGE = "package"
    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Docstring:
    """One documented package, module, class or function.

    Parameters
    ----------
    id
        Dotted qualified name, unique in a library, such as ``json.JSONEncoder.default``.
    kind
        What it is; methods are functions.
    module
        Dotted name of the module that holds it.
    parent
        Id of the nearest documented enclosing class, function, module or package, if any.
    text
        The documentation string, indentation removed.
    """

    id: str
    kind: DocstringKind
    module: str
    parent: str | None
    text: str


@dataclass(slots=True)
class Library:
    """The documentation strings under one directory; iterate over it to read them.

    Order is by module name, then by place in the source. Of two definitions with one qualified
    name (a property's getter and setter, a definition for each platform) the first documented one
    counts.

    Parameters
    ----------
    root
        Directory of a standard library; by default that of the running Python.
    skipped
        Files that could not be read or parsed, filled while iterating.
    repeated
        Number of documented definitions left out because their name was taken.

    Raises
    ------
    octavo.errors.SourceLoadingError
        While iterating: ``root`` is no directory with Python sources.
    """

    root: Path = field(default_factory=lambda: Path(sysconfig.get_path("stdlib")))
    skipped: list[Path] = field(default_factory=list)
    repeated: int = 0

    def __iter__(self) -> Iterator[Docstring]:
        self.skipped = []
        self.repeated = 0
        modules = _module_files(self.root)
        if not modules:
            raise SourceLoadingError(f"{self.root}: expected a directory with Python sources")
        known: set[str] = set()
        for name, path in modules:
            for docstring in self._module(name, path, known):
                if docstring.id in known:
                    self.repeated += 1
                else:
                    known.add(docstring.id)
                    yield docstring

    def _module(self, name: str, path: Path, known: set[str]) -> Iterator[Docstring]:
        try:
            tree = _parse(path)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            self.skipped.append(path)
            return
        kind = DocstringKind.PACKAGE if path.name == "__init__.py" else DocstringKind.MODULE
        parent = _nearest(name.rpartition(".")[0], known)
        text = _clean(tree)
        if text:
            yield Docstring(name, kind, name, parent, text)
            parent = name
        yield from _definitions(tree, name, name, parent)


def _module_files(root: Path) -> list[tuple[str, Path]]:
    modules: list[tuple[tuple[str, ...], Path]] = []
    for directory, subdirectories, files in os.walk(root):
        subdirectories[:] = [
            name
            for name in subdirectories
            if name.isidentifier() and name not in EXCLUDED_DIRECTORIES
        ]
        package = Path(directory).relative_to(root).parts
        for file in files:
            stem = file.removesuffix(".py")
            if stem != file and stem.isidentifier():
                parts = package if stem == "__init__" else (*package, stem)
                if parts:
                    modules.append((parts, Path(directory, file)))
    # A package sorts before a module of the same name, as in Python's import system.
    modules.sort(key=lambda module: (module[0], module[1].name != "__init__.py"))
    return [(".".join(parts), path) for parts, path in modules]


def _parse(path: Path) -> ast.Module:
    source = path.read_bytes()
    with warnings.catch_warnings():
        # Old sources hold invalid escape sequences; that is not the reader's concern.
        warnings.simplefilter("ignore")
        return ast.parse(source, filename=str(path))


def _definitions(
    tree: ast.AST, module: str, prefix: str, parent: str | None
) -> Iterator[Docstring]:
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, Definition):
            # Definitions hide in the branches of if, try, with and match statements too.
            if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
                yield from _definitions(node, module, prefix, parent)
            continue
        name = f"{prefix}.{node.name}"
        text = _clean(node)
        if text:
            is_class = isinstance(node, ast.ClassDef)
            kind = DocstringKind.CLASS if is_class else DocstringKind.FUNCTION
            yield Docstring(name, kind, module, parent, text)
        yield from _definitions(node, module, name, name if text else parent)


def _clean(node: ast.Module | Definition) -> str:
    text = inspect.cleandoc(ast.get_docstring(node, clean=False) or "").strip()
    # A docstring about Unicode may hold a lone surrogate, which no UTF-8 file can.
    return text.encode("utf-8", "replace").decode("utf-8")


def _nearest(package: str, known: set[str]) -> str | None:
    while package and package not in known:
        package = package.rpartition(".")[0]
    return package or None

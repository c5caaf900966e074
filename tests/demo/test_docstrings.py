"""Documentation strings as documents."""

import ast
import warnings
from pathlib import Path

import pytest

from octavo.demo.docstrings import DocstringKind, Library
from octavo.errors import SourceLoadingError

SOURCES = {
    "shapes/__init__.py": '"""Shapes."""\n',
    "shapes/round.py": '''
"""Round shapes."""

class Circle:
    """A circle."""

    @property
    def area(self):
        """Area in square units."""

    @area.setter
    def area(self, value):
        """Change the area."""

    def undocumented(self):
        def inner():
            """Inside an undocumented function."""

class Oval:
    def flatten(self):
        """
        Make flat.

            Keep deeper indentation.
        """
''',
    "shapes/plain/__init__.py": "",
    "shapes/plain/square.py": "def side():\n    'Length of a side.'\n",
    "branches.py": '''
try:
    import fast
except ImportError:
    def go():
        """Slow."""
else:
    async def go():
        """Fast."""
if True:
    class Chosen:
        """Chosen."""
''',
    "latin.py": '# -*- coding: latin-1 -*-\n"""Caf\xe9."""\n',
    "escapes.py": '"""A \\d and a lone \\ud800."""\n',
    "blank.py": '"""   \n\t"""\n',
    "broken.py": "def (:\n",
    "null.py": '"""a"""\0',
    "not-a-module.py": '"""Hidden."""\n',
    "test/test_shapes.py": '"""Tests."""\n',
    "site-packages/other.py": '"""Another project."""\n',
    "data-1.0/thing.py": '"""Not importable."""\n',
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    for name, source in SOURCES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.encode("latin-1"))
    return Library(tmp_path)


def test_documents_and_hierarchy(library):
    found = [(doc.id, doc.kind.value, doc.module, doc.parent) for doc in library]
    assert found == [
        ("branches.go", "function", "branches", None),
        ("branches.Chosen", "class", "branches", None),
        ("escapes", "module", "escapes", None),
        ("latin", "module", "latin", None),
        ("shapes", "package", "shapes", None),
        # The package shapes.plain has no documentation: the nearest documented one is the parent.
        ("shapes.plain.square.side", "function", "shapes.plain.square", "shapes"),
        ("shapes.round", "module", "shapes.round", "shapes"),
        ("shapes.round.Circle", "class", "shapes.round", "shapes.round"),
        ("shapes.round.Circle.area", "function", "shapes.round", "shapes.round.Circle"),
        (
            "shapes.round.Circle.undocumented.inner",
            "function",
            "shapes.round",
            "shapes.round.Circle",
        ),
        ("shapes.round.Oval.flatten", "function", "shapes.round", "shapes.round"),
    ]


def test_texts_are_cleaned_and_the_first_definition_counts(library):
    texts = {doc.id: doc.text for doc in library}
    assert texts["shapes.round.Oval.flatten"] == "Make flat.\n\n    Keep deeper indentation."
    assert texts["shapes.round.Circle.area"] == "Area in square units."
    assert texts["branches.go"] == "Slow."
    assert texts["latin"] == "Café."
    assert texts["escapes"] == "A \\d and a lone ?."
    assert library.repeated == 2


def test_unreadable_sources_are_counted_not_fatal(library):
    (library.root / "unreadable.py").mkdir()
    (library.root / "gone.py").symlink_to("nowhere.py")
    list(library)
    list(library)
    assert [path.name for path in library.skipped] == ["broken.py", "gone.py", "null.py"]


def test_nothing_is_executed(tmp_path):
    trap = tmp_path / "trap.py"
    trap.write_text('"""Trap."""\nopen("sprung", "w")\nraise SystemExit\n', encoding="utf-8")
    assert [doc.id for doc in Library(tmp_path)] == ["trap"]


def test_a_directory_without_sources_is_an_error(tmp_path):
    with pytest.raises(SourceLoadingError, match="Python sources"):
        list(Library(tmp_path))
    with pytest.raises(SourceLoadingError, match="nowhere"):
        list(Library(tmp_path / "nowhere"))


@pytest.fixture(scope="module")
def standard_library():
    return list(Library())


def test_standard_library_is_large_and_its_hierarchy_sound(standard_library):
    ids = [doc.id for doc in standard_library]
    assert len(ids) > 5_000
    assert len(set(ids)) == len(ids)
    position = {id_: place for place, id_ in enumerate(ids)}
    for doc in standard_library:
        assert doc.text.strip()
        if doc.parent is not None:
            assert doc.id.startswith(doc.parent + ".")
            assert position[doc.parent] < position[doc.id]
    assert {doc.kind for doc in standard_library} == set(DocstringKind)


def test_standard_library_texts_equal_those_of_ast(standard_library):
    import json.decoder

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(Path(json.decoder.__file__).read_text(encoding="utf-8"))
    oracle = {
        f"json.decoder.{node.name}": ast.get_docstring(node).strip()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node)
    }
    texts = {doc.id: doc.text for doc in standard_library}
    assert oracle
    assert {name: texts[name] for name in oracle} == oracle

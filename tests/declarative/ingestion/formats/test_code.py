"""Source code: definitions of Python, blocks of the rest."""

import ast
from pathlib import Path

import octavo
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.loading import load_documents

SMALL = FileLoader(IngestionLimits(chunk_characters=60))


def test_every_definition_of_a_package_is_a_section(declared):
    root = Path(octavo.__file__).parent / "spi"
    documents = list(load_documents(declared(root, include=("*.py",), unit="SECTION")))
    found = {each.id.partition("#")[2] for each in documents if "#" in each.id}
    for path in root.glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                assert node.name in found


def test_lines_are_those_of_the_file(declared):
    root = Path(octavo.__file__).parent / "errors.py"
    lines = root.read_text().split("\n")
    for document in load_documents(declared(root)):
        if "line_start" in document.metadata:
            first = int(document.metadata["line_start"])
            last = int(document.metadata["line_end"])
            assert "\n".join(lines[first - 1 : last]).rstrip() == document.content


def test_what_python_cannot_parse_is_cut_by_blocks(load):
    text = "print 'one'  # of another time\n\n\ndef f():\n    print 'two'\n\n    print 'three'\n"
    documents = load({"old.py": text}, [SMALL])
    assert [each.content.split("\n")[0] for each in documents] == [
        *("print 'one'  # of another time", "def f():"),
    ]


def test_warnings_of_the_parser_are_nobodys(load):
    assert load({"a.py": r'x = "\d"'})[0].content == r'x = "\d"'


def test_text_that_nests_too_deep_for_the_parser(load):
    documents = load({"a.py": "x = " + "(" * 5_000 + ")" * 5_000})
    assert documents

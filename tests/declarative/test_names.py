"""Public names come from ``octavo.declarative``, when they are used."""

import subprocess
import sys

import pytest

from octavo import declarative


@pytest.mark.parametrize("name", declarative.__all__)
def test_names(name):
    assert getattr(declarative, name).__doc__
    assert name in dir(declarative)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Knowlegde"):
        declarative.Knowlegde  # noqa: B018


def test_declaring_loads_nothing_heavy():
    heavy = ["faiss", "numba", "numpy", "pyarrow", "tantivy", "difflib"]
    code = (
        "import sys; from octavo.declarative import Knowledge, role_spec; "
        "role_spec(knowledge=Knowledge('docs'))(type('Role', (), {}));"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"

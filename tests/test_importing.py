"""Objects named as MODULE:ATTR."""

import math
from collections import OrderedDict

import pytest

from octavo.errors import ConfigurationError
from octavo.importing import import_target, optional


def test_functions_nested_attributes_and_classes():
    assert import_target("x", "math:sqrt") is math.sqrt
    assert import_target("x", "os:path.join")("a", "b") == "a/b"
    assert import_target("x", "collections:OrderedDict") == OrderedDict()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "expected MODULE:ATTR"),
        ("math", "expected MODULE:ATTR"),
        (":sqrt", "expected MODULE:ATTR"),
        ("math:", "expected MODULE:ATTR"),
        ("no_such_module_here:f", "importing 'no_such_module_here' failed"),
        ("math:no_such", "'math' has no 'no_such'"),
        ("os:path.no_such", "has no 'path.no_such'"),
        ("datetime:date", "creating date failed with TypeError"),
    ],
)
def test_what_cannot_be_had_is_named(target, message):
    with pytest.raises(ConfigurationError, match=message):
        import_target("navigator", target)


def test_a_library_of_an_extra():
    assert optional("json.decoder", "json", "reading").JSONDecoder
    with pytest.raises(
        ConfigurationError, match=r"^reading needs nowhere: pip install 'octavo\[far\]'$"
    ):
        optional("nowhere.at.all", "far", "reading")

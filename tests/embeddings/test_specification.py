import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.analysis import Analyzer
from octavo.embeddings import specification as module
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.libraries import LIBRARIES, model_embedding
from octavo.embeddings.specification import (
    ColumnSpecification,
    HashSpecification,
    ImportSpecification,
    ModelSpecification,
    NoEmbedding,
    ProviderSpecification,
    parse_specification,
    resolve,
)
from octavo.errors import ConfigurationError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hash", HashSpecification(128)),
        ("hash:64", HashSpecification(64)),
        ("hash:16384", HashSpecification(16_384)),
        ("column:vector", ColumnSpecification("vector")),
        ("column:a:b c", ColumnSpecification("a:b c")),
        ("my_module:embed", ImportSpecification("my_module:embed")),
        ("a.b.c:Class.method", ImportSpecification("a.b.c:Class.method")),
        ("openai:text-embedding-3-small", ModelSpecification("openai", "text-embedding-3-small")),
        ("model2vec:a/b", ModelSpecification("model2vec", "a/b")),
        ("sentence-transformers:./a b", ModelSpecification("sentence-transformers", "./a b")),
        ("provider", ProviderSpecification()),
        ("none", NoEmbedding()),
    ],
)
def test_forms(text: str, expected: object) -> None:
    assert parse_specification(text) == expected
    assert parse_specification(str(expected)) == expected


@given(
    st.integers(64, 16_384).map(HashSpecification)
    | st.text(min_size=1).map(ColumnSpecification)
    | st.from_regex(r"[a-z_]+(\.[a-z]+)?:[a-zA-Z]+", fullmatch=True)
    .filter(lambda text: text.split(":")[0] not in ("hash", "column", *LIBRARIES))
    .map(ImportSpecification)
)
def test_text_and_back(specification: object) -> None:
    assert parse_specification(str(specification)) == specification


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_needs_a_model(library):
    for text in (f"{library}:", f"{library}: "):
        with pytest.raises(ConfigurationError, match="expected the name of a model"):
            parse_specification(text)


def test_an_option_that_a_library_does_not_have():
    with pytest.raises(ConfigurationError, match="device: model2vec has no such option"):
        model_embedding("model2vec", "m", device="cpu")


@pytest.mark.parametrize(
    "text", ["", "hashes", "HASH", "a b:c", ":x", "x:", "x:1", "none:1", "a..b:c"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="expected hash, hash:N, column:COL, MODULE:ATTR"):
        parse_specification(text)


@pytest.mark.parametrize(
    "number", ["", "63", "16385", "x", "-64", "1e3", "128.0", "\uff19\uff19", "9" * 99]
)
def test_dimensions_are_checked(number: str) -> None:
    with pytest.raises(ConfigurationError, match="expected an integer from 64 to 16384"):
        parse_specification(f"hash:{number}")


def test_a_column_needs_a_name() -> None:
    with pytest.raises(ConfigurationError, match="expected the name of a column"):
        parse_specification("column:")


def test_hash_column_and_none() -> None:
    analyzer = Analyzer("en", stem=True)
    assert resolve(HashSpecification(64), analyzer) == HashEmbedding(64, analyzer)
    assert resolve(ColumnSpecification("vector"), analyzer) is None
    assert resolve(NoEmbedding(), analyzer) is None


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "octavo_test_application.py").write_text(
        "def embed(text): return [1.0, len(text)]\n"
        "class Model:\n"
        "    def __call__(self, text): return [2.0]\n"
        "class Broken:\n"
        "    def __init__(self): raise OSError('no weights')\n"
        "number = 3\n"
    )
    (tmp_path / "octavo_test_broken.py").write_text("raise ImportError('needs torch')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("octavo_test_application", None)


@pytest.mark.usefixtures("application")
def test_a_function_and_a_class_are_imported() -> None:
    function = resolve(ImportSpecification("octavo_test_application:embed"), Analyzer())
    assert function is not None
    assert function("ab") == [1.0, 2]
    model = resolve(ImportSpecification("octavo_test_application:Model"), Analyzer())
    assert model is not None
    assert model("ab") == [2.0]


@pytest.mark.usefixtures("application")
@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "octavo_test_missing:embed",
            "importing 'octavo_test_missing' failed with ModuleNotFoundError",
        ),
        ("octavo_test_broken:embed", "failed with ImportError: needs torch"),
        ("octavo_test_application:missing", "has no 'missing'"),
        ("octavo_test_application:number", "expected a function of one text, found int"),
        ("octavo_test_application:Broken", "creating Broken failed with OSError: no weights"),
    ],
)
def test_what_cannot_be_imported_says_why(target: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        resolve(ImportSpecification(target), Analyzer())


def install(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    group = module.ENTRY_POINT_GROUP
    points = [EntryPoint(f"p{number}", value, group) for number, value in enumerate(values)]
    monkeypatch.setattr("octavo.importing.entry_points", lambda *, group: points if group else [])


# S40
@pytest.mark.usefixtures("application")
def test_no_one_and_several_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    assert resolve(ProviderSpecification(), Analyzer()) == HashEmbedding(128)
    install(monkeypatch, "octavo_test_application:embed")
    function = resolve(ProviderSpecification(), Analyzer())
    assert function is not None
    assert function("a") == [1.0, 1]
    install(monkeypatch, "octavo_test_application:embed", "octavo_test_application:Model")
    with pytest.raises(ConfigurationError, match=r"expected one entry point .*p0 .*p1"):
        resolve(ProviderSpecification(), Analyzer())


@pytest.mark.usefixtures("application")
def test_a_provider_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "octavo_test_broken:embed")
    with pytest.raises(
        ConfigurationError, match=r"loading p0 .* failed with ImportError: needs torch"
    ):
        resolve(ProviderSpecification(), Analyzer())

"""What holds for the repository as a whole."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

PUBLIC_NAMES = (
    *("Analyzer", "Corpus", "ShardedCorpus", "open_index", "EmbeddingFunction", "HashEmbedding"),
    *("OpenAIEmbedding", "SentenceTransformerEmbedding", "Model2VecEmbedding", "embedding_of"),
    *("VectorRAGStrategy", "KeywordRAGStrategy", "HybridRAGStrategy", "GraphRAGStrategy"),
    *("MultiQueryRAGStrategy", "HierarchicalRAGStrategy", "TemporalRAGStrategy"),
    *("ReasoningRAGStrategy", "RAGPipeline", "RAGContext", "RAGStrategy", "RetrievedDocument"),
    *("HybridMemoryRetriever", "VectorMemoryStore", "BM25Index", "MemoryEntry", "MemoryTier"),
    *("HierarchyIndex", "HierarchyMetadata", "TemporalIndex", "TemporalMetadata"),
    *("QueryExpansion", "CancellationToken", "GraphStore", "GraphNode", "GraphEdge"),
    *("GraphStream", "NodeView", "GraphScope", "GraphStoreProvider", "Neo4jGraphStore"),
    *("OctavoError", "ConfigurationError", "InvalidArgumentError", "DimensionMismatchError"),
    *("NonFiniteVectorError", "CorpusFormatError", "CorpusCorruptError", "CorpusLockedError"),
    *("HierarchyError", "TemporalError", "RetrievalError", "ProviderUnavailableError"),
    *("SourceLoadingError", "ExecutionError", "CancelledError", "RetrievalTimeoutError"),
    *("ContextValidationError", "GraphCapabilityError"),
    *("RunSettings", "diff", "recompute", "sweep"),
)

TOP_LEVEL = {"pyproject.toml", "README.md", "Makefile", "LICENSE", "CHANGELOG.md"} | {
    *("src", "tests", "benchmarks", "data", "docs")
}

# Made by tools or by `make demo`; not part of the repository.
GENERATED = {"site", "build", "dist", "octavo-demo"}


def relative(path):
    return path.relative_to(ROOT).as_posix()


def test_sources_are_short():
    lines = {relative(path): path.read_text(encoding="utf-8").count("\n") for path in SOURCES}
    assert {name: count for name, count in lines.items() if count > 400} == {}


def test_sources_never_check_input_with_assert():
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)]
        assert not found, f"{relative(path)}: assert in lines {found}"


def test_every_kernel_file_has_a_test_file():
    kernels = {path.stem for path in (ROOT / "src/octavo/kernels").glob("*.py")}
    tests = {path.stem for path in (ROOT / "tests/kernels").rglob("test_*.py")}
    untested = {name for name in kernels - {"__init__"} if f"test_{name}" not in tests}
    assert untested == set()


def test_no_file_names_a_place_on_a_machine():
    # Absolute paths in homes and work folders; built so that this file does not match itself.
    places = re.compile("|".join("/" + name + "/" for name in ("home", "Users", "root", "work")))
    kinds = {".py", ".md", ".toml", ".yml", ".tsv", ".sh", ""}
    folders = ("src", "tests", "benchmarks", "docs", "data", ".ci")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    # A worktree's .git is a file that names its repository.
    files += [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    for path in files:
        if path.suffix in kinds and "__pycache__" not in path.parts:
            found = places.search(path.read_text(encoding="utf-8"))
            assert found is None, f"{relative(path)}: {found}"


def test_top_level_is_what_the_architecture_says():
    present = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "__"))}
    assert present - TOP_LEVEL - GENERATED == set()


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_public_names_come_from_octavo(name):
    octavo = importlib.import_module("octavo")
    assert getattr(octavo, name).__doc__
    assert name in dir(octavo)
    assert name in octavo.__all__


def test_an_unknown_name_is_an_attribute_error():
    octavo = importlib.import_module("octavo")
    with pytest.raises(AttributeError, match="Corpsu"):
        octavo.Corpsu  # noqa: B018


def test_import_loads_nothing_heavy():
    heavy = ["faiss", "numba", "numpy", "pyarrow", "tantivy", "typer", "rich"]
    code = f"import sys, octavo; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert importlib.import_module("octavo").__version__ == project["version"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {project['version']}" in changes


def test_makefile_tries_the_versions_that_the_project_claims():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    prefix = "Programming Language :: Python :: "
    claimed = [line.removeprefix(prefix) for line in project["classifiers"] if prefix in line]
    tried = re.search(r"^VERSIONS := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert tried is not None
    assert tried[1].split() == claimed

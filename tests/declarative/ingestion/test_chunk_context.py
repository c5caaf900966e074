"""What a model says of chunks (S61)."""

import pytest

from octavo import ConfigurationError, ExecutionError, ProviderUnavailableError
from octavo.declarative.ingestion.loading import load_documents
from octavo.declarative.ingestion.manifest import SourceManifest


class Model:
    """Says what it was made with."""

    def __init__(self, said="Of foxes."):
        self.said = said

    def supports(self, model):
        return model == "small"

    def context(self, chunk, model):
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


def loaded(declared, write, *models, name="small"):
    write({"a.md": "red"})
    knowledge = declared(chunk_context="MODEL", chunk_context_model=name)
    return list(load_documents(knowledge, context_models=models))


def test_what_it_says(declared, write):
    (document,) = loaded(declared, write, Model())
    assert (document.content, document.metadata["chunk_context"]) == ("red", "Of foxes.")
    (document,) = loaded(declared, write, Model(" "))
    assert "chunk_context" not in document.metadata


def test_only_changed_files_are_told_of(declared, write, tmp_path):
    write({"a.md": "red"})
    knowledge = declared(chunk_context="MODEL", chunk_context_model="small")
    manifest = SourceManifest(tmp_path / "manifest")
    changes = manifest.changes(knowledge, context_models=[Model()])
    assert [each.metadata["chunk_context"] for each in changes.documents()] == ["Of foxes."]
    changes.commit()
    silent = manifest.changes(knowledge, context_models=[Model(ValueError("asked"))])
    assert list(silent.documents()) == []


def test_nobody_serves_it(declared, write):
    with pytest.raises(ProviderUnavailableError, match="nothing serves the model 'large'"):
        loaded(declared, write, Model(), name="large")


@pytest.mark.parametrize("name", ["", " ", None])
def test_no_name(declared, write, name):
    with pytest.raises(ConfigurationError, match="chunk_context_model: expected a model"):
        loaded(declared, write, Model(), name=name)


def test_several_serve_it(declared, write):
    with pytest.raises(ConfigurationError, match="expected one server"):
        loaded(declared, write, Model(), Model())


@pytest.mark.parametrize("said", [ValueError("no"), None, 5])
def test_what_is_no_text(declared, write, said):  # S43
    with pytest.raises(ExecutionError, match="model 'small'"):
        loaded(declared, write, Model(said))

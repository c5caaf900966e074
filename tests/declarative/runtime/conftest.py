"""Roles over small directories, and what a runtime retrieves for them."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from octavo.declarative import ActionType, Knowledge, Search, action_spec, bind, role_spec
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider, ProcessEmbedding
from octavo.declarative.runtime.providers import GivenProviders
from octavo.declarative.runtime.runtime import RetrievalRuntime
from octavo.embeddings.hash_embedding import HashEmbedding

NOTES = {
    "fox.md": "The red fox hunts mice at night.",
    "whale.md": "The blue whale sings in the ocean.",
    "owl.md": "A grey owl hunts mice at night too.",
}


def role_of(*sources, search=None, **entry):
    """A role with one LLM action that names all the sources."""

    class Researcher:
        def answer(self, question: str) -> str:
            return question

    entries = [
        Knowledge(each.name, **entry, **({"search": search} if search is not None else {}))
        for each in sources
    ]
    spec = action_spec(type=ActionType.LLM, knowledge=entries)
    Researcher.answer = spec(Researcher.answer)
    return role_spec(knowledge=list(sources))(Researcher)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class World:
    """A directory of notes, one role at a time, and a runtime that a test can see into."""

    directory: Path
    given: GivenProviders = field(default_factory=GivenProviders)
    clock: Clock = field(default_factory=Clock)
    embedding: ProcessEmbedding = field(default_factory=lambda: ProcessEmbedding(HashEmbedding()))

    def __post_init__(self):
        self.runtime = RetrievalRuntime(
            self.given, clock=self.clock, process_embedding=self.embedding
        )

    def source(self, name="notes", files=NOTES, **members):
        place = self.directory / name
        for path, text in files.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text, encoding="utf-8")
        return Knowledge(name, path=str(place), **members)

    def ask(self, role, question="mice", context=None, agent=None):
        declared = bind(role, agent)
        action = declared.actions["answer"]
        return self.runtime.retrieve(declared, action, {"question": question}, context)

    def names(self, *args, **kwargs):
        """The files found, best first."""
        return [each.metadata["path"] for each in self.ask(*args, **kwargs).documents]


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.fixture
def make_world(tmp_path):
    """A world with providers, and with an embedding function where one is given."""

    def made(embed=None, **providers):
        kwargs = {}
        if embed is not None:
            kwargs["embedding"] = ProcessEmbedding(EmbeddingProvider(embed, "test"))
        return World(tmp_path, GivenProviders(**providers), **kwargs)

    return made


def search(**members):
    """Settings under which everything found is kept."""
    return Search(**{"min_score": 0.0, "deduplicate": False, **members})


def context(**members):
    return DispatchContext(**members)

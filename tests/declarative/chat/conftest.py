"""Agents that chat over small directories, with a runtime that a test can see into."""

from dataclasses import dataclass

import pytest

from octavo import MemoryEntry, MemoryTier
from octavo.declarative import Agent, ChatKnowledgeBinding, Knowledge, agent_spec
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider, ProcessEmbedding
from octavo.declarative.runtime.providers import GivenProviders
from tests.declarative.actions.fakes import Recorder
from tests.declarative.runtime.conftest import World, search


def memory(name="memories", **members):
    """A MEMORY source that keeps everything it finds."""
    if members.get("use", "SEARCH") == "SEARCH":
        members.setdefault("search", search())
    return Knowledge(name, type="MEMORY", **members)


def entry(identifier, content, tier=MemoryTier.SEMANTIC, source=None):
    return MemoryEntry(identifier, content, tier, source)


@dataclass
class ChatWorld(World):
    """A world with agents."""

    def agent_class(self, *sources, name=None, description="Answers politely", base=Agent):
        class Support(base):
            pass

        return agent_spec(name=name, description=description, knowledge=list(sources))(Support)

    def binding(self, *sources, **options):
        return ChatKnowledgeBinding(self.agent_class(*sources, **options), self.runtime)

    def agent(self, *sources, llm=None, retrieval=None, **options):
        """An agent whose model is remembered as ``agent.llm``."""
        cls = self.agent_class(*sources, **options)
        client = Recorder() if llm is None else llm
        runtime = self.runtime if retrieval is None else retrieval

        class Subject(cls):
            llm = client

            def get_llm(self):
                return client

            def get_retrieval(self):
                return runtime

        return Subject()


@pytest.fixture
def world(tmp_path):
    return ChatWorld(tmp_path)


@pytest.fixture
def make_world(tmp_path):
    """A world with providers, and with an embedding function where one is given."""

    def made(embed=None, **providers):
        kwargs = {}
        if embed is not None:
            kwargs["embedding"] = ProcessEmbedding(EmbeddingProvider(embed, "test"))
        return ChatWorld(tmp_path, GivenProviders(**providers), **kwargs)

    return made

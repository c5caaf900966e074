"""A runtime that gives what it is told to, and roles that use it."""

from octavo.declarative import Agent
from octavo.declarative.declarations.enums import KnowledgeUse
from octavo.declarative.runtime.retrieved import Retrieved, SourceGiven
from octavo.spi import RetrievedDocument


class FakeRetrieval:
    """Gives documents, and remembers what it was asked."""

    def __init__(self, *documents, stale=False, direct=(), error=None):
        self.documents = tuple(documents)
        self.stale = stale
        self.direct = tuple(direct)
        self.error = error
        self.calls = []

    def retrieve(self, bindings, action, arguments, context):
        self.calls.append((bindings, action, dict(arguments), context))
        if self.error is not None:
            raise self.error
        counts = {
            KnowledgeUse.SEARCH: len(self.documents),
            KnowledgeUse.DIRECT: len(self.direct),
            KnowledgeUse.SEQUENTIAL: 0,
        }
        given = tuple(SourceGiven(e.name, e.use, counts[e.use]) for e in action.knowledge)
        return Retrieved(self.documents, action.search, given, self.stale, self.direct)


def document(content, source="notes.md", score=0.5, **metadata):
    return RetrievedDocument(content, source, score, metadata)


def agent_of(*roles, llm=None, retrieval=None, executors=None, base=Agent):
    class Subject(base):
        def get_roles(self):
            return roles

        def get_llm(self):
            return super().get_llm() if llm is None else llm

        def get_retrieval(self):
            return retrieval

        def get_executors(self):
            return executors or {}

    return Subject()


class Recorder:
    """A client that remembers prompts and answers always the same."""

    def __init__(self, text="Grounded."):
        self.text = text
        self.asked = []

    def complete(self, system, prompt):
        self.asked.append((system, prompt))
        return self.text

    @property
    def system(self):
        return self.asked[-1][0]

    @property
    def prompt(self):
        return self.asked[-1][1]

"""Tools with which an agent keeps a graph of triples in memory (S83)."""

import itertools
import threading
import weakref
from typing import Final

from octavo.columns.encodable import encodable
from octavo.errors import InvalidArgumentError, checked_count, plain_text, shown
from octavo.graph.knowledge.agent_tool import AgentTool, ToolParameter
from octavo.graph.knowledge.triples import Triple, TripleSet, words_of

_LONGEST = 1000

_SUBJECT = ToolParameter("subject", "The entity that the fact is about.", required=True)
_PREDICATE = ToolParameter("predicate", "How subject and object are related.", required=True)
_OBJECT = ToolParameter("object", "The entity or value it is related to.", required=True)
_LIMIT = ToolParameter("limit", "The largest number of triples to return.", int)


class KnowledgeTools:
    """A small tool kit: triples that an agent adds, asks for, removes and lists.

    Every instance that is alive is read by
    :class:`~octavo.graph.knowledge.store.KnowledgeToolsGraphStore` whenever it
    retrieves: the same triples, no copy. Safe to share between threads.

    Examples
    --------
    >>> tools = KnowledgeTools()
    >>> tools.kg_add_triple("Auth Service", "writes to", "Redis")
    True
    >>> tools.kg_query(subject="auth service")
    [{'subject': 'Auth Service', 'predicate': 'writes to', 'object': 'Redis'}]
    >>> [tool.name for tool in tools.tools()]
    ['kg_add_triple', 'kg_query', 'kg_remove_triple', 'kg_list']
    """

    DEFAULT_LIMIT: Final = 100

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._triples = TripleSet()
        _register(self)

    def kg_add_triple(self, subject: str, predicate: str, object: str) -> bool:  # noqa: A002
        """Add a triple; return whether it is new.

        Parameters
        ----------
        subject, predicate, object
            Non-blank text of at most 1,000 characters; white space around it and line ends inside
            it do not count.

        Raises
        ------
        InvalidArgumentError
            A part is blank, too long, or no text.
        """
        triple = _checked_triple(subject, predicate, object)
        with self._lock:
            return self._triples.add(triple)

    def kg_remove_triple(self, subject: str, predicate: str, object: str) -> bool:  # noqa: A002
        """Remove a triple, spelled as it was added; return whether it was there.

        Raises
        ------
        InvalidArgumentError
            As for :meth:`kg_add_triple`.
        """
        triple = _checked_triple(subject, predicate, object)
        with self._lock:
            return self._triples.remove(triple)

    def kg_query(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002
        text: str | None = None,
        limit: int | None = None,
    ) -> list[dict[str, str]]:
        """Return the triples that fit, in the order in which they were added.

        Parameters
        ----------
        subject, predicate, object
            What a triple must have there, without regard to case; ``None`` for anything.
        text
            Words of which a triple must have at least one; those with more of them come first.
            Only a-z and 0-9 make words.
        limit
            The largest number of triples, 100 by default.

        Raises
        ------
        InvalidArgumentError
            All are ``None``, a part is blank, too long or no text, or the limit is below 1.
        """
        wanted = {
            place: _checked_part(name, value).casefold()
            for place, (name, value) in enumerate(
                (("subject", subject), ("predicate", predicate), ("object", object))
            )
            if value is not None
        }
        if not wanted and text is None:
            raise InvalidArgumentError(
                "kg_query: expected a subject, a predicate, an object or a text, found none"
            )
        most = self.DEFAULT_LIMIT if limit is None else checked_count("limit", limit)
        with self._lock:
            triples = list(self._triples) if text is None else self._worded(text)
        fitting = (
            triple
            for triple in triples
            if all(triple[place].casefold() == value for place, value in wanted.items())
        )
        return [triple._asdict() for triple in itertools.islice(fitting, most)]

    def kg_list(self, limit: int | None = None) -> list[dict[str, str]]:
        """Return the triples in the order in which they were added, 100 by default.

        Raises
        ------
        InvalidArgumentError
            The limit is below 1.
        """
        most = self.DEFAULT_LIMIT if limit is None else checked_count("limit", limit)
        with self._lock:
            return [triple._asdict() for triple in itertools.islice(self._triples, most)]

    def tools(self) -> tuple[AgentTool, ...]:
        """Return the four tools as an agent can call them; they keep this instance alive."""
        return (
            AgentTool(
                "kg_add_triple",
                "Remember a fact as a triple, for example: Auth Service, writes to, Redis. "
                "Returns false if it was known.",
                (_SUBJECT, _PREDICATE, _OBJECT),
                self.kg_add_triple,
            ),
            AgentTool(
                "kg_query",
                "Find remembered facts by subject, predicate or object, without regard to case, or "
                "by words that they contain. Give at least one.",
                (
                    ToolParameter("subject", "The entity that the facts are about."),
                    ToolParameter("predicate", "How subject and object are related."),
                    ToolParameter("object", "The entity or value they are related to."),
                    ToolParameter("text", "Words of which a fact has at least one."),
                    _LIMIT,
                ),
                self.kg_query,
            ),
            AgentTool(
                "kg_remove_triple",
                "Forget a fact, spelled as it was added. Returns false if it was not known.",
                (_SUBJECT, _PREDICATE, _OBJECT),
                self.kg_remove_triple,
            ),
            AgentTool(
                "kg_list", "List the remembered facts, oldest first.", (_LIMIT,), self.kg_list
            ),
        )

    def triples_of(self, entity: str) -> list[Triple]:
        """Return the triples that have an entity as subject or object, as they are now."""
        with self._lock:
            return list(self._triples.touching(entity))

    def triples_with(self, word: str) -> list[Triple]:
        """Return the triples that have a word, as they are now."""
        with self._lock:
            return list(self._triples.having(word))

    def __len__(self) -> int:
        with self._lock:
            return len(self._triples)

    def _worded(self, text: str) -> list[Triple]:
        found: dict[Triple, int] = {}
        for word in dict.fromkeys(words_of(_checked_part("text", text))):
            for triple in self._triples.having(word):
                found[triple] = found.get(triple, 0) + 1
        places = {triple: place for place, triple in enumerate(self._triples) if triple in found}
        return sorted(found, key=lambda triple: (-found[triple], places[triple]))


def live_knowledge_tools() -> list[KnowledgeTools]:
    """Return the instances that are alive, the oldest first."""
    with _registering:
        return [tools for _, tools in sorted(_live.items())]


def _register(tools: KnowledgeTools) -> None:
    with _registering:
        _live[next(_numbers)] = tools


def _checked_triple(subject: object, predicate: object, object_: object) -> Triple:
    return Triple(
        _checked_part("subject", subject),
        _checked_part("predicate", predicate),
        _checked_part("object", object_),
    )


def _checked_part(name: str, value: object) -> str:
    text = plain_text(value)
    if text is None:
        raise InvalidArgumentError(f"{name}: expected a string, found {type(value).__name__}")
    if len(text) > _LONGEST:
        raise InvalidArgumentError(
            f"{name}: expected at most {_LONGEST} characters, found {len(text)}"
        )
    text = " ".join(text.split())
    if not text or not encodable(text):
        raise InvalidArgumentError(f"{name}: expected non-blank Unicode text, found {shown(value)}")
    return text


_registering = threading.Lock()
_numbers = itertools.count()
_live: "weakref.WeakValueDictionary[int, KnowledgeTools]" = weakref.WeakValueDictionary()

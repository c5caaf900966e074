"""What an application writes back into a chat: bounded, and each scope's apart (S76)."""

import itertools
import threading
from collections import OrderedDict
from hashlib import blake2b
from typing import Final

from octavo.declarative.declarations.write_back import WriteBack
from octavo.declarative.rendering.tokens import estimated_tokens
from octavo.declarative.runtime.cursors import scope_of
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.recently_used import RecentlyUsed
from octavo.errors import ConfigurationError, InvalidArgumentError, plain_text, shown
from octavo.memory import BM25Index, MemoryEntry, MemoryTier
from octavo.memory.bm25_index import KeywordSnapshot

MOST_INDEXES: Final = 64
"""How many scopes of all agents keep their words indexed; others do it again, in some 10 ms, when asked."""

_revisions: Final = itertools.count(1)

Scope = tuple[str, str, str]


class WrittenBack:
    """The entries of one scope, oldest first; searched by their words.

    The index is made when a search first needs it, and again after :meth:`release`.
    """

    def __init__(self) -> None:
        self.revision = 0
        """Another one after each change, and of no two scopes the same."""
        self.total = 0
        """The tokens of all entries."""
        self._entries: dict[str, tuple[MemoryEntry, int]] = {}
        self._index: BM25Index | None = None
        self._guard = threading.Lock()

    def write(self, entry: MemoryEntry, tokens: int, bounds: WriteBack) -> None:
        """Add an entry as the newest, and drop the oldest beyond the bounds."""
        with self._guard:
            self._remove(entry.id)
            self._entries[entry.id] = (entry, tokens)
            self.total += tokens
            if self._index is not None:
                self._index.add(entry)
            while len(self._entries) > bounds.max_entries or self.total > bounds.max_tokens:
                self._remove(next(iter(self._entries)))
            self.revision = next(_revisions)

    def remove(self, identifier: str) -> bool:
        """Remove an entry; return whether there was one."""
        with self._guard:
            removed = self._remove(identifier)
            if removed:
                self.revision = next(_revisions)
            return removed

    def entries(self) -> tuple[MemoryEntry, ...]:
        """Return the entries, oldest first."""
        with self._guard:
            return tuple(entry for entry, _ in self._entries.values())

    def snapshot(self) -> KeywordSnapshot:
        """Return the present entries by their words."""
        with self._guard:
            if self._index is None:
                index = BM25Index()
                index.add([entry for entry, _ in self._entries.values()])
                self._index = index
            found = self._index.snapshot()
        _INDEXED.use(self)
        return found

    def release(self) -> None:
        """Give back what the index takes."""
        with self._guard:
            self._index = None

    def __len__(self) -> int:
        return len(self._entries)

    def _remove(self, identifier: str) -> bool:
        if identifier not in self._entries:
            return False
        self.total -= self._entries.pop(identifier)[1]
        if self._index is not None:
            self._index.remove(identifier)
        return True


_INDEXED: Final = RecentlyUsed["WrittenBack"](MOST_INDEXES, lambda written: written.release())


class ControlledWriteBackStore:
    """Texts that an application wrote back, in memory; safe to share between threads.

    A scope is the tenant, session and conversation of a context; one scope's entries are never seen
    by another. Nothing but a call of :meth:`write` adds any.

    Parameters
    ----------
    bounds
        How much is kept.

    Examples
    --------
    >>> store = ControlledWriteBackStore(WriteBack(max_entries=2))
    >>> ada = DispatchContext(tenant="ada")
    >>> for text in ("likes tea", "lives in Bonn", "plays chess"):
    ...     _ = store.write(text, ada)
    >>> [entry.content for entry in store.entries(ada)]
    ['lives in Bonn', 'plays chess']
    >>> store.entries(DispatchContext(tenant="bob"))
    ()
    """

    def __init__(self, bounds: WriteBack) -> None:
        self._bounds = bounds
        self._guard = threading.Lock()
        self._scopes: OrderedDict[Scope, WrittenBack] = OrderedDict()
        self._closed = False

    def write(self, text: str, context: DispatchContext, *, label: str = "") -> str:
        """Keep a text; one that the scope has already becomes its newest.

        Parameters
        ----------
        text
            What is found, and given to the model, as untrusted as any document.
        context
            Whose it is.
        label
            Where it came from, such as ``"call of 3 May"``; shown behind ``write-back:``.

        Returns
        -------
        str
            Its id, by which it can be removed.

        Raises
        ------
        ConfigurationError
            The store was closed.
        InvalidArgumentError
            The text is blank, no text, or with its label larger than all entries of a scope may be
            together; the label is no text.
        """
        content, shown_label = _text("text", text), _text("label", label)
        if not content.strip():
            raise InvalidArgumentError(f"text: expected one that is not blank, found {content!r}")
        tokens = estimated_tokens(content) + estimated_tokens(shown_label)
        if tokens > self._bounds.max_tokens:
            raise InvalidArgumentError(
                f"text: expected at most {self._bounds.max_tokens} tokens, label included, found {tokens}"
            )
        where = f"{WriteBack.SOURCE}: {shown_label}" if shown_label.strip() else WriteBack.SOURCE
        identifier = blake2b(content.encode(), digest_size=16).hexdigest()
        entry = MemoryEntry(identifier, content, MemoryTier.WORKING, where)
        with self._guard:
            self._check_open()
            kept = self._scopes.setdefault(scope_of(context), WrittenBack())
            self._scopes.move_to_end(scope_of(context))
            kept.write(entry, tokens, self._bounds)
            while len(self._scopes) > self._bounds.max_scopes:
                self._scopes.popitem(last=False)
        return identifier

    def remove(self, identifier: str, context: DispatchContext) -> bool:
        """Remove an entry of a scope; return whether there was one."""
        with self._guard:
            scope = scope_of(context)
            kept = self._scopes.get(scope)
            removed = kept is not None and kept.remove(identifier)
            if kept is not None and not len(kept):
                del self._scopes[scope]
            return removed

    def entries(self, context: DispatchContext) -> tuple[MemoryEntry, ...]:
        """Return a scope's entries, oldest first."""
        with self._guard:
            kept = self._scopes.get(scope_of(context))
            return () if kept is None else kept.entries()

    def of(self, context: DispatchContext) -> WrittenBack | None:
        """Return what a request sees; ``None`` where its scope has nothing."""
        with self._guard:
            kept = self._scopes.get(scope_of(context))
            if kept is not None:
                self._scopes.move_to_end(scope_of(context))
            return kept

    def invalidate(self, context: DispatchContext | None = None) -> int:
        """Forget the entries of a scope, or all; return how many."""
        with self._guard:
            chosen = list(self._scopes) if context is None else [scope_of(context)]
            forgotten = [self._scopes.pop(each) for each in chosen if each in self._scopes]
            return sum(map(len, forgotten))

    def forget_tenant(self, tenant: str) -> None:
        """Forget the entries of all scopes of a tenant."""
        with self._guard:
            for scope in [each for each in self._scopes if each[0] == tenant]:
                del self._scopes[scope]

    def close(self) -> None:
        """Forget everything, and refuse what is written from now on; a second time does nothing."""
        with self._guard:
            self._closed = True
            self._scopes.clear()

    def _check_open(self) -> None:
        if self._closed:
            raise ConfigurationError("write-back: it was closed")


def _text(name: str, value: object) -> str:
    text = plain_text(value)
    if text is None:
        raise InvalidArgumentError(f"{name}: expected a text, found {shown(value)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError(
            f"{name}: expected text, found a lone surrogate in {text[:80]!a}"
        ) from None
    return text

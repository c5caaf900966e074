"""What an application writes back into a chat: bounded, and each scope's apart (S76)."""

import itertools
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from octavo.declarative.declarations.write_back import WriteBack
from octavo.declarative.rendering.tokens import estimated_tokens
from octavo.declarative.runtime.cursors import scope_of
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import ConfigurationError, InvalidArgumentError, plain_text, shown
from octavo.memory import BM25Index, MemoryEntry, MemoryTier

_revisions: Final = itertools.count(1)

Scope = tuple[str, str, str]


@dataclass(slots=True)
class WrittenBack:
    """The entries of one scope, oldest first, and an index of them.

    Parameters
    ----------
    index
        The entries by their words.
    tokens
        Those of each entry, by its id, oldest first.
    total
        Those of all.
    revision
        Another one after each change, and of no two scopes the same.
    """

    index: BM25Index = field(default_factory=BM25Index)
    tokens: dict[str, int] = field(default_factory=dict)
    total: int = 0
    revision: int = 0

    def write(self, entry: MemoryEntry, tokens: int, bounds: WriteBack) -> None:
        """Add an entry as the newest, and drop the oldest beyond the bounds."""
        self.remove(entry.id)
        self.index.add(entry)
        self.tokens[entry.id] = tokens
        self.total += tokens
        while len(self.tokens) > bounds.max_entries or self.total > bounds.max_tokens:
            self.remove(next(iter(self.tokens)))
        self.revision = next(_revisions)

    def remove(self, identifier: str) -> bool:
        """Remove an entry; return whether there was one."""
        if identifier not in self.tokens:
            return False
        self.index.remove(identifier)
        self.total -= self.tokens.pop(identifier)
        self.revision = next(_revisions)
        return True


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
            The text is blank, no text, or larger than all entries of a scope may be together; the
            label is no text.
        """
        content, shown_label = _text("text", text), _text("label", label)
        if not content.strip():
            raise InvalidArgumentError(f"text: expected one that is not blank, found {content!r}")
        tokens = estimated_tokens(content)
        if tokens > self._bounds.max_tokens:
            raise InvalidArgumentError(
                f"text: expected at most {self._bounds.max_tokens} tokens, found {tokens}"
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
            if kept is not None and not kept.tokens:
                del self._scopes[scope]
            return removed

    def entries(self, context: DispatchContext) -> tuple[MemoryEntry, ...]:
        """Return a scope's entries, oldest first."""
        with self._guard:
            kept = self._scopes.get(scope_of(context))
            return () if kept is None else tuple(kept.index)

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
            return sum(len(each.tokens) for each in forgotten)

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

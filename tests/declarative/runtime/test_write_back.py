"""What is written back: bounded, the oldest out first, each scope's apart (S76)."""

import gc
import weakref
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from octavo.declarative import WriteBack, estimated_tokens
from octavo.declarative.runtime import write_back
from octavo.declarative.runtime.recently_used import RecentlyUsed
from octavo.declarative.runtime.write_back import ControlledWriteBackStore
from octavo.errors import ConfigurationError, InvalidArgumentError
from octavo.memory import MemoryTier
from tests.declarative.runtime.conftest import context

ADA = context(tenant="ada", session="1", conversation_id="x")


def texts(store, asked=ADA):
    return [entry.content for entry in store.entries(asked)]


class Writes(RuleBasedStateMachine):
    """Against ordered dictionaries of texts."""

    scopes = st.sampled_from(["a", "b", "c"])
    texts = st.sampled_from([" ".join(["word"] * n) + f" {n}" for n in range(7)])

    @initialize(entries=st.integers(1, 5), tokens=st.integers(8, 25), scopes=st.integers(1, 3))
    def begin(self, entries, tokens, scopes):
        self.bounds = WriteBack(max_entries=entries, max_tokens=tokens, max_scopes=scopes)
        self.store = ControlledWriteBackStore(self.bounds)
        self.model = OrderedDict()
        self.revisions = {}

    @rule(scope=scopes, text=texts)
    def write(self, scope, text):
        self.store.write(text, context(tenant=scope))
        kept = self.model.pop(scope, [])
        kept = [each for each in kept if each != text] + [text]
        while len(kept) > self.bounds.max_entries or (
            sum(map(estimated_tokens, kept)) > self.bounds.max_tokens
        ):
            kept = kept[1:]
        self.model[scope] = kept
        while len(self.model) > self.bounds.max_scopes:
            self.model.popitem(last=False)
        found = self.store.of(context(tenant=scope)).revision
        assert found not in self.revisions
        self.revisions[found] = kept

    @rule(scope=scopes, place=st.integers(0, 9))
    def remove(self, scope, place):
        found = self.store.entries(context(tenant=scope))
        if place < len(found):
            assert self.store.remove(found[place].id, context(tenant=scope))
            del self.model[scope][place]
            if not self.model[scope]:
                del self.model[scope]
        else:
            assert not self.store.remove("unknown", context(tenant=scope))

    @rule(scope=scopes)
    def look(self, scope):
        found = self.store.of(context(tenant=scope))
        assert (found is None) is (scope not in self.model)
        if scope in self.model:
            self.model.move_to_end(scope)
            assert [entry.content for entry in found.snapshot().table.entries] == self.model[scope]
            assert found.total == sum(map(estimated_tokens, self.model[scope]))

    @rule(scope=scopes)
    def invalidate(self, scope):
        count = len(self.model.pop(scope, []))
        assert self.store.invalidate(context(tenant=scope)) == count

    @invariant()
    def same(self):
        if hasattr(self, "store"):
            for scope in "abc":
                assert texts(self.store, context(tenant=scope)) == self.model.get(scope, [])


Writes.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


class TestWrites(Writes.TestCase):  # S76
    """Every order of writing, removing and looking."""


@pytest.mark.parametrize("other", [{"tenant": "b"}, {"session": "2"}, {"conversation_id": "y"}])
def test_scopes_see_their_own(other):  # S76
    store = ControlledWriteBackStore(WriteBack())
    store.write("likes tea", ADA)
    same = {"tenant": "ada", "session": "1", "conversation_id": "x"}
    assert texts(store, context(**same, run_id="7", agent="other")) == ["likes tea"]
    assert texts(store, context(**(same | other))) == []
    assert store.of(context(**(same | other))) is None
    assert not store.remove(store.entries(ADA)[0].id, context(**(same | other)))


def test_entries_say_that_they_are_written_back():  # S76
    store = ControlledWriteBackStore(WriteBack())
    store.write("likes tea", ADA)
    store.write("lives in Bonn", ADA, label="call of 3 May")
    assert [entry.source for entry in store.entries(ADA)] == [
        "write-back",
        "write-back: call of 3 May",
    ]
    assert {entry.tier for entry in store.entries(ADA)} == {MemoryTier.WORKING}


@pytest.mark.parametrize(
    ("text", "label", "message"),
    [
        ("", "", "text: .*blank"),
        (" \n", "", "text: .*blank"),
        (None, "", "text: expected a text"),
        (b"x", "", "text: expected a text"),
        ("\ud800", "", "text: .*lone surrogate"),
        ("x", None, "label: expected a text"),
        ("x", "\udfff", "label: .*lone surrogate"),
        ("word " * 11, "", "text: expected at most 10 tokens"),
    ],
)
def test_bad_entries_are_refused_and_nothing_goes(text, label, message):  # S76
    store = ControlledWriteBackStore(WriteBack(max_tokens=10))
    store.write("likes tea", ADA)
    with pytest.raises(InvalidArgumentError, match=message):
        store.write(text, ADA, label=label)
    assert texts(store) == ["likes tea"]


def test_a_closed_store_is_empty_and_takes_nothing():  # S76
    store = ControlledWriteBackStore(WriteBack())
    store.write("likes tea", ADA)
    store.close()
    store.close()
    assert texts(store) == []
    assert store.of(ADA) is None
    with pytest.raises(ConfigurationError, match="closed"):
        store.write("likes tea", ADA)


def test_all_can_be_invalidated():  # S76
    store = ControlledWriteBackStore(WriteBack())
    for tenant in "abc":
        store.write("likes tea", context(tenant=tenant))
    assert store.invalidate() == 3
    assert store.invalidate() == 0


def test_many_threads_write_and_look():  # S76
    store = ControlledWriteBackStore(WriteBack(max_entries=40))

    def run(number):
        for place in range(40):
            store.write(f"text {place} of {number}", context(tenant=str(number % 3)))
            assert 1 <= len(store.entries(context(tenant=str(number % 3)))) <= 40

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(run, range(6)))
    for tenant in "012":
        kept = store.of(context(tenant=tenant))
        assert len(kept) == kept.snapshot().rows == 40
        assert kept.total == sum(estimated_tokens(entry.content) for entry in kept.entries())


def test_few_scopes_of_all_stores_keep_an_index(monkeypatch):  # S76
    monkeypatch.setattr(write_back, "_INDEXED", RecentlyUsed(2, lambda each: each.release()))
    stores = [ControlledWriteBackStore(WriteBack()) for _ in range(3)]
    views = []
    for store in stores:
        store.write("likes tea", ADA)
        views.append(store.of(ADA))
        assert views[-1].snapshot().rows == 1
    assert [view._index is None for view in views] == [True, False, False]
    assert views[0].snapshot().ids(np.array([0])) == [views[0].entries()[0].id]
    assert [view._index is None for view in views] == [False, True, False]


@pytest.mark.parametrize("forget", ["invalidate", "forget_tenant", "close"])
def test_nothing_that_was_forgotten_is_kept(forget):  # S76
    store = ControlledWriteBackStore(WriteBack())
    store.write("likes tea", ADA)
    view = weakref.ref(store.of(ADA))
    view().snapshot()
    getattr(store, forget)(*(["ada"] if forget == "forget_tenant" else []))
    gc.collect()
    assert view() is None


def test_the_oldest_go_first():  # S76
    store = ControlledWriteBackStore(WriteBack(max_entries=2))
    for text in ("first", "second", "first", "third"):
        store.write(text, ADA)
    assert texts(store) == ["first", "third"]


def test_labels_count():  # S76
    store = ControlledWriteBackStore(WriteBack(max_tokens=12))
    store.write("one word", ADA, label="a call")
    store.write("two words", ADA, label="another call of that day, a long one")
    assert texts(store) == ["two words"]
    with pytest.raises(InvalidArgumentError, match="at most 12 tokens, label included, found"):
        store.write("x", ADA, label="word " * 1000)

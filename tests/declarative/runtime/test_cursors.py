"""SEQUENTIAL sources: each scope reads all units once and in order, whatever fails between (S74)."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, rule

from octavo.declarative import Grounding, Knowledge, KnowledgeUse, bind
from octavo.declarative.runtime.bindings import BindingKey
from octavo.declarative.runtime.cursors import CursorKey, Cursors
from octavo.declarative.runtime.retrieved import Retrieved, SourceGiven
from octavo.errors import ContextValidationError, InvalidArgumentError
from octavo.spi import SourceDocument
from tests.declarative.runtime.conftest import context, role_of

SEQUENTIAL = KnowledgeUse.SEQUENTIAL
BOOK = Knowledge("book", use=SEQUENTIAL, max_tokens=6)
FILES = {f"{number}.md": text for number, text in enumerate(["one", "two", "three", "four"])}


def units_of(texts):
    return tuple(SourceDocument(str(place), text) for place, text in enumerate(texts))


def grounding(reading, knowledge=BOOK):
    given = SourceGiven("book", SEQUENTIAL, len(reading))
    return Grounding.of(Retrieved((), None, (given,), sequential=(reading,)), [knowledge], len)


def key_of(scope="a", **members):
    return CursorKey(BindingKey(object, None, (BOOK,)), scope, **members)


def written(ground):
    return [ground.retrieved.sequential[0].units[index].content for index in ground.moves[0].given]


class Reads(RuleBasedStateMachine):
    """Against a model that knows which units were given: those that were not come next, in order."""

    dispatches = Bundle("dispatches")
    settled = Bundle("settled")
    scopes = st.sampled_from("ab")
    texts = st.text("xyz", max_size=9)

    @initialize(texts=st.lists(texts, max_size=12))
    def begin(self, texts):
        self.cursors = Cursors()
        self.texts = texts
        self.revision = 0
        self.clock = 0
        self.model = {}  # by scope: version, epoch, what was read, indices given

    @rule(target=dispatches, scope=scopes)
    def dispatch(self, scope):
        known = self.model.get(scope)
        version, epoch, read, given = known or (None, object(), [], set())
        if self.texts[: len(read)] != read:
            epoch, read, given = object(), [], set()
        left = [index for index in range(len(self.texts)) if index not in given]
        expected, room = [], BOOK.max_tokens
        for index in left:
            if len(self.texts[index]) > room and expected:
                break
            expected.append(index)
            room -= len(self.texts[index])
            if room < 0:
                break
        reading = self.cursors.reading(
            key_of(scope), "book", units_of(self.texts), str(self.revision)
        )
        found = grounding(reading)
        usage = found.context.usage[0]
        assert [unit.content for unit in reading] == [self.texts[index] for index in left]
        assert found.moves[0].given == tuple(expected)
        assert usage.documents == len(expected)
        assert usage.exhausted is (expected == left)
        assert usage.truncated is (room < 0)
        return found, scope, version, epoch, (list(self.texts), read, given, expected)

    @rule(target=settled, each=consumes(dispatches))
    def settle(self, each):
        found, scope, version, epoch, (texts, read, given, expected) = each
        current = self.model.get(scope, (None,))[0]
        assert found.settle() is (current == version or not expected)
        if current != version or not expected:
            return found, scope, None, expected
        self.clock += 1
        read = texts[: max(len(read), *(index + 1 for index in expected))]
        self.model[scope] = (self.clock, epoch, read, given | set(expected))
        return found, scope, epoch, expected

    @rule(each=consumes(settled))
    def fail(self, each):
        found, scope, epoch, expected = each
        if epoch is None:  # it did not settle: nobody gives that back
            return
        found.give_back()
        known = self.model.get(scope)
        if known is not None and known[1] is epoch:
            self.clock += 1
            self.model[scope] = (self.clock, epoch, known[2], known[3] - set(expected))

    @rule(each=consumes(dispatches))
    def abandon(self, each):
        pass

    @rule(scope=scopes)
    def rewind(self, scope):
        found = self.cursors.rewind(object, "book", context(tenant=scope))
        assert found == (scope in self.model)
        self.model.pop(scope, None)

    @rule(data=st.data())
    def change(self, data):
        self.revision += 1
        kept = self.texts[: data.draw(st.integers(0, len(self.texts)))]
        self.texts = kept + data.draw(st.lists(self.texts_strategy(), max_size=3))

    @classmethod
    def texts_strategy(cls):
        return st.text("xyz", max_size=9)


Reads.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


class TestReads(Reads.TestCase):  # S74
    """Every interleaving of dispatches, failures, rewinds and changed sources."""


def test_units_come_in_order_as_many_as_fit(world):  # S74
    role = role_of(world.source(files=FILES), use="SEQUENTIAL", max_tokens=7)
    knowledge = bind(role).actions["answer"].knowledge
    given, exhausted = [], []
    for _ in range(4):
        found = Grounding.of(world.ask(role), knowledge, len)
        assert found.settle()
        given.append(written(found))
        exhausted.append(found.context.usage[0].exhausted)
    assert given == [["one", "two"], ["three"], ["four"], []]
    assert exhausted == [False, False, True, True]


def test_what_is_not_settled_comes_again(world):  # S74
    role = role_of(world.source(files=FILES), use="SEQUENTIAL", max_tokens=7)
    knowledge = bind(role).actions["answer"].knowledge
    first, second = (Grounding.of(world.ask(role), knowledge, len) for _ in range(2))
    assert written(first) == written(second) == ["one", "two"]
    assert second.settle()
    assert not first.settle()
    third = first.again()
    assert third.settle()
    assert written(third) == ["three"]


@pytest.mark.parametrize("other", [{"tenant": "b"}, {"session": "b"}, {"conversation_id": "b"}])
def test_scopes_read_apart(world, other):  # S74 S71
    role = role_of(world.source(files=FILES), use="SEQUENTIAL", max_tokens=7)
    knowledge = bind(role).actions["answer"].knowledge
    mine = {"tenant": "a", "session": "a", "conversation_id": "a"}
    assert Grounding.of(world.ask(role, context=context(**mine)), knowledge, len).settle()
    for changed, left in (({}, 2), (other, 4), ({"run_id": "7", "episode": "e"}, 2)):
        asked = context(**(mine | changed))
        assert len(world.ask(role, context=asked).sequential[0]) == left


def test_actions_and_searches_of_one_source_read_it_together(world):  # S74
    source = world.source(files=FILES)
    one, other = (role_of(source, use="SEQUENTIAL", max_tokens=size) for size in (7, 5))
    knowledge = bind(one).actions["answer"].knowledge
    assert Grounding.of(world.ask(one), knowledge, len).settle()
    assert len(world.ask(one).sequential[0]) == 2
    assert len(world.ask(other).sequential[0]) == 4  # another role


def test_filters_make_another_sequence(world):  # S74 S64
    files = {f"{name}.md": f"---\ntier: {name[1]}\n---\n{name}" for name in ("1a", "2b", "3a")}
    role = role_of(world.source(files=files), use="SEQUENTIAL", max_tokens=2)
    knowledge = bind(role).actions["answer"].knowledge

    def read(**filters):
        found = Grounding.of(
            world.ask(role, context=context(metadata_filters=filters)), knowledge, len
        )
        assert found.settle()
        return written(found), found.context.usage[0].exhausted

    assert read(tier="a") == (["1a"], False)
    assert read() == (["1a"], False)
    assert read(tier="a", **{"tnsai.chat.turn": "2"}) == (["3a"], True)
    assert read() == (["2b"], False)
    assert read(**{"tnsai.run": "7"}) == ([], True)  # which the request is not of
    assert read() == (["3a"], True)


def test_a_unit_too_large_alone_is_shortened_and_marked(world):  # S74
    files = {"0.md": "x" * 50, "1.md": "y"}
    role = role_of(world.source(files=files), use="SEQUENTIAL", max_tokens=10)
    knowledge = bind(role).actions["answer"].knowledge
    found = Grounding.of(world.ask(role), knowledge, len)
    usage = found.context.usage[0]
    assert (usage.documents, usage.truncated, usage.exhausted) == (1, True, False)
    assert found.context.text.endswith("\n" + "x" * 9 + "…")
    assert found.settle()
    found = found.again()
    assert (written(found), found.context.truncated) == (["y"], False)


def test_no_room_for_anything_of_a_unit_is_an_error_and_no_loop(world):  # S74 S70
    role = role_of(world.source(files={"0.md": "xyz"}), use="SEQUENTIAL", max_tokens=1)
    knowledge = bind(role).actions["answer"].knowledge
    for _ in range(2):
        with pytest.raises(ContextValidationError, match="max_tokens.*next unit of 'notes'"):
            Grounding.of(world.ask(role), knowledge, len)


def test_loading_again_goes_on_where_the_beginning_is_the_same(world):  # S74 S68
    source = world.source(files=FILES)
    role = role_of(source, use="SEQUENTIAL", max_tokens=7)
    knowledge = bind(role).actions["answer"].knowledge
    assert Grounding.of(world.ask(role), knowledge, len).settle()

    def left():
        return [unit.content for unit in world.ask(role).sequential[0]]

    world.runtime.invalidate(role)
    assert left() == ["three", "four"]
    world.source(files={"3.md": "FOUR", "4.md": "five"})
    world.runtime.invalidate(role)
    assert left() == ["three", "FOUR", "five"]
    world.source(files={"1.md": "TWO"})
    world.runtime.invalidate(role)
    assert left() == ["one", "TWO", "three", "FOUR", "five"]


def test_rewinding(world):  # S74
    role = role_of(world.source(files=FILES), use="SEQUENTIAL", max_tokens=7)
    knowledge = bind(role).actions["answer"].knowledge
    mine, other = context(tenant="a"), context(tenant="b")

    def left(asked):
        return len(world.ask(role, context=asked).sequential[0])

    for asked in (mine, other):
        assert Grounding.of(world.ask(role, context=asked), knowledge, len).settle()
    assert world.runtime.rewind(role, "elsewhere") == 0
    assert world.runtime.rewind(int) == 0
    assert world.runtime.rewind(role, "notes", mine) == 1
    assert (left(mine), left(other)) == (4, 2)
    assert world.runtime.rewind(role) == 1
    assert left(other) == 4


def test_a_dispatch_under_way_does_not_undo_a_rewinding(world):  # S74
    role = role_of(world.source(files=FILES), use="SEQUENTIAL", max_tokens=7)
    knowledge = bind(role).actions["answer"].knowledge
    assert Grounding.of(world.ask(role), knowledge, len).settle()
    second = Grounding.of(world.ask(role), knowledge, len)
    world.runtime.rewind(role)
    assert not second.settle()
    assert written(second.again()) == ["one", "two"]


def test_the_least_recently_used_cursor_begins_again():  # S74
    cursors = Cursors(2)
    units = units_of(["one", "two", "three"])
    for scope in "abac":
        assert grounding(cursors.reading(key_of(scope), "book", units, "1")).settle()
    assert len(cursors) == 2
    left = [len(cursors.reading(key_of(scope), "book", units, "1")) for scope in "abc"]
    assert left == [0, 3, 1]


@pytest.mark.parametrize("size", [0, -1, True, 1.5, None])
def test_how_many_are_kept_is_checked(size):
    with pytest.raises(InvalidArgumentError, match="kept_cursors"):
        Cursors(size)


def test_units_that_differ_only_in_where_text_ends_are_told_apart():  # S74
    cursors = Cursors()
    before = (SourceDocument("ab", "c"), SourceDocument("d", "e"))
    after = (SourceDocument("a", "bc"), SourceDocument("d", "e"))
    only = Knowledge("book", use=SEQUENTIAL, max_tokens=1)
    assert grounding(cursors.reading(key_of(), "book", before, "1"), only).settle()
    assert len(cursors.reading(key_of(), "book", before, "2")) == 1
    assert len(cursors.reading(key_of(), "book", after, "3")) == 2


def test_several_sources_move_together_or_not_at_all():  # S74
    cursors = Cursors()
    names = ("book", "diary")
    knowledge = [Knowledge(name, use=SEQUENTIAL, max_tokens=6) for name in names]
    keys = {name: CursorKey(BindingKey(object, None, (Knowledge(name),))) for name in names}

    def read(*chosen):
        readings = tuple(
            cursors.reading(keys[name], name, units_of(["one", "two", "three"]), "1")
            for name in chosen
        )
        given = tuple(SourceGiven(each.source, SEQUENTIAL, len(each)) for each in readings)
        return Grounding.of(Retrieved((), None, given, sequential=readings), knowledge, len)

    both = read(*names)
    assert read("diary").settle()
    assert not both.settle()
    assert len(cursors.reading(keys["book"], "book", units_of(["one"]), "1")) == 1
    assert both.again().settle()
    assert [each.exhausted for each in read(*names).retrieved.sequential] == [False, True]

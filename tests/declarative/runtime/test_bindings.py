"""What is loaded for a role: once, for its configuration, until it is invalidated (S68)."""

import gc
import tempfile
import threading
import time
from pathlib import Path

import pytest

from octavo.declarative import Knowledge, RetrievalRuntime, RoleRagBinding, agent_spec, bind
from octavo.declarative.runtime.bindings import ingestion_of
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import (
    CancelledError,
    InvalidArgumentError,
    RetrievalError,
    RetrievalTimeoutError,
    SourceLoadingError,
)
from octavo.spi import CancellationToken, SourceDocument
from tests.declarative.runtime.conftest import context, role_of, search


class Loader:
    """Counts its runs; waits, or fails, where a test says so."""

    def __init__(self):
        self.runs = 0
        self.inside = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.failures = 0
        self.text = "a fox"

    def supports(self, knowledge):
        return knowledge.type == "DATABASE"

    def load(self, knowledge):
        self.runs += 1
        self.inside.set()
        assert self.go_on.wait(10)
        if self.failures:
            self.failures -= 1
            raise SourceLoadingError("the database is down")
        yield SourceDocument(f"{knowledge.name}/1", f"{self.text} of {knowledge.query}")


@pytest.fixture
def loader():
    return Loader()


@pytest.fixture
def world(make_world, loader):
    return make_world(loaders=[loader])


def database(name="rows", query="q", **members):
    return Knowledge(name, type="DATABASE", query=query, **members)


FAIL = search(on_failure="FAIL", cache=False)


def test_a_source_is_loaded_when_it_is_first_needed_and_once(world, loader):  # S68 S61
    role = role_of(database(), search=FAIL)
    bind(role)
    assert loader.runs == 0
    for question in "ab":
        assert len(world.ask(role, question).documents) == 1
    assert loader.runs == 1


def test_how_a_source_is_searched_does_not_load_it_again(world, loader):  # S68
    class Role:
        pass

    from octavo.declarative import ActionType, action_spec, role_spec

    def action(**members):
        entry = Knowledge("rows", search=search(on_failure="FAIL", **members))
        return action_spec(type=ActionType.LLM, knowledge=entry)

    class Two:
        def one(self, question: str) -> str: ...
        def two(self, question: str) -> str: ...

    Two.one = action(top_k=1)(Two.one)
    Two.two = action(strategy="KEYWORD")(Two.two)
    declared = bind(role_spec(knowledge=database())(Two))
    for name in ("one", "two"):
        found = world.runtime.retrieve(declared, declared.actions[name], {"question": "fox"})
        assert found.documents
    assert loader.runs == 1


def test_each_role_class_and_configuration_has_its_own(world, loader):  # S68
    for _ in range(2):
        world.ask(role_of(database(), search=FAIL))
    assert loader.runs == 2
    world.ask(role_of(database(query="other"), search=FAIL))
    assert loader.runs == 3


def test_invalidation_makes_the_next_dispatch_load_again(world, loader):  # S68
    role, other = role_of(database(), search=FAIL), role_of(database(), search=FAIL)
    before = world.ask(role).documents[0]
    world.ask(other)
    loader.text = "an owl"
    assert world.ask(role).documents[0].content == before.content
    assert world.runtime.invalidate(role) >= 1
    after = world.ask(role).documents[0]
    assert after.content == "an owl of q"
    revisions = {each.metadata["tnsai.bindingRevision"] for each in (before, after)}
    assert len(revisions) == 2
    assert world.ask(other).documents[0].content == "a fox of q"
    assert loader.runs == 3


def test_invalidation_by_agent_and_by_base_class(world, loader):  # S68
    role = role_of(database(), search=FAIL)

    @agent_spec()
    class Agent:
        pass

    class Derived(Agent):
        pass

    world.ask(role, agent=Derived)
    assert world.runtime.invalidate(Agent) >= 1
    assert world.runtime.invalidate(Agent) == 0
    world.ask(role, agent=Derived)
    assert loader.runs == 2


def test_the_reference_s_name_for_it(tmp_path):  # S68
    (tmp_path / "a.md").write_text("a fox")
    role = role_of(Knowledge("notes", path=str(tmp_path)), search=search(strategy="KEYWORD"))
    declared = bind(role)
    runtime = RetrievalRuntime.default()

    def ask():
        found = runtime.retrieve(declared, declared.actions["answer"], {"question": "fox"})
        return [each.content for each in found.documents]

    assert ask() == ["a fox"]
    (tmp_path / "a.md").write_text("an old fox")
    assert ask() == ["a fox"]
    RoleRagBinding.invalidate(role)
    assert ask() == ["an old fox"]
    RoleRagBinding.invalidate(role)


def test_a_retrieval_under_way_ends_with_what_it_began_with(world, loader):  # S68
    role = role_of(database(), search=FAIL)
    loader.go_on.clear()
    found = []
    thread = threading.Thread(target=lambda: found.append(world.ask(role)))
    thread.start()
    assert loader.inside.wait(10)
    world.runtime.invalidate(role)
    world.runtime.close()
    loader.go_on.set()
    thread.join()
    assert found[0].documents[0].content == "a fox of q"


def test_one_thread_loads_and_the_others_wait(world, loader):  # S68
    role = role_of(database(), search=FAIL)
    loader.go_on.clear()
    found = []
    threads = [threading.Thread(target=lambda: found.append(world.ask(role))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert loader.inside.wait(10)
    time.sleep(0.2)
    loader.go_on.set()
    for thread in threads:
        thread.join()
    assert [len(each.documents) for each in found] == [1] * 4
    assert loader.runs == 1


@pytest.mark.parametrize("reason", ["deadline", "cancelled"])
def test_who_waits_heeds_its_own_deadline_and_cancellation(world, loader, reason):  # S50 S67
    role = role_of(database(), search=FAIL)
    loader.go_on.clear()
    found = []
    thread = threading.Thread(target=lambda: found.append(world.ask(role)))
    thread.start()
    assert loader.inside.wait(10)
    token = CancellationToken()
    if reason == "deadline":
        asked = DispatchContext.builder().timeout(0.2).build()
        with pytest.raises(RetrievalTimeoutError):
            world.ask(role, context=asked)
    else:
        threading.Timer(0.2, token.cancel).start()
        with pytest.raises(CancelledError):
            world.ask(role, context=context(cancellation=token))
    loader.go_on.set()
    thread.join()
    assert len(found[0].documents) == 1


def test_a_failed_load_is_tried_again_by_the_next_dispatch(world, loader):  # S66 S68
    role = role_of(database(), search=FAIL)
    loader.failures = 1
    with pytest.raises(SourceLoadingError, match="is down"):
        world.ask(role)
    assert len(world.ask(role).documents) == 1


def test_an_id_is_unique_in_its_source_only(make_world):  # S61 S68
    class Tree:
        def supports(self, knowledge):
            return str(knowledge.type) == "DATABASE"

        def load(self, knowledge):
            yield SourceDocument("root", f"owl of {knowledge.name}", {})
            yield SourceDocument("leaf", f"fox of {knowledge.name}", {"hierarchy.parentId": "root"})

    world = make_world(loaders=[Tree()])
    sources = [Knowledge(name, type="DATABASE") for name in ("left", "right")]
    keyword, climbing = (
        search(strategy=strategy, on_failure="FAIL") for strategy in ("KEYWORD", "HIERARCHICAL")
    )
    found = world.ask(role_of(*sources, search=keyword), "fox").documents
    assert {each.metadata["entryId"] for each in found} == {"left/leaf", "right/leaf"}
    found = world.ask(role_of(*sources, search=climbing), "fox").documents
    expected = {f"{animal} of {side}" for animal in ("fox", "owl") for side in ("left", "right")}
    assert {each.content for each in found} == expected


@pytest.mark.parametrize("embed", [None, lambda text: [1.0, 2.0]], ids=["hash", "provider"])
def test_a_source_without_documents_is_an_empty_answer(make_world, tmp_path, embed):  # S66
    world = make_world(embed=embed)
    (tmp_path / "empty").mkdir()
    source = Knowledge("empty", path=str(tmp_path / "empty"))
    for strategy in ("SEMANTIC", "KEYWORD", "HYBRID", "HIERARCHICAL", "TEMPORAL"):
        role = role_of(source, search=search(strategy=strategy, on_failure="FAIL"))
        found = world.ask(role)
        assert found.documents == ()
        assert [each.documents for each in found.sources] == [0]


@pytest.mark.parametrize("strategy", ["SEMANTIC", "HYBRID", "HIERARCHICAL", "TEMPORAL"])
@pytest.mark.parametrize("deduplicate", [True, False])
def test_a_source_without_documents_is_an_empty_answer_with_a_provider_too(
    make_world, tmp_path, strategy, deduplicate
):  # S66
    (tmp_path / "empty").mkdir()
    settings = search(strategy=strategy, deduplicate=deduplicate, on_failure="FAIL")
    role = role_of(Knowledge("empty", path=str(tmp_path / "empty")), search=settings)
    assert make_world(lambda text: [1.0, 2.0]).ask(role).documents == ()


def test_prepared_sources_are_not_loaded_by_a_dispatch(world, loader):  # S68
    role = role_of(database(), search=FAIL)
    world.runtime.prepare(bind(role))
    assert loader.runs == 1
    world.ask(role)
    assert loader.runs == 1


def test_a_relative_path_is_one_configuration_wherever_the_process_goes(tmp_path, monkeypatch):
    here, there = tmp_path / "here", tmp_path / "there"
    for place in (here, there):
        place.mkdir()
    monkeypatch.chdir(here)
    first = ingestion_of(Knowledge("notes", path="docs"))
    monkeypatch.chdir(there)
    assert ingestion_of(Knowledge("notes", path="docs")) != first
    assert ingestion_of(Knowledge("notes", path=str(here / "docs"))) == first


def test_a_temporary_corpus_goes_with_its_binding(world, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    role = role_of(database(), search=FAIL)
    world.ask(role)
    assert len(list((tmp_path / "temporary").iterdir())) == 1
    world.runtime.invalidate(role)
    gc.collect()
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files as Linux does")
def test_dispatches_and_invalidations_leave_nothing_open(world, tmp_path, monkeypatch):  # S68
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    role = role_of(world.source(), search=search(strategy="HYBRID", on_failure="FAIL"))

    def held():
        for number in range(10):
            world.ask(role, f"mice {number}", context(tenant=str(number)))
        world.runtime.invalidate(role)
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    before = held()
    for _ in range(5):
        files, threads = held()
        assert files <= before[0]
        assert threads <= before[1]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_whole_sources_are_given_in_order_or_as_the_request_says(world, tmp_path):  # S71 S74
    source = world.source(files={"a.md": "first", "b.md": "second"})
    role = role_of(source, use="DIRECT")
    found = world.ask(role)
    assert [each.content for each in found.direct] == ["first", "second"]
    assert (found.documents, found.search) == ((), None)
    assert [(each.name, each.use.name, each.documents) for each in found.sources] == [
        ("notes", "DIRECT", 2)
    ]
    asked = context(source_paths={"notes": f"{source.path}/b.md"})
    assert [each.content for each in world.ask(role, context=asked).direct] == ["second"]
    assert len(world.ask(role).direct) == 2
    (tmp_path / "elsewhere.md").write_text("not declared")
    asked = context(source_paths={"notes": str(tmp_path / "elsewhere.md")})
    with pytest.raises(InvalidArgumentError, match="source_paths: 'notes'"):
        world.ask(role, context=asked)


@pytest.mark.parametrize("forget", ["invalidate", "rewind"])
def test_only_a_class_can_be_forgotten(world, forget):  # S68 S74
    for wrong in ("Researcher", None, role_of(world.source())()):
        with pytest.raises(InvalidArgumentError, match="a role's or an agent's class"):
            getattr(world.runtime, forget)(wrong)


@pytest.mark.parametrize("use", ["SEARCH", "DIRECT"])
def test_a_source_cannot_say_whose_request_it_is(make_world, use):  # S71
    class Forging:
        def supports(self, knowledge):
            return str(knowledge.type) == "DATABASE"

        def load(self, knowledge):
            forged = {"tnsai.owner": "b", "tnsai.source": "b", "octavo.knowledge": "b"}
            yield SourceDocument("1", "fox", {**forged, "tier": "gold"})

    world = make_world(loaders=[Forging()])
    settings = {"search": search()} if use == "SEARCH" else {}
    found = world.ask(role_of(Knowledge("a", type="DATABASE"), use=use, **settings), "fox")
    (document,) = found.documents or found.direct
    assert not {"tnsai.owner", "octavo.knowledge"} & set(document.metadata)
    assert (document.metadata["tnsai.source"], document.metadata["tier"]) == ("a", "gold")


def test_filters_act_on_whole_sources_too(world):  # S64 S7
    files = {"a.md": "---\ntier: gold\n---\nfirst", "b.md": "second"}
    role = role_of(world.source(files=files), use="DIRECT")
    gold = context(metadata_filters={"tier": "gold"})
    assert [each.metadata["path"] for each in world.ask(role, context=gold).direct] == ["a.md"]
    other = context(run_id="1", metadata_filters={"tnsai.run": "2"})
    assert world.ask(role, context=other).direct == ()
    named = context(metadata_filters={"tnsai.source": "notes"})
    assert len(world.ask(role, context=named).direct) == 2


def test_a_slow_location_holds_nobody_up_who_needs_none(make_world, tmp_path):  # S50 S71
    reading, go_on = threading.Event(), threading.Event()

    class Slow:
        def supports(self, knowledge):
            return knowledge.name == "guide"

        def load(self, knowledge):
            if knowledge.path.endswith("slow"):
                reading.set()
                assert go_on.wait(20)
            yield SourceDocument("1", "whole", {})

    world = make_world(loaders=[Slow()])
    role = role_of(Knowledge("guide", path=str(tmp_path)), use="DIRECT")
    assert len(world.ask(role).direct) == 1
    elsewhere = context(source_paths={"guide": str(tmp_path / "slow")})
    thread = threading.Thread(target=lambda: world.ask(role, "q", elsewhere))
    thread.start()
    assert reading.wait(20)
    try:
        soon = DispatchContext.builder().timeout(2.0).build()
        assert len(world.ask(role, "q", soon).direct) == 1
    finally:
        go_on.set()
        thread.join()


def test_who_waits_for_a_graph_heeds_its_own_deadline(make_world):  # S50 S81
    opening, go_on = threading.Event(), threading.Event()

    class Remote:
        is_default = False

        def claims(self, scope):
            return True

        def open(self, scope):
            opening.set()
            assert go_on.wait(20)
            raise OSError("it went away")

    world = make_world(graphs=[Remote()])
    settings = search(strategy="HYBRID", on_failure="FAIL", cache=False)
    role = role_of(world.source(), search=settings)
    failures = []

    def asked(seconds):
        try:
            world.ask(role, "mice", DispatchContext.builder().timeout(seconds).build())
        except RetrievalError as error:
            failures.append(type(error))

    thread = threading.Thread(target=asked, args=(60.0,))
    thread.start()
    assert opening.wait(20)
    try:
        asked(0.2)
        assert failures == [RetrievalTimeoutError]
    finally:
        go_on.set()
        thread.join()


def test_names_of_metadata_without_bound_are_a_failure_of_the_source(make_world):  # S66
    class Wide:
        def supports(self, knowledge):
            return str(knowledge.type) == "DATABASE"

        def load(self, knowledge):
            names = (f"{knowledge.name}{number}" for number in range(3000))
            yield SourceDocument("1", "fox", dict.fromkeys(names, "x"))

    sources = [Knowledge(name, type="DATABASE") for name in ("left", "right")]
    role = role_of(*sources, search=search(on_failure="FAIL"))
    with pytest.raises(SourceLoadingError, match="4,096 different names"):
        make_world(loaders=[Wide()]).ask(role)


def test_prepared_whole_sources_are_not_read_again(world, loader):  # S68
    role = role_of(database("one"), database("two"), use="SEQUENTIAL")
    world.runtime.prepare(bind(role))
    assert loader.runs == 2
    assert [len(each) for each in world.ask(role).sequential] == [1, 1]
    assert loader.runs == 2


def test_many_threads_get_what_one_gets(world):  # S42 S68
    files = {f"f{number}.md": f"note {number} about fox{number % 7}" for number in range(40)}
    role = role_of(world.source(files=files), search=search(strategy="HYBRID", cache=False))
    questions = [f"fox{number}" for number in range(7)]
    expected = {}
    found = []

    def ask():
        found.extend((question, world.ask(role, question).documents) for question in questions)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for question in questions:
        expected[question] = world.ask(role, question).documents
    assert len(found) == 6 * len(questions)
    assert all(documents == expected[question] for question, documents in found)


def test_both_names_of_a_source_must_match(world):  # S64 S71
    role = role_of(world.source("a"), world.source("b"), search=search(top_k=20))
    filters = {"octavo.knowledge": "a", "tnsai.source": "a"}
    found = world.ask(role, context=context(metadata_filters=filters)).documents
    assert {each.metadata["tnsai.source"] for each in found} == {"a"}
    filters["tnsai.source"] = "b"
    assert world.ask(role, context=context(metadata_filters=filters)).documents == ()

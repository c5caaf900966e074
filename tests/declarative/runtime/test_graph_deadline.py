"""Building a graph heeds the request that it is built for, document by document (S50)."""

import threading
import time

import pytest

from octavo.declarative import Knowledge, action_spec, bind, role_spec
from octavo.declarative.runtime.request_token import check_heeded, heeded, heeding
from octavo.errors import CancelledError, RetrievalTimeoutError
from octavo.graph.text.extractor import TextExtractor
from octavo.spi import CancellationToken
from tests.declarative.runtime.conftest import context, search

FILES = {f"{number}.md": f"The Auth Service calls Redis Cluster {number}." for number in range(20)}


@pytest.fixture(params=["GRAPH", "HYBRID"])
def role(request, world):
    """A role whose action asks a graph of its files, alone or as the third stream."""
    settings = search(strategy=request.param, on_failure="FAIL", cache=False)
    files = world.source(files=FILES)
    named = Knowledge("graph", type="GRAPH") if request.param == "GRAPH" else files

    @role_spec(knowledge=[files, named] if named is not files else files)
    class Role:
        @action_spec(type="LLM", knowledge=Knowledge(named.name, search=settings))
        def answer(self, question: str) -> str: ...

    return Role


@pytest.fixture
def extracting(monkeypatch):
    """What happens before a document is looked at; tells how many were."""
    looked_at = []
    extract = TextExtractor.extract

    def watch(before):
        def watched(self, text):
            looked_at.append(text)
            before(len(looked_at))
            return extract(self, text)

        monkeypatch.setattr(TextExtractor, "extract", watched)
        return looked_at

    return watch


def test_a_cancellation_is_noticed_between_documents(world, role, extracting):
    token = CancellationToken()
    looked_at = extracting(lambda count: token.cancel() if count == 3 else None)
    with pytest.raises(CancelledError):
        world.ask(role, "Redis Cluster", context(cancellation=token))
    assert len(looked_at) == 3


def test_so_is_the_deadline(world, role, extracting):
    world.runtime.prepare(bind(role))
    asked = context(deadline=time.monotonic() + 0.5)
    looked_at = extracting(lambda count: time.sleep(0.6) if count == 2 else None)
    with pytest.raises(RetrievalTimeoutError):
        world.ask(role, "Redis Cluster", asked)
    assert len(looked_at) == 2


def test_whoever_asks_next_builds_it_by_its_own_request(world, role, extracting):
    token = CancellationToken()
    looked_at = extracting(lambda count: token.cancel() if count == 3 else None)
    with pytest.raises(CancelledError):
        world.ask(role, "Redis Cluster", context(cancellation=token))
    looked_at.clear()
    late = CancellationToken()
    extracting(lambda count: late.cancel() if count == 1 else None)
    with pytest.raises(CancelledError):
        world.ask(role, "Redis Cluster", context(cancellation=late))
    extracting(lambda count: None)
    assert world.ask(role, "Redis Cluster").documents


def test_whoever_waits_for_it_waits_no_longer_than_its_own_request(world, role, extracting):
    world.runtime.prepare(bind(role))
    building, go_on = threading.Event(), threading.Event()
    extracting(lambda count: (building.set(), go_on.wait(60)))
    found = []
    builder = threading.Thread(target=lambda: found.append(world.ask(role, "Redis Cluster")))
    builder.start()
    try:
        assert building.wait(60)
        with pytest.raises(RetrievalTimeoutError):
            world.ask(role, "Redis Cluster", context(deadline=time.monotonic() + 0.3))
    finally:
        go_on.set()
        builder.join()
    assert found[0].documents


def test_what_is_heeded_is_the_innermost_request():
    outer, inner = context(tenant="outer"), context(deadline=time.monotonic() - 1)
    check_heeded()
    with heeding(outer):
        with heeding(inner), pytest.raises(RetrievalTimeoutError):
            check_heeded()
        check_heeded()
        assert heeded() is outer
    assert heeded().deadline is None

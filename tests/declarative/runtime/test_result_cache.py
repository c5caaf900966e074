"""How long a result is fresh, how long it is usable, and how many are kept (S67, S71)."""

import threading
from dataclasses import fields, replace

import pytest

from octavo.declarative import DispatchContext, FailureAction, ResolvedSearch, SearchStrategy
from octavo.declarative.runtime.result_cache import ResultCache, isolation_key
from octavo.errors import ConfigurationError
from octavo.spi import RetrievedDocument
from tests.declarative.runtime.conftest import Clock

DOCUMENTS = (RetrievedDocument("text", "source", 1.0),)


def test_fresh_then_stale_then_gone():  # S67
    clock = Clock()
    cache = ResultCache(2, clock)
    cache.store("k", DOCUMENTS, ResolvedSearch(cache_ttl=10, max_staleness=5))
    for now, fresh, usable in [
        (9.9, DOCUMENTS, (DOCUMENTS, False)),
        (10.0, None, (DOCUMENTS, True)),
        (14.9, None, (DOCUMENTS, True)),
        (15.0, None, None),
    ]:
        clock.now = now
        assert (cache.fresh("k"), cache.usable("k")) == (fresh, usable)


def test_the_number_of_results_is_bounded_and_the_least_used_goes():  # S64
    cache = ResultCache(2, Clock())
    for key in "ab":
        cache.store(key, DOCUMENTS, ResolvedSearch())
    assert cache.fresh("a")
    cache.store("c", DOCUMENTS, ResolvedSearch())
    assert len(cache) == 2
    assert (cache.fresh("a"), cache.fresh("b"), cache.fresh("c")) == (DOCUMENTS, None, DOCUMENTS)


def test_many_threads():  # S64
    cache = ResultCache(8, Clock())

    def work(seed):
        for number in range(300):
            key = (seed * number) % 13
            cache.store(key, DOCUMENTS, ResolvedSearch())
            found = cache.fresh(key)
            assert found in (None, DOCUMENTS)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 8


RENDERING = {"context_format", "include_spec", "context_window"}
OTHER = {
    "strategy": SearchStrategy.KEYWORD,
    "query_param": "other",
    "rerank": True,
    "reranker_model": "m",
    "context_window": 1,
    "top_k": 9,
    "top_n": 9,
    "min_score": 0.1,
    "deduplicate": False,
    "dedupe_threshold": 0.1,
    "query_expansion": "HYDE",
    "query_expansion_model": "m",
    "navigator_model": "m",
    "expanded_queries": 9,
    "include_spec": False,
    "context_format": "${content}",
    "cache": False,
    "cache_ttl": 9,
    "max_staleness": 9,
    "on_failure": FailureAction.FAIL,
}


@pytest.mark.parametrize("member", [each.name for each in fields(ResolvedSearch)])
def test_every_setting_but_rendering_keeps_results_apart(member):  # S71 S64
    models = {"reranker_model": "n", "query_expansion_model": "n"}
    base = ResolvedSearch(**models)
    try:
        changed = replace(base, **{member: OTHER[member]})
    except ConfigurationError:
        pytest.fail(f"a member that no test changes: {member}")
    key = isolation_key("q", base, {}, ("a",), DispatchContext())
    other = isolation_key("q", changed, {}, ("a",), DispatchContext())
    assert (key == other) is (member in RENDERING)


def test_queries_filters_and_sources_keep_results_apart():  # S71
    search, context = ResolvedSearch(), DispatchContext()
    keys = {
        isolation_key("q", search, {}, ("a",), context),
        isolation_key("r", search, {}, ("a",), context),
        isolation_key("q", search, {"k": "v"}, ("a",), context),
        isolation_key("q", search, {"k": "w"}, ("a",), context),
        isolation_key("q", search, {}, ("a", "b"), context),
    }
    assert len(keys) == 5
    one = isolation_key("q", search, {"a": "1", "b": "2"}, ("a",), context)
    assert one == isolation_key("q", search, {"b": "2", "a": "1"}, ("a",), context)

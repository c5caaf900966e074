"""A class with the methods of a protocol is one."""

import pytest

import octavo

METHODS = {
    octavo.Reranker: {"supports", "rerank"},
    octavo.SourceLoader: {"supports", "load"},
    octavo.RetrievalEngineProvider: {"claims", "retrieve"},
    octavo.LLMClient: {"complete"},
    octavo.AsyncLLMClient: {"complete_async"},
}


@pytest.mark.parametrize("protocol", METHODS)
def test_the_methods_are_those_an_application_writes(protocol):
    kind = type("Own", (), dict.fromkeys(METHODS[protocol], lambda self: None))
    assert isinstance(kind(), protocol)
    assert not isinstance(object(), protocol)
    assert {name for name in vars(protocol) if not name.startswith("_")} == METHODS[protocol]

"""A client against a real server on this machine."""

import asyncio
import gc
import gzip
import pickle
import threading
import time
import traceback

import pytest

from octavo.declarative import DispatchContext, OpenAIClient
from octavo.declarative.actions.action_context import ActionContext, entered
from octavo.errors import (
    CancelledError,
    ConfigurationError,
    ExecutionError,
    InvalidArgumentError,
    RetrievalTimeoutError,
)
from octavo.spi import (
    AsyncLLMClient,
    AsyncStreamingLLMClient,
    CancellationToken,
    LLMClient,
    StreamingLLMClient,
)
from tests.model_servers.model_server import (
    answer,
    begin,
    chat_server,
    drop,
    endless,
    event,
    hang,
    raw,
)

KEY = "sk-test-0123456789abcdef"


def client(server, **options):
    return OpenAIClient("m", base_url=server.url, api_key=KEY, **{"max_retries": 0} | options)


def within(seconds=None, token=None):
    deadline = None if seconds is None else time.monotonic() + seconds
    return entered(ActionContext(dispatch=DispatchContext(deadline=deadline, cancellation=token)))


async def collected(pieces):
    return [piece async for piece in pieces]


# Each way of asking, as a function of client, system and prompt that returns the text.
ASK = {
    "complete": lambda c, s, p: c.complete(s, p),
    "stream": lambda c, s, p: " ".join(c.stream(s, p)),
    "complete_async": lambda c, s, p: asyncio.run(c.complete_async(s, p)),
    "stream_async": lambda c, s, p: " ".join(asyncio.run(collected(c.stream_async(s, p)))),
}
every_way = pytest.mark.parametrize("ask", ASK.values(), ids=ASK)


@every_way
def test_it_sends_both_texts_and_returns_the_answer(ask):
    with chat_server(answer("It is grounded.")) as server:
        asked = client(server, temperature=0.0, max_tokens=9)
        assert ask(asked, "Be brief.", "Why?") == "It is grounded."
    assert server.keys == [f"Bearer {KEY}"]
    sent = server.requests[0]
    assert sent["model"] == "m"
    assert (sent["temperature"], sent["max_tokens"]) == (0.0, 9)
    assert sent["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Why?"},
    ]


def test_a_blank_system_prompt_is_not_sent():
    with chat_server() as server:
        client(server).complete("", "Why?")
    assert server.requests[0]["messages"] == [{"role": "user", "content": "Why?"}]


def test_it_is_every_kind_of_client():
    with chat_server() as server:
        kinds = (LLMClient, AsyncLLMClient, StreamingLLMClient, AsyncStreamingLLMClient)
        assert all(isinstance(client(server), kind) for kind in kinds)


def test_the_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with chat_server() as server:
        OpenAIClient("m", base_url=server.url).complete("", "Why?")
    assert server.keys == [f"Bearer {KEY}"]


def test_without_a_key_nothing_is_asked(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        OpenAIClient("gpt-4o-mini")


def test_a_compatible_server_needs_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with chat_server() as server:
        assert OpenAIClient("m", base_url=server.url).complete("", "Why?") == "Grounded."


@pytest.mark.parametrize("key", ["sk-\n", "sk-\u00e9"])
def test_a_key_that_is_no_header_is_refused_without_showing_it(key):
    with pytest.raises(ConfigurationError, match="api_key") as caught:
        OpenAIClient("m", api_key=key)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("timeout", 0),
        ("timeout", True),
        ("timeout", float("inf")),
        ("max_retries", -1),
        ("max_response_bytes", 0),
    ],
)
def test_bounds(option, value):
    with pytest.raises(InvalidArgumentError, match=option):
        OpenAIClient("m", api_key=KEY, **{option: value})


def test_a_blank_model_is_refused():
    with pytest.raises(InvalidArgumentError, match="model"):
        OpenAIClient(" ", api_key=KEY)


@every_way
@pytest.mark.parametrize("status", [401, 400, 404, 500])
def test_the_key_is_in_no_message(ask, status):
    payload = b'{"error": {"message": "Incorrect API key provided: %s"}}' % KEY.encode()
    with chat_server(raw(payload, status)) as server:
        asked = client(server)
        kind = ConfigurationError if status == 401 else ExecutionError
        with pytest.raises(kind) as caught:
            ask(asked, "", "Why?")
    shown = "".join(traceback.format_exception(caught.value)) + repr(asked) + repr(caught.value)
    assert KEY not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert str(status) in str(caught.value) or "***" in str(caught.value)


def test_no_secret_of_an_address_shows():
    shown = repr(OpenAIClient("m", base_url="http://me:hunter2@localhost:1/v1?key=hunter2"))
    assert shown == "OpenAIClient('m', base_url='http://localhost:1/v1')"


def test_without_a_key_messages_stay_as_they_are(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    payload = b'{"error": {"message": "none of these models is known"}}'
    with (
        chat_server(raw(payload, 404)) as server,
        pytest.raises(ExecutionError, match="none of these models"),
    ):
        OpenAIClient("m", base_url=server.url, max_retries=0).complete("", "Why?")


def test_a_client_is_not_pickled():
    with pytest.raises(TypeError, match="key"):
        pickle.dumps(OpenAIClient("m", api_key=KEY))


@every_way
def test_a_server_that_hangs(ask):
    with chat_server(hang) as server:
        started = time.monotonic()
        with within(seconds=0.3), pytest.raises(RetrievalTimeoutError):
            ask(client(server, max_retries=5), "", "Why?")
        assert time.monotonic() - started < 5


@every_way
def test_silence_is_bounded_without_a_deadline(ask):
    with chat_server(hang) as server, pytest.raises(RetrievalTimeoutError):
        ask(client(server, timeout=0.2), "", "Why?")


@every_way
def test_a_deadline_that_has_passed_asks_nothing(ask):
    with chat_server() as server, within(seconds=-1), pytest.raises(RetrievalTimeoutError):
        ask(client(server), "", "Why?")
    assert server.requests == []


@every_way
def test_a_request_that_is_cancelled_asks_nothing(ask):
    token = CancellationToken()
    token.cancel()
    with chat_server() as server, within(token=token), pytest.raises(CancelledError):
        ask(client(server), "", "Why?")
    assert server.requests == []


@every_way
def test_an_answer_that_drips_for_ever_ends_at_the_deadline(ask):
    with (
        chat_server(endless(b" ", "text/event-stream", pause=0.05)) as server,
        within(seconds=0.4),
        pytest.raises(RetrievalTimeoutError),
    ):
        ask(client(server), "", "Why?")


@every_way
@pytest.mark.parametrize("status", [200, 500])
def test_an_endless_answer_is_bounded_in_bytes(ask, status):
    part = event("x" * 1000)
    with (
        chat_server(endless(part, "text/event-stream", status)) as server,
        pytest.raises(ExecutionError, match="more than 200000 bytes"),
    ):
        ask(client(server, max_response_bytes=200_000), "", "Why?")


@every_way
def test_a_compressed_answer_is_refused(ask):
    bomb = gzip.compress(b" " * 10_000_000)
    with (
        chat_server(raw(bomb, headers=[("Content-Encoding", "gzip")])) as server,
        pytest.raises(ExecutionError, match="gzip"),
    ):
        ask(client(server), "", "Why?")


@pytest.mark.parametrize("ask", [ASK["complete"], ASK["complete_async"]], ids=["sync", "async"])
@pytest.mark.parametrize(
    "payload",
    [
        b"{",
        b"",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": {"content": null}}]}',
        b'{"choices": 3}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b"<html>",
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
def test_what_is_no_answer_is_an_execution_failure(ask, payload, kind):
    with (
        chat_server(raw(payload, kind=kind)) as server,
        pytest.raises(ExecutionError, match="language model server"),
    ):
        ask(client(server), "", "Why?")


@pytest.mark.parametrize("ask", [ASK["stream"], ASK["stream_async"]], ids=["sync", "async"])
def test_a_stream_that_breaks_the_protocol_is_an_execution_failure(ask):
    with (
        chat_server(raw(b"data: {\n\n", kind="text/event-stream")) as server,
        pytest.raises(ExecutionError, match="protocol"),
    ):
        ask(client(server), "", "Why?")


@pytest.mark.parametrize("ask", [ASK["stream"], ASK["stream_async"]], ids=["sync", "async"])
@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"data: [DONE]\n\n",
        event("Half of"),
        event("Half of") + event("the answer")[:40],
        event("Half of") + b"data: [DONE]\n\n",
    ],
    ids=["nothing", "no event", "cut", "cut inside an event", "no reason"],
)
def test_a_stream_that_breaks_off_is_no_whole_answer(ask, payload):  # S43
    with (
        chat_server(raw(payload, kind="text/event-stream")) as server,
        pytest.raises(ExecutionError, match="broke off"),
    ):
        ask(client(server), "", "Why?")


@pytest.mark.parametrize("ask", [ASK["stream"], ASK["stream_async"]], ids=["sync", "async"])
def test_a_refusal_in_a_stream_is_told(ask):  # S43
    payload = event(None, refusal="I can") + event(None, "stop", refusal="not.")
    with (
        chat_server(raw(payload, kind="text/event-stream")) as server,
        pytest.raises(ExecutionError, match=r"no text; it refused: 'I cannot\.'"),
    ):
        ask(client(server), "", "Why?")


@pytest.mark.parametrize("ask", [ASK["stream"], ASK["stream_async"]], ids=["sync", "async"])
def test_a_stream_that_comes_byte_by_byte(ask):
    def send(server, handler, body):
        begin(handler, "text/event-stream")
        for byte in event("h\u00e9\u20ac\U0001f600") + event(None, "stop") + b"data: [DONE]\n\n":
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()

    with chat_server(send) as server:
        assert ask(client(server), "", "Why?") == "h\u00e9\u20ac\U0001f600"


def test_a_refusal_is_told():
    payload = b'{"choices": [{"message": {"content": null, "refusal": "I cannot."}}]}'
    with chat_server(raw(payload)) as server, pytest.raises(ExecutionError, match="I cannot"):
        client(server).complete("", "Why?")


@every_way
@pytest.mark.parametrize(
    "first", [raw(b"{}", 500), raw(b"{}", 429), drop], ids=["500", "429", "drop"]
)
def test_what_may_pass_is_tried_again(ask, first, monkeypatch):
    with chat_server(first, answer("Grounded.")) as server:
        asked = client(server, max_retries=1)
        asked._attempts = type(asked._attempts)(1, 0.01)
        assert ask(asked, "", "Why?") == "Grounded."
    assert len(server.requests) == 2


@every_way
def test_what_will_not_pass_is_not(ask):
    with (
        chat_server(raw(b"{}", 400), answer("Grounded.")) as server,
        pytest.raises(ExecutionError, match="400"),
    ):
        ask(client(server, max_retries=3), "", "Why?")
    assert len(server.requests) == 1


@every_way
def test_nothing_is_tried_past_the_deadline(ask):
    with (
        chat_server(raw(b"{}", 503, headers=[("Retry-After", "30")])) as server,
        within(seconds=5),
        pytest.raises(ExecutionError, match="503"),
    ):
        ask(client(server, max_retries=3), "", "Why?")
    assert len(server.requests) == 1


@every_way
def test_a_request_that_is_cancelled_waits_for_no_retry(ask):  # S50
    token = CancellationToken()

    def busy_until_cancelled(server, handler, body):
        raw(b"{}", 503, headers=[("Retry-After", "8")])(server, handler, body)
        threading.Timer(0.2, token.cancel).start()

    started = time.monotonic()
    with (
        chat_server(busy_until_cancelled) as server,
        within(token=token),
        pytest.raises(CancelledError),
    ):
        ask(client(server, max_retries=1), "", "Why?")
    assert time.monotonic() - started < 5


def test_no_server_at_all():
    with chat_server() as server:
        pass
    with pytest.raises(ExecutionError, match="cannot be reached"):
        client(server).complete("", "Why?")


def test_a_stream_can_be_left():
    with chat_server(endless(event("more"), "text/event-stream", pause=0.01)) as server:
        pieces = client(server).stream("", "Why?")
        assert next(pieces) == "more"
        pieces.close()


def test_threads_share_a_client():
    from concurrent.futures import ThreadPoolExecutor

    with chat_server() as server:
        asked = client(server)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n: asked.complete("", str(n)), range(32)))
    assert answers == ["Grounded."] * 32
    assert {each["messages"][0]["content"] for each in server.requests} == set(map(str, range(32)))


def test_a_client_that_goes_closes_its_connections():
    with chat_server() as server:
        asked = client(server)
        asked.complete("", "Why?")
        http = asked._client._client
        del asked
        gc.collect()
        assert http.is_closed


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(ConfigurationError, match=r"octavo\[openai\]"):
        OpenAIClient("m", api_key=KEY)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("base_url", each) for each in (3, "", "localhost", "ftp://x")),
        *(("temperature", each) for each in (float("nan"), float("inf"), -1, "hot", True)),
        *(("max_tokens", each) for each in ("many", 0, 1.5, True)),
    ],
    ids=repr,
)
def test_settings_that_cannot_be_are_told(name, value):
    with pytest.raises(InvalidArgumentError, match=f"^{name}: "):
        OpenAIClient("m", **{"api_key": "k", name: value})


@every_way
def test_a_redirect_is_not_followed(ask):
    """What is sent goes to the server that was named, and to no other."""
    with chat_server() as other:
        away = raw(b"", 307, headers=[("Location", other.url + "/chat/completions")])
        told = f"elsewhere .*give the address of {other.url}/chat"
        with chat_server(away) as server, pytest.raises(ConfigurationError, match=told):
            ask(client(server, max_retries=2), "", "p")
    assert len(server.requests) == 1
    assert other.requests == []


@every_way
def test_a_server_that_asks_for_too_long_is_left(ask):
    busy = raw(b"{}", 429, headers=[("Retry-After", "3600")])
    with chat_server(busy) as server, pytest.raises(ExecutionError, match="alone for 3,600 s"):
        ask(client(server, max_retries=2), "", "p")
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", ["complete", "complete_async"])
def test_an_answer_that_is_an_error(way):
    refusal = raw(b'{"error": {"message": "no such model", "code": 404}}')
    with chat_server(refusal) as server, pytest.raises(ExecutionError, match="no such model"):
        ASK[way](client(server), "", "p")

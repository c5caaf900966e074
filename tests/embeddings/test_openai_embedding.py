"""The embeddings endpoint, against a real server on this machine."""

import json
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest

from octavo.embeddings import embeddings_endpoint
from octavo.embeddings.openai_embedding import OpenAIEmbedding
from octavo.embeddings.protocol import embed_queries, embed_texts
from octavo.errors import (
    ConfigurationError,
    DimensionMismatchError,
    ExecutionError,
    InvalidArgumentError,
    NonFiniteVectorError,
    RetrievalTimeoutError,
)
from octavo.model_servers.attempts import Attempts
from octavo.model_servers.pacer import Pacer
from tests.model_servers.model_server import chat_server, drop, endless, hang, raw

KEY = "sk-test-0123456789abcdef"


def vector(text):
    """A vector that tells its text: length, and the number of the letter x."""
    return [float(len(text)), float(text.count("x")), 1.0]


def embedded(server, handler, body):
    """Answer as the protocol wants it, the last text first: only the indices tell the order."""
    data = [{"index": i, "embedding": vector(text)} for i, text in enumerate(body["input"])]
    payload = {"object": "list", "model": body["model"], "data": data[::-1]}
    raw(json.dumps(payload).encode())(server, handler, body)


def answering(*data):
    return raw(json.dumps({"data": list(data)}).encode())


def embedding(server, **options):
    made = OpenAIEmbedding("m", server.url, KEY, **{"max_retries": 0} | options)
    made._endpoint._attempts = Attempts(made._endpoint._attempts.retries, 0.01, 1.0)
    return made


def test_vectors_come_in_the_order_of_the_texts():
    texts = ["a", "bxx", "ccx", "dddd"]
    with chat_server(embedded) as server:
        found = embedding(server, dimensions=3, extra_body={"truncate": "END"}).embed_batch(texts)
    assert found.tolist() == [vector(text) for text in texts]
    assert found.dtype == np.float32
    assert server.keys == [f"Bearer {KEY}"]
    assert server.requests == [
        {
            "input": texts,
            "model": "m",
            "encoding_format": "float",
            "dimensions": 3,
            "truncate": "END",
        }
    ]


def test_without_indices_they_come_in_order():
    with chat_server(answering({"embedding": [1]}, {"embedding": [2]})) as server:
        assert embedding(server).embed_batch(["a", "b"]).tolist() == [[1.0], [2.0]]


def test_many_texts_are_many_requests_and_keep_their_order():
    texts = ["x" * number + "y" for number in range(50)]
    with chat_server(embedded) as server:
        found = embedding(server, batch_size=3, concurrency=5).embed_batch(texts)
    assert found.tolist() == [vector(text) for text in texts]
    assert len(server.requests) == 17
    assert max(len(request["input"]) for request in server.requests) == 3


def test_long_texts_make_small_requests():
    with chat_server(embedded) as server:
        embedding(server).embed_batch(["a" * 150_000] * 3)
    assert [len(request["input"]) for request in server.requests] == [1, 1, 1]


def test_blank_texts_are_not_sent_and_have_the_zero_vector():
    with chat_server(embedded) as server:
        made = embedding(server)
        assert made.embed_batch(["", "ab", " \n"]).tolist() == [[0] * 3, vector("ab"), [0] * 3]
        assert made.embed_batch([" "]).tolist() == [[0] * 3]
    assert [request["input"] for request in server.requests] == [["ab"], ["blank"]]


def test_nothing_is_asked_for_no_texts():
    with chat_server(embedded) as server:
        for dimensions in (None, 5):
            made = embedding(server, dimensions=dimensions)
            for found in (made.embed_batch([]), made.embed_queries(())):
                assert (found.shape, found.dtype) == ((0, dimensions or 0), np.float32)
        blocks = [[], ["ab"], [], ["x", " "], []]
        found = list(embedding(server).embed_blocks(blocks, queries=False))
    assert [len(vectors) for vectors in found] == [0, 1, 0, 2, 0]
    assert len(server.requests) == 2


def test_any_text_is_a_query():  # S21
    with chat_server(embedded) as server:
        assert embedding(server).embed_queries(["a\ud800x", "\x00"]).shape == (2, 3)
    assert server.requests[0]["input"] == ["a?x", "\x00"]


def test_documents_and_queries_have_their_prompts():
    with chat_server(embedded) as server:
        made = embedding(server, prompt="passage: ", query_prompt="query: ")
        assert made("a").tolist() == vector("passage: a")
        assert embed_texts(made, ["a"]).tolist() == [vector("passage: a")]
        assert embed_queries(made, ["a"]).tolist() == [vector("query: a")]


@pytest.mark.parametrize(
    "first",
    [raw(b"{}", 500), raw(b"{}", 429), raw(b"{}", 503), drop],
    ids=["500", "429", "503", "drop"],
)
def test_what_may_pass_is_tried_again(first):
    with chat_server(first, first, embedded) as server:
        assert embedding(server, max_retries=2)("ab").tolist() == vector("ab")
    assert len(server.requests) == 3


def test_an_answer_that_breaks_off_is_asked_for_again():
    def cut(server, handler, body):
        raw(b'{"data": [', headers=[("Content-Length", "1000")])(server, handler, body)
        handler.close_connection = True

    with chat_server(cut, embedded) as server:
        assert embedding(server, max_retries=1)("ab").tolist() == vector("ab")


@pytest.mark.parametrize("status", [400, 404, 422])
def test_what_will_not_pass_is_not_tried_again(status):
    with (
        chat_server(raw(b'{"error": {"message": "too long"}}', status), embedded) as server,
        pytest.raises(ExecutionError, match=f"embedding server answered with status {status}.*too"),
    ):
        embedding(server, max_retries=3)("ab")
    assert len(server.requests) == 1


def test_a_quota_that_is_spent_does_not_come_back():
    spent = raw(b'{"error": {"message": "pay", "code": "insufficient_quota"}}', 429)
    with chat_server(spent, embedded) as server, pytest.raises(ExecutionError, match="429"):
        embedding(server, max_retries=3)("ab")
    assert len(server.requests) == 1


def test_retries_end():
    with chat_server(raw(b"{}", 500)) as server, pytest.raises(ExecutionError, match="500"):
        embedding(server, max_retries=2)("ab")
    assert len(server.requests) == 3


def in_seconds(seconds):
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize("asked", ["0.3", lambda: in_seconds(1.9)], ids=["seconds", "date"])
def test_it_waits_as_long_as_the_server_asks(asked):
    def busy(server, handler, body):
        wait = asked if isinstance(asked, str) else asked()
        raw(b"{}", 429, headers=[("Retry-After", wait)])(server, handler, body)

    with chat_server(busy, embedded) as server:
        made = embedding(server, max_retries=1)
        made._endpoint._attempts = Attempts(1, 0.01, 3.0)
        started = time.monotonic()
        made("ab")
        assert time.monotonic() - started >= 0.3


def test_a_server_that_asks_for_too_long_is_left():
    busy = raw(b"{}", 429, headers=[("Retry-After", "3600")])
    told = "status 429.*; it asks to be left alone for 3,600 s, which is too long$"
    with chat_server(busy, embedded) as server, pytest.raises(ExecutionError, match=told):
        embedding(server, max_retries=5)("ab")
    assert len(server.requests) == 1


def test_requests_keep_to_the_rate():
    times = []

    def noted(server, handler, body):
        times.append(time.monotonic())
        embedded(server, handler, body)

    with chat_server(noted) as server:
        made = embedding(server, batch_size=1, concurrency=4, requests_per_minute=1200)
        made.embed_batch(["a"] * 6)
    assert max(times) - min(times) >= 0.05 * 5 - 0.04


def test_tokens_keep_to_the_rate(monkeypatch):
    """Estimated from bytes before a request, as the server counted them after it."""
    turns = []

    class Pacer:
        def __init__(self, per_minute):
            self.per_minute = per_minute

        def turn(self, count=1.0):
            turns.append((self.per_minute, count))
            return 0.0

        def correct(self, count):
            turns.append((self.per_minute, "more", count))

    monkeypatch.setattr(embeddings_endpoint, "Pacer", Pacer)

    def counted(server, handler, body):
        data = [{"embedding": [1.0]}]
        raw(json.dumps({"data": data, "usage": {"prompt_tokens": 9}}).encode())(
            server, handler, body
        )

    with chat_server(counted, embedded) as server:
        made = embedding(server, requests_per_minute=70, tokens_per_minute=800)
        made("日本語, and more")
        made("ab")
    assert [turn for turn in turns if turn[0] == 800] == [
        (800, 19 / 4),
        (800, "more", 9 - 19 / 4),
        (800, 0.5),
        (800, "more", 0.0),
    ]


def test_a_request_has_no_more_than_the_tokens_of_a_minute():
    with chat_server(embedded) as server:
        embedding(server, tokens_per_minute=1e6).embed_batch(["a" * 100] * 4)
        made = embedding(server, tokens_per_minute=250, concurrency=1)
        made._endpoint._tokens = Pacer(None)
        made.embed_batch(["a" * 100] * 4)
    assert [len(request["input"]) for request in server.requests] == [4, 2, 2]


def test_the_first_failure_stops_the_others():
    """Requests that wait to be tried again give up at once when another one fails for good."""
    waiting = threading.Event()

    def turn(server, handler, body):
        if body["input"] == ["bad"]:
            waiting.wait(10)
            raw(b"{}", 400)(server, handler, body)
        else:
            waiting.set()
            raw(b"{}", 500, headers=[("Retry-After", "60")])(server, handler, body)

    with chat_server(turn) as server:
        made = embedding(server, batch_size=1, concurrency=2, max_retries=5)
        made._endpoint._attempts = Attempts(5, 60.0, 300.0)
        started = time.monotonic()
        with pytest.raises(ExecutionError, match="400"):
            made.embed_batch(["bad", "slow"])
        assert time.monotonic() - started < 30


def test_a_failure_is_raised_while_another_request_is_under_way():
    def turn(server, handler, body):
        if body["input"] == ["silent"]:
            hang(server, handler, body)
        else:
            raw(b"{}", 400)(server, handler, body)

    with chat_server(turn) as server, pytest.raises(ExecutionError, match="400"):
        embedding(server, batch_size=1, concurrency=2, timeout=20.0).embed_batch(["silent", "bad"])


INTERRUPTED = """
import sys
from octavo.embeddings import embeddings_endpoint
from octavo.embeddings.openai_embedding import OpenAIEmbedding
embedding = OpenAIEmbedding("m", sys.argv[1], "key", batch_size=1, timeout=20.0)
try:
    embedding.embed_batch(["a", "b"])
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_an_interrupt_ends_the_process_while_requests_are_under_way():
    asked = threading.Semaphore(0)

    def silent(server, handler, body):
        asked.release()
        hang(server, handler, body)

    with chat_server(silent) as server:
        process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, server.url])
        for _ in range(2):
            assert asked.acquire(timeout=30)
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 7


def test_a_server_that_hangs():
    with chat_server(hang) as server, pytest.raises(RetrievalTimeoutError, match="embedding"):
        embedding(server, timeout=0.2)("ab")


def test_no_server_at_all():
    with chat_server() as server:
        pass
    with pytest.raises(ExecutionError, match=f"embedding server cannot be reached at {server.url}"):
        embedding(server)("ab")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status):
    """The texts go to the server that was named, and to no other."""
    with chat_server(embedded) as other:
        location = other.url.replace("//", "//user:word@") + "/embeddings?token=word"
        away = raw(b"", status, headers=[("Location", location)])
        with chat_server(away) as server, pytest.raises(ConfigurationError) as caught:
            embedding(server, max_retries=3)("ab")
    assert len(server.requests) == 1
    assert other.requests == []
    assert f"elsewhere (status {status})" in str(caught.value)
    assert f"give the address of {other.url}/embeddings" in str(caught.value)
    assert "word" not in str(caught.value)


@pytest.mark.parametrize(
    ("location", "told"),
    [("/v2/embeddings", "/v2/embeddings"), ("http://[x", "another server"), (KEY, r"\*\*\*")],
)
def test_where_a_redirect_leads(location, told):
    away = raw(b"", 308, headers=[("Location", location)])
    with chat_server(away) as server, pytest.raises(ConfigurationError, match=f"{told}$"):
        embedding(server)("ab")


def counted_connections(made, monkeypatch):
    """Count what is sent, whether anybody is there or not."""
    sent = []
    send = made._endpoint._client._client.send

    def counted(*args, **kwargs):
        sent.append(1)
        return send(*args, **kwargs)

    monkeypatch.setattr(made._endpoint._client._client, "send", counted)
    return sent


@pytest.mark.parametrize(("retries", "attempts"), [(8, 3), (1, 2), (0, 1)])
def test_where_nothing_ever_answered_it_is_not_tried_for_long(monkeypatch, retries, attempts):
    with chat_server() as server:
        pass
    made = embedding(server, max_retries=retries)
    sent = counted_connections(made, monkeypatch)
    with pytest.raises(ExecutionError, match="cannot be reached"):
        made("ab")
    assert len(sent) == attempts


def test_a_server_that_goes_away_is_waited_for(monkeypatch):
    with chat_server(embedded) as server:
        made = embedding(server, max_retries=6)
        made("ab")
    sent = counted_connections(made, monkeypatch)
    with pytest.raises(ExecutionError, match="cannot be reached"):
        made("ab")
    assert len(sent) == 7


def test_it_says_that_it_waits(caplog):
    """Once for all requests that wait together."""
    with chat_server(*[raw(b'{"error": {"message": "slow"}}', 429)] * 2, embedded) as server:
        made = embedding(server, max_retries=2, batch_size=1, concurrency=2)
        made._endpoint._attempts = Attempts(2, 1.5, 3.0)
        made.embed_batch(["a", "b"])
    [told] = [record for record in caplog.records if record.name == "octavo.model_servers"]
    assert told.levelname == "WARNING"
    assert "status 429" in told.getMessage()
    assert "slow; trying again in " in told.getMessage()


def test_an_endless_answer_is_bounded_in_bytes():
    with (
        chat_server(endless(b" " * 1000)) as server,
        pytest.raises(ExecutionError, match="embedding server sent more than 100000 bytes"),
    ):
        embedding(server, max_response_bytes=100_000)("ab")


GOOD = {"index": 0, "embedding": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ([], "expected 2 vectors, found 0"),
        ([GOOD], "expected 2 vectors, found 1"),
        ([GOOD] * 3, "expected 2 vectors, found 3"),
        ([GOOD, GOOD], "indices 0 to 1"),
        ([GOOD, GOOD | {"index": 2}], "indices 0 to 1"),
        ([GOOD, GOOD | {"index": True}], "indices 0 to 1"),
        ([GOOD, GOOD | {"index": "1"}], "indices 0 to 1"),
        ([GOOD, {"embedding": [1.0, 2.0]}], "indices 0 to 1"),
        ([GOOD, {"index": 1}], "numbers"),
        ([GOOD, {"index": 1, "embedding": None}], "numbers"),
        ([GOOD, {"index": 1, "embedding": "AAAA"}], "numbers"),
        ([GOOD, {"index": 1, "embedding": [1.0, None]}], "numbers"),
        ([GOOD, {"index": 1, "embedding": [[1.0], [2.0]]}], "numbers"),
        ([GOOD, {"index": 1, "embedding": [[1.0], 2.0]}], "numbers"),
        ([GOOD, {"index": 1, "embedding": [True, False]}], "numbers"),
        ([GOOD, {"index": 1, "embedding": []}], "one length, found 0 and 2"),
        ([GOOD, {"index": 1, "embedding": [1.0]}], "one length, found 1 and 2"),
        ([GOOD, 3], "list of embeddings"),
    ],
)
def test_an_answer_that_lacks_something(data, told):
    with chat_server(answering(*data)) as server, pytest.raises(ExecutionError, match=told):
        embedding(server).embed_batch(["a", "b"])


@pytest.mark.parametrize(
    "payload", [b"", b"{", b"[]", b"null", b'"data"', b'{"data": 3}', b"\xff\xfe", b"<html>"]
)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
def test_an_answer_that_is_none(payload, kind):
    with (
        chat_server(raw(payload, kind=kind)) as server,
        pytest.raises(ExecutionError, match="embedding server"),
    ):
        embedding(server)("ab")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"message": f"no such model, {KEY}", "code": 404}, r"no such model, \*\*\*"),
        ("overloaded", "overloaded"),
        ({"code": 5}, r"\{'code': 5\}"),
    ],
)
def test_an_answer_that_is_an_error(error, told):
    """Servers behind gateways have status 200 for anything."""
    payload = json.dumps({"error": error}).encode()
    with (
        chat_server(raw(payload)) as server,
        pytest.raises(ExecutionError, match=f"server answered with an error: {told}$"),
    ):
        embedding(server)("ab")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e39"])
def test_values_that_are_not_finite(value):  # S42
    payload = f'{{"data": [{{"index": 0, "embedding": [1.0, {value}]}}]}}'.encode()
    with chat_server(raw(payload)) as server, pytest.raises(NonFiniteVectorError):
        embed_texts(embedding(server), ["a"])


def test_a_dimension_that_changes():  # S42
    first, second = (answering({"embedding": [1.0] * size}) for size in (2, 3))
    with chat_server(first, second) as server:
        made = embedding(server)
        assert embed_texts(made, ["a"]).shape == (1, 2)
        with pytest.raises(DimensionMismatchError):
            embed_texts(made, ["b"], dimensions=2)
    with (
        chat_server(first, second) as server,
        pytest.raises(ExecutionError, match="one length, found 2 and 3"),
    ):
        embedding(server, batch_size=1, concurrency=1).embed_batch(["a", "b"])


@pytest.mark.parametrize("status", [401, 400, 429, 500])
def test_the_key_is_in_no_message(status):
    payload = b'{"error": {"message": "Incorrect API key provided: %s"}}' % KEY.encode()
    with chat_server(raw(payload, status)) as server:
        made = embedding(server)
        with pytest.raises(ConfigurationError if status == 401 else ExecutionError) as caught:
            made("ab")
    shown = "".join(traceback.format_exception(caught.value)) + repr(made) + repr(caught.value)
    assert KEY not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_the_key_comes_from_the_environment_and_into_no_pickle(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OTHER_KEY", "sk-other")
    with chat_server(embedded) as server:
        made = OpenAIEmbedding("m", server.url, prompt="p: ", batch_size=2)
        pickled = pickle.dumps(made)
        assert KEY.encode() not in pickled
        again = pickle.loads(pickled)
        assert again("ab").tolist() == made("ab").tolist() == vector("p: ab")
        assert repr(again) == repr(made)
        OpenAIEmbedding("m", server.url, api_key_variable="OTHER_KEY")("ab")
    assert server.keys == [f"Bearer {KEY}"] * 2 + ["Bearer sk-other"]
    with pytest.raises(TypeError, match="key"):
        pickle.dumps(OpenAIEmbedding("m", api_key=KEY))


def test_without_a_key_nothing_is_asked(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        OpenAIEmbedding("m")
    with chat_server(embedded) as server:
        assert OpenAIEmbedding("m", server.url)("ab").tolist() == vector("ab")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert OpenAIEmbedding("m")("ab").tolist() == vector("ab")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("batch_size", 0),
        ("concurrency", 0),
        ("requests_per_minute", 0),
        ("requests_per_minute", "many"),
        ("requests_per_minute", 1e-300),
        ("tokens_per_minute", 0),
        ("tokens_per_minute", float("inf")),
        ("timeout", 1e300),
        ("timeout", float("nan")),
        ("timeout", 0),
        ("max_retries", -1),
        ("max_response_bytes", 0),
        ("dimensions", 0),
        ("prompt", 3),
        ("base_url", "localhost:8000"),
        ("base_url", 3),
        ("base_url", "http://user:word@localhost/v1"),
        ("base_url", "http://localhost/v1?key=word"),
        ("base_url", "http://user:word@[::1"),
        ("base_url", "http://localhost:port/v1"),
        ("base_url", "http://localhost/v1\n"),
        ("extra_body", 3),
        ("extra_body", {"a": object()}),
    ],
)
def test_bounds(option, value):
    with pytest.raises(InvalidArgumentError, match=option) as caught:
        OpenAIEmbedding("m", api_key=KEY, **{option: value})
    assert "word" not in str(caught.value).replace("password", "")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALL_PROXY", "socks5://user:word@localhost:1"),
        ("HTTP_PROXY", "http://user:word@[::1"),
        ("HTTPS_PROXY", "ftp://user:word@localhost"),
        ("OPENAI_BASE_URL", "http://user:word@[::1"),
    ],
)
def test_an_address_of_the_environment_that_is_none(monkeypatch, variable, value):
    if value.startswith("socks"):
        monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=f"client cannot be made.*{variable}") as caught:
        OpenAIEmbedding("m", api_key=KEY)
    assert "word" not in "".join(traceback.format_exception(caught.value))


def test_a_blank_model_is_refused():
    with pytest.raises(InvalidArgumentError, match="model"):
        OpenAIEmbedding(" ", api_key=KEY)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ConfigurationError, match=r"octavo\[openai\]"):
        OpenAIEmbedding("m", api_key=KEY)


def test_a_fingerprint_tells_models_and_options_apart():
    made = [
        OpenAIEmbedding("m", api_key=KEY),
        OpenAIEmbedding("n", api_key=KEY),
        OpenAIEmbedding("m", api_key=KEY, dimensions=8),
        OpenAIEmbedding("m", api_key=KEY, prompt="passage: "),
    ]
    assert len({each.fingerprint for each in made}) == 4
    # What decides no vector, such as the key, makes no other model.
    assert OpenAIEmbedding("m", api_key="other", timeout=3).fingerprint == made[0].fingerprint

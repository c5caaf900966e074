"""What failures of a model server mean, and how long it asks to be left alone."""

import functools
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import httpx2
import openai
import pytest

from octavo.errors import ExecutionError
from octavo.model_servers.openai_errors import asked_wait, is_worth_a_retry, octavo_error


def failed(status, code=None, headers=()):
    request = httpx2.Request("POST", "http://localhost/v1/embeddings")
    response = httpx2.Response(status, request=request, headers=dict(headers))
    return openai.APIStatusError("no", response=response, body={"code": code, "message": "no"})


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("2", 2.0), ("0.5", 0.5), ("-3", 0.0), ("", None), ("soon", None), ("nan", None)],
)
def test_seconds_to_wait(asked, seconds):
    found = asked_wait(failed(429, headers=[("Retry-After", asked)]))
    assert found == seconds


def test_a_date_to_wait_for():
    for ahead, least, most in ((30, 28.0, 30.0), (-30, 0.0, 0.0)):
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)
        assert least <= asked_wait(failed(503, headers=[("Retry-After", date)])) <= most


def test_nothing_asked():
    assert asked_wait(failed(429)) is None
    assert asked_wait(ValueError("no response")) is None
    assert asked_wait(SimpleNamespace(response=None)) is None


@pytest.mark.parametrize(
    ("status", "code", "worth"),
    [
        (408, None, True),
        (409, None, True),
        (429, "rate_limit_exceeded", True),
        (429, "insufficient_quota", False),
        (500, None, True),
        (503, None, True),
        (400, None, False),
        (404, None, False),
    ],
)
def test_what_may_pass(status, code, worth):
    assert is_worth_a_retry(openai, failed(status, code)) is worth


def test_messages_name_the_server_and_hide_the_key():
    error = octavo_error(openai, ValueError("sk-secret\nis wrong"), "sk-secret", "the server")
    assert isinstance(error, ExecutionError)
    assert str(error) == "the server broke the protocol: ValueError: ***[U+000A]is wrong"


@pytest.mark.parametrize(
    "body",
    [
        "the text is too long\n",
        {"message": "the text is too long", "type": "bad"},
        {"detail": "the text is too long"},
        {"detail": [{"loc": ["body", "input"], "msg": "the text is too long"}]},
        [{"error": {"code": 400, "message": "the text is too long"}}],
    ],
    ids=["text", "message", "detail", "details", "list"],
)
def test_messages_say_what_the_server_says(body):
    request = httpx2.Request("POST", "http://localhost/v1/embeddings")
    response = httpx2.Response(400, request=request)
    error = openai.BadRequestError("Error code: 400", response=response, body=body)
    found = str(octavo_error(openai, error, "too", "the server"))
    assert found.startswith("the server answered with status 400: ")
    assert found.count("the text is *** long") == 1


DEEP = functools.reduce(lambda body, _: {"error": body}, range(900), "too deep")


@pytest.mark.parametrize("body", [None, "", [], {}, {"message": 3}, {"detail": []}, 3, DEEP])
def test_a_server_that_says_nothing(body):
    request = httpx2.Request("POST", "http://localhost/v1/embeddings")
    error = openai.BadRequestError(
        "Error code: 400", response=httpx2.Response(400, request=request), body=body
    )
    found = str(octavo_error(openai, error, "sk-secret", "the server"))
    assert found == "the server answered with status 400: BadRequestError: Error code: 400"

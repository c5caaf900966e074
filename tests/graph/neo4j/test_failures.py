"""What the driver raises becomes a failure by kind, without the password (S50, S84)."""

import concurrent.futures

import pytest

from octavo import (
    ConfigurationError,
    ExecutionError,
    FailureReason,
    GraphCapabilityError,
    ProviderUnavailableError,
    RetrievalTimeoutError,
)
from octavo.graph.neo4j.connection import Neo4jConnection
from octavo.graph.neo4j.failures import Neo4jFailures
from octavo.graph.neo4j.settings import Neo4jSettings

neo4j = pytest.importorskip("neo4j", reason="pip install 'octavo[neo4j]'")
SECRET = "s3cret word"
SETTINGS = Neo4jSettings("bolt://host:7687", "ann", SECRET, timeout=2.5)


def server_error(code, message="went wrong"):
    kind = neo4j.exceptions.Neo4jError
    made = getattr(kind, "_hydrate_neo4j", None) or kind.hydrate  # the latter until driver 5.26
    return made(code=code, message=message)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (TimeoutError(), RetrievalTimeoutError, "no answer within 2.5 seconds"),
        (
            server_error("Neo.ClientError.Transaction.TransactionTimedOut"),
            RetrievalTimeoutError, "no answer within",
        ),
        (
            server_error("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"),
            RetrievalTimeoutError, "no answer within",
        ),
        (
            server_error("Neo.ClientError.Security.Unauthorized"),
            ProviderUnavailableError, "refused the user 'ann': AuthError: went wrong",
        ),
        (
            server_error("Neo.ClientError.Security.Forbidden"),
            ProviderUnavailableError, "no access to the home database",
        ),
        (
            server_error("Neo.ClientError.Database.DatabaseNotFound"),
            ProviderUnavailableError, "no access to the home database",
        ),
        (
            server_error("Neo.ClientError.Statement.SyntaxError"),
            ExecutionError, "failed: CypherSyntaxError: went wrong",
        ),
        (server_error("Neo.DatabaseError.General.UnknownError"), ExecutionError, "failed"),
        (server_error("Neo.TransientError.General.OutOfMemory"), ExecutionError, "failed"),
        (neo4j.exceptions.ServiceUnavailable("x"), ProviderUnavailableError, "cannot be reached"),
        (neo4j.exceptions.SessionExpired("x"), ProviderUnavailableError, "cannot be reached"),
        (ConnectionResetError("x"), ProviderUnavailableError, "cannot be reached"),
        (neo4j.exceptions.ConfigurationError("x"), ConfigurationError, "cannot work"),
        (concurrent.futures.CancelledError(), ExecutionError, "was closed meanwhile"),
        (ValueError("a\nb  c"), ExecutionError, "failed: ValueError: a b c"),
    ],
)  # fmt: skip
def test_each_error_has_a_kind(error, kind, text):  # S50 S84
    failure = Neo4jFailures(SETTINGS).of(error, "finding seeds", 2.5)
    assert type(failure) is kind
    assert failure.reason is kind.reason
    assert str(failure).startswith("neo4j bolt://host:7687: finding seeds: ")
    assert text in str(failure)
    assert Neo4jFailures(SETTINGS).cause(error) is error


def test_errors_of_octavo_stay_what_they_are():  # S43
    error = GraphCapabilityError("x")
    assert Neo4jFailures(SETTINGS).of(error, "x", 1.0) is error
    assert error.reason is FailureReason.CONFIGURATION


@pytest.mark.parametrize(
    "error",
    [
        ValueError(f"auth=('ann', '{SECRET}')"),
        server_error("Neo.ClientError.Security.Unauthorized", f"bad {SECRET}!"),
    ],
)
def test_the_password_is_in_no_message_and_no_cause(error):  # S84
    failures = Neo4jFailures(SETTINGS)
    failure = failures.of(error, "x", 1.0)
    assert SECRET not in str(failure)
    assert "***" in str(failure)
    assert failures.cause(error) is None


def test_an_old_server_that_cannot_be_told_to_be_quiet(monkeypatch):  # S84
    asked = []

    class Session:
        def __init__(self, **settings):
            self.settings = settings

        async def __aenter__(self):
            return self

        async def __aexit__(self, *error):
            pass

        async def execute_read(self, work):
            asked.append("notifications_min_severity" in self.settings)
            if asked[-1]:
                raise neo4j.exceptions.ConfigurationError(
                    "Notification filtering is not supported for the Bolt Protocol (4, 4)."
                )
            return [[1]]

    class Driver:
        def session(self, **settings):
            return Session(**settings)

        async def close(self):
            pass

    monkeypatch.setattr(neo4j.AsyncGraphDatabase, "driver", lambda *given, **settings: Driver())
    connection = Neo4jConnection(SETTINGS)
    try:
        assert [connection.read("x", {}, "x") for _ in range(2)] == [[[1]], [[1]]]
    finally:
        connection.close()
    assert asked == [True, False, False]

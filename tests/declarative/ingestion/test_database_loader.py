"""Rows of databases as documents, and queries that do more than read (S61)."""

import sqlite3
from contextlib import closing

import duckdb
import pytest

from octavo import ConfigurationError, SourceLoadingError
from octavo.declarative.ingestion.database_loader import SqlLoader
from octavo.declarative.ingestion.loading import load_documents

TABLE = "CREATE TABLE notes (id INTEGER, title TEXT, body TEXT, tier TEXT, created_at TEXT)"
ROWS = "INSERT INTO notes VALUES (1, 'One', 'First.', 'A', '2024-05-01'), (2, NULL, 'Second.', NULL, NULL)"


@pytest.fixture(params=["sqlite", "duckdb"])
def database(request, tmp_path):
    """The connection of a database of two rows."""
    path = str(tmp_path / f"notes.{request.param}")
    connect = sqlite3.connect if request.param == "sqlite" else duckdb.connect
    with closing(connect(path)) as connection:
        connection.execute(TABLE)
        connection.execute(ROWS)
        connection.commit()
    return f"{request.param}:{path}"


@pytest.fixture
def rows(declared, database):
    def load(query="SELECT * FROM notes ORDER BY id", connection=database, **members):
        knowledge = declared("", type="DATABASE", connection=connection, query=query, **members)
        return list(load_documents(knowledge, [SqlLoader()]))

    return load


def test_rows_are_records(rows, database):
    first, second = rows()
    assert (first.id, first.content) == ("docs#id:1", "First.")
    assert first.metadata["source"] == database
    assert first.metadata["tier"] == "A"
    assert first.metadata["hierarchy.title"] == "One"
    assert first.metadata["temporal.timestamp"] == "2024-05-01T00:00:00Z"
    assert (second.id, second.content, "tier" in second.metadata) == ("docs#id:2", "Second.", False)


def test_select(rows):
    assert [each.id for each in rows(select=("tier=A",))] == ["docs#id:1"]


def test_repeated_ids(rows):
    with pytest.raises(SourceLoadingError, match="expected distinct ids, found '1'"):
        rows("SELECT 1 AS id, body FROM notes")


def test_no_rows(rows):
    assert rows("SELECT * FROM notes WHERE id > 5") == []


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM notes",
        "INSERT INTO notes SELECT * FROM notes",
        "CREATE TABLE other (id INTEGER)",
        "ATTACH 'other.db' AS other",
        "PRAGMA database_list",
        "COPY notes TO 'notes.csv'",
        "SELECT 1; DELETE FROM notes",
        "SELECT load_extension('x')",
        "SELECT * FROM read_csv('/etc/passwd')",
    ],
)
def test_a_query_only_reads(rows, query, tmp_path):
    with pytest.raises((ConfigurationError, SourceLoadingError)):
        rows(query)
    assert len(rows()) == 2
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("query", ["", " ", None])
def test_no_query(rows, query):
    with pytest.raises(ConfigurationError, match="query: expected a query"):
        rows(query)


def test_a_wrong_query(rows):
    with pytest.raises(SourceLoadingError, match="the query failed"):
        rows("SELECT nothing FROM notes")


def test_a_missing_database_is_not_made(rows, database, tmp_path):
    kind = database.partition(":")[0]
    with pytest.raises(SourceLoadingError, match="the query failed"):
        rows(connection=f"{kind}:{tmp_path}/nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_other_connections(declared):
    with pytest.raises(ConfigurationError, match="no loader supports the type DATABASE"):
        list(load_documents(declared("", type="DATABASE", connection="x:y"), [SqlLoader()]))

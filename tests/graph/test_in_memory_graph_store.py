"""A graph store made of documents (S82)."""

import itertools
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import (
    ConfigurationError,
    Corpus,
    ExecutionError,
    GraphRAGStrategy,
    InMemoryGraphStore,
    InvalidArgumentError,
    ProviderUnavailableError,
    RetrievedDocument,
    SourceLoadingError,
    identity_key,
)
from octavo.graph.array_walk import GraphArrays
from octavo.graph.entities.build import MOST_NEIGHBOURS, WINDOW, everywhere_from
from octavo.graph.text.relations import (
    HAS_SECTION,
    LINKS_TO,
    OCCURS_WITH,
    REFERS_TO,
    SPEAKS_OF,
)
from octavo.spi import EntityKind, EntityMention, EntityRelation, GraphEdge, GraphStore
from octavo.testing import GraphStoreContract


def document(identity, content, source=None, title=None):
    return SimpleNamespace(id=identity, content=content, source=source, title=title)


HANDBOOK = [
    document("auth#1", "The Auth Service writes to Redis. See RFC 6749.", "auth.md", "Login"),
    document("auth#2", "Sessions of the auth-service last a day.", "auth.md", "Login"),
    document("key#1", "Redis is a key-value store. It needs [the login](auth.md).", "redis.md"),
    document("tokio", "認証サービスは東京で動く。「認証サービス」とRedisを使う。", "tokyo.md"),
]


def edges(store, relation, source=None):
    rows = range(store.nodes.rows)
    ids = [store.nodes.node(row).id for row in rows] if source is None else [source]
    return {
        (edge.source, edge.target)
        for each in ids
        for edge in store.edges(each)
        if edge.relation == relation
    }


class TestContract(GraphStoreContract):  # S24 S82
    def store(self):
        return InMemoryGraphStore(HANDBOOK)

    def queries(self):
        return ["redis login", "認証サービス", "nothing of this"]


class TestContractWithAModel(GraphStoreContract):  # S24 S82
    def store(self):
        def extract(text):
            words = [word.strip(".") for word in text.split()]
            yield from (EntityMention(word, sentence=text) for word in words)
            yield EntityRelation(words[0], "begins", words[-1])

        return InMemoryGraphStore(HANDBOOK, extract)

    def queries(self):
        return ["redis service"]


def test_it_is_both_kinds_of_store():
    store = InMemoryGraphStore(HANDBOOK)
    assert isinstance(store, GraphStore)
    assert isinstance(store, GraphArrays)
    assert store.SOURCE_NAME == "in-memory"
    assert InMemoryGraphStore.identity_key is identity_key


def test_names_that_fold_to_one_identity_are_one_node():  # S82
    store = InMemoryGraphStore(
        [
            document("1", "we use the Auth Service, the Auth Service and **auth-service** a lot"),
            document("2", "in İstanbul, `AUTH_SERVICE` is ｉｎ use"),
        ]
    )
    node = store.node("auth service")
    assert node.documents == ("1", "2")
    assert node.metadata["name"] == "Auth Service"
    assert store.node("i stanbul").documents == ("2",)


def test_a_node_knows_its_documents_and_tells_what_it_is():  # S82
    store = InMemoryGraphStore(HANDBOOK)
    redis = store.node("redis")
    assert redis.documents == ("auth#1", "key#1", "tokio")
    assert redis.content == "Redis\nRedis is a key-value store."
    assert redis.metadata == {"name": "Redis", "kind": "name"}
    login = store.node("login")
    assert login.documents == ("auth#1", "auth#2", "key#1")
    assert login.metadata == {"name": "Login", "kind": "document"}
    assert store.node("rfc 6749").metadata["kind"] == "reference"
    assert store.node("rfc 6749").source == "auth.md"
    assert redis.source == "in-memory"


def test_edges_of_each_kind():  # S82
    store = InMemoryGraphStore(
        [
            document(
                "a", "# Storage\n\nThe Ledger uses the Vault. See PEP 8.\n\n## Backups\n", "x.md"
            ),
            document("pep-0008", "We like the Ledger; see [it](../x.md).", "peps/8.rst", "Style"),
        ]
    )
    assert edges(store, OCCURS_WITH) == {("ledger", "vault"), ("vault", "ledger")}
    assert edges(store, REFERS_TO) == {("x md", "style")}
    assert edges(store, HAS_SECTION) == {("x md", "storage"), ("storage", "backups")}
    assert ("storage", "vault") in edges(store, SPEAKS_OF)
    (link,) = [edge for edge in store.edges("style") if edge.relation == LINKS_TO]
    assert store.edge_documents(link) == ("pep-0008",)


def test_an_edge_knows_the_documents_that_it_came_from():  # S82
    text = "we use the Ledger with the Vault"
    store = InMemoryGraphStore(
        [document(str(n), text) for n in range(3)] + [document("x", "Vault")]
    )
    (edge,) = [edge for edge in store.edges("ledger") if edge.target == "vault"]
    assert edge == GraphEdge("ledger", OCCURS_WITH, "vault", 3.0)
    assert store.edge_documents(edge) == ("0", "1", "2")
    for unknown in (
        GraphEdge("ledger", "loves", "vault"),
        GraphEdge("ledger", OCCURS_WITH, "nobody"),
        GraphEdge("nobody", OCCURS_WITH, "vault"),
        GraphEdge("ledger", OCCURS_WITH, "ledger"),
    ):
        assert store.edge_documents(unknown) == ()


def test_an_uncertain_name_counts_where_it_is_certain_elsewhere():
    first = document("1", "Redis is fast.")
    assert InMemoryGraphStore([first]).nodes.row_of("redis") < 0
    store = InMemoryGraphStore([first, document("2", "we use Redis")])
    assert store.node("redis").documents == ("1", "2")


def plain_edges(sentences, limit):
    """Co-occurrence counted by hand: sentences are lists of keys, each in a document of its own."""
    documents = {}
    for number, names in enumerate(sentences):
        for name in names:
            documents.setdefault(name, set()).add(number)
    counts = {}
    for names in sentences:
        kept = [name for name in dict.fromkeys(names) if len(documents[name]) <= limit]
        for one, first in enumerate(kept):
            for second in kept[one + 1 : one + 1 + WINDOW]:
                for pair in ((first, second), (second, first)):
                    counts[pair] = counts.get(pair, 0) + 1
    found = set()
    for source in {pair[0] for pair in counts}:
        near = sorted((-count, b) for (a, b), count in counts.items() if a == source)
        found |= {(source, b) for _, b in near[:MOST_NEIGHBOURS]}
    return found


def test_co_occurrence_is_bounded():  # S82
    draw = random.Random(5)
    names = [f"n{number}x" for number in range(150)]
    sentences = [
        [*draw.choices(names, k=draw.choice([1, 2, 3, 30])), "everywhere"] for _ in range(200)
    ]

    def extract(text):
        return [EntityMention(name, sentence=text) for name in text.split()]

    store = InMemoryGraphStore(
        [document(str(n), " ".join(each)) for n, each in enumerate(sentences)], extract
    )
    expected = plain_edges(sentences, everywhere_from(len(sentences)))
    assert edges(store, OCCURS_WITH) == expected
    assert store.edges("everywhere") == ()
    assert max(len(store.edges(name)) for name in names) == MOST_NEIGHBOURS


def test_a_heading_that_every_document_has_connects_nothing():  # S82
    texts = [f"# Abstract\n\nabout the Thing{n:03}X\n\n## Detail{n:03}X\n" for n in range(70)]
    store = InMemoryGraphStore([document(str(n), text) for n, text in enumerate(texts)])
    assert len(store.node("abstract").documents) == 70
    assert store.edges("abstract") == ()


def test_the_graph_depends_on_neither_order_nor_batches():  # S6
    expected = InMemoryGraphStore(HANDBOOK)
    for order in itertools.permutations(HANDBOOK):
        store = InMemoryGraphStore(iter(order))
        assert [store.nodes.node(row) for row in range(store.nodes.rows)] == [
            expected.nodes.node(row) for row in range(expected.nodes.rows)
        ]
        assert store.targets.tolist() == expected.targets.tolist()


def test_the_graph_does_not_depend_on_the_hash_seed():  # S6
    code = """
from octavo import InMemoryGraphStore
from tests.graph.test_in_memory_graph_store import HANDBOOK
store = InMemoryGraphStore(HANDBOOK)
for row in range(store.nodes.rows):
    node = store.nodes.node(row)
    print(ascii((node.id, node.content, dict(node.metadata), node.documents, store.edges(node.id))))
"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert printed.pop()


def test_it_is_built_when_it_is_first_asked_and_once():
    built = []

    def documents():
        built.append(1)
        return HANDBOOK

    store = InMemoryGraphStore(documents)
    strategy = GraphRAGStrategy("in-memory", store, (), 2, 0.85, 1024)
    assert built == []
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(strategy.retrieve("redis")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [1]
    assert len(answers) == 4
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0].source == "in-memory"  # S82


def test_a_failure_can_be_tried_again():
    working = []

    def extract(text):
        if not working:
            raise OSError("no model")
        return [EntityMention(text)]

    store = InMemoryGraphStore(iter([document("1", "Redis")]), extract)
    with pytest.raises(ExecutionError, match="extractor, document '1': raised OSError: no model"):
        store.seeds("redis", 1)
    working.append(1)
    assert [node.id for node, _ in store.seeds("redis", 1)] == ["redis"]


@pytest.mark.parametrize("error", [OSError("gone"), ValueError("gone"), AttributeError("gone")])
def test_documents_that_cannot_be_read_are_a_failure_of_the_retrieval(error):  # S43
    def documents():
        yield document("1", "Redis")
        raise error

    def broken():
        raise error

    for function in (documents, broken):
        strategy = GraphRAGStrategy("p", InMemoryGraphStore(function), (), 2, 0.5, 10)
        with pytest.raises(
            ExecutionError, match=r"documents: reading them raised \w+: gone"
        ) as raised:
            strategy.retrieve("redis")
        assert raised.value.__cause__ is error


def test_an_extractor_that_asks_the_graph_which_it_makes_is_a_failure():  # S43
    def extract(text):
        return [EntityMention(node.id) for node, _ in store.seeds(text, 1)]

    store = InMemoryGraphStore([document("1", "Redis")], extract)
    failed = []

    def ask():
        with pytest.raises(ExecutionError, match="is being built"):
            store.seeds("redis", 1)
        failed.append(True)

    asking = threading.Thread(target=ask, daemon=True)  # or nothing would end it
    asking.start()
    asking.join(60)
    assert failed


def test_hits_are_the_documents_that_nodes_link_to(tmp_path):  # S24 S82
    table = pa.table(
        {
            "id": [each.id for each in HANDBOOK],
            "text": [each.content for each in HANDBOOK],
            "source": [each.source for each in HANDBOOK],
            "title": [each.title for each in HANDBOOK],
        }
    )
    corpus = Corpus.build(table, tmp_path / "index", source="source", embedding="hash")
    strategy = GraphRAGStrategy(
        "in-memory", InMemoryGraphStore(HANDBOOK), (), 1, 0.5, 1024, documents=corpus.keyword_index
    )
    hits = strategy.retrieve("key-value store")
    assert hits[0].metadata["graph.nodeId"] == "redis"
    assert {hit.metadata["entryId"] for hit in hits} == {each.id for each in HANDBOOK}


def test_the_fence_keeps_to_nodes_of_one_source():
    store = InMemoryGraphStore(HANDBOOK)
    hits = GraphRAGStrategy("in-memory", store, ["auth.md"], 2, 0.85, 1024).retrieve("RFC redis")
    assert {store.node(hit.metadata["graph.nodeId"]).source for hit in hits} == {"auth.md"}


def test_no_documents_and_empty_ones():
    for documents in (
        [],
        [document("1", "")],
        [document("1", "nothing here")],
        [document("…", "…")],
    ):
        store = InMemoryGraphStore(documents)
        assert store.seeds("here", 5) == [] or store.seeds("here", 5)[0][0].id == "1"
        assert store.edges("nobody") == ()
        with pytest.raises(KeyError):
            store.node("nobody")
    assert InMemoryGraphStore([]).offsets.tolist() == [0]


def test_documents_are_checked_when_the_graph_is_built():
    store = InMemoryGraphStore(
        [document("1", "x"), RetrievedDocument("x", "", 0.0, {"entryId": "1"})]
    )
    with pytest.raises(InvalidArgumentError, match="distinct ids"):
        store.seeds("x", 1)


class Extractor:
    def extract(self, text):
        return iter([EntityMention(text, EntityKind.DEFINITION, text, defines=True)])


def test_an_extractor_is_an_object_or_a_function():
    for extractor in (Extractor(), Extractor().extract):
        store = InMemoryGraphStore([document("1", "Redis stores keys")], extractor)
        assert store.node("redis stores keys").metadata["kind"] == "definition"
    with pytest.raises(ConfigurationError, match="extractor: expected an object with `extract`"):
        InMemoryGraphStore([], "gliner")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "expected a sequence, found None"),
        (5, "expected a sequence, found 5"),
        (["Redis"], "expected an EntityMention or an EntityRelation, found 'Redis'"),
        ([("Redis", "uses", "Disk")], "expected an EntityMention or an EntityRelation"),
        ([EntityMention(5)], "name: expected a string, found 5"),
        ([EntityMention("x", "name")], "kind: expected an EntityKind, found 'name'"),
        ([EntityMention("x", sentence=None)], "sentence: expected a string, found None"),
        ([EntityRelation(5, "uses", "x")], "source: expected a string or None, found 5"),
        ([EntityRelation("x", "", "y")], "relation: expected a non-blank string, found ''"),
        ([EntityRelation("x", "uses", None)], "target: expected a non-blank string, found None"),
    ],
)
def test_what_an_extractor_must_not_answer(answer, message):  # S43
    store = InMemoryGraphStore([document("1", "text")], lambda text: answer)
    with pytest.raises(ExecutionError, match=f"extractor, document '1': {message}"):
        store.seeds("text", 1)


def test_an_extractors_own_failure_keeps_its_type():  # S43
    def extract(text):
        raise ProviderUnavailableError("down")

    with pytest.raises(ProviderUnavailableError, match="^down$"):
        InMemoryGraphStore([document("1", "text")], extract).seeds("text", 1)


def test_names_that_fold_to_nothing_are_left_out():
    found = [
        EntityMention("++"),
        EntityRelation("++", "is", "x"),
        EntityRelation("\ud800", "is", "x"),
    ]
    store = InMemoryGraphStore([document("1", "text")], lambda text: found)
    assert [store.nodes.node(row).id for row in range(store.nodes.rows)] == ["1"]


TEXTS = st.text() | st.text('AZaz_.:`*#[]()"/-= \n東京é\ud800')


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=4))
def test_any_documents_make_a_graph(texts):  # S82
    documents = [document(str(n), *parts) for n, parts in enumerate(texts)]
    store = InMemoryGraphStore(documents)
    names = [f"{number}" for number in range(len(texts))]
    for row in range(store.nodes.rows):
        node = store.nodes.node(row)
        assert node.id == identity_key(f"the {node.id}")  # one article goes, as from "a a 0"
        assert node.documents == tuple(sorted(set(node.documents)))
        assert set(node.documents) <= set(names)
        assert node.documents
        node.content.encode()
        edges = store.edges(node.id)
        assert len({(edge.relation, edge.target) for edge in edges}) == len(edges)
        for edge in edges:
            assert edge.target != node.id
            assert set(store.edge_documents(edge)) <= set(store.node(edge.target).documents)
            assert len(store.edge_documents(edge)) == edge.weight > 0


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "step", "recall", "precision"),
    [
        ("peps", 5, 0.99, 0.98),
        pytest.param("peps", 1, 0.99, 0.98, marks=pytest.mark.slow),
        pytest.param("dc_code", 1, 0.95, 0.97, marks=pytest.mark.slow),
    ],
)
def test_references_are_found(collections, name, step, recall, precision):  # S82
    """Recall and precision against the reference graph of a collection."""
    path = collections / name
    table = pq.read_table(path / "corpus.parquet", columns=["id", "title", "text"])
    rows = table.take(list(range(0, len(table), step))).to_pylist()
    store = InMemoryGraphStore(
        [document(row["id"], row["text"], None, row["title"]) for row in rows]
    )
    titles = Counter(identity_key(row["title"] or row["id"]) for row in rows)
    known = {}
    for row in rows:
        title = identity_key(row["title"] or row["id"])
        own = f"pep {int(row['id'][4:])}" if name == "peps" else identity_key(row["id"])
        known[title if titles[title] == 1 else own] = row["id"]
    here = set(known.values())
    lines = (path / "links.tsv").read_text("utf-8").splitlines()
    links = [tuple(line.split("\t")[:3]) for line in lines]
    related = {(citing, cited) for citing, cited, _ in links}
    cited = {(a, b) for a, b, relation in links if relation == "cites" and a != b}
    cited = {pair for pair in cited if here.issuperset(pair)}
    found = {
        (citing, known[edge.target])
        for node in known
        for edge in store.edges(node)
        if edge.relation == REFERS_TO and edge.target in known
        for citing in store.edge_documents(edge)
    }
    assert len(found & cited) / len(cited) > recall
    assert len(found & related) / len(found) > precision


def test_what_an_index_is_built_of_is_read_too(tmp_path):  # S82
    table = pa.table({"id": ["1", "2"], "title": ["Auth Service", None], "body": ["Signs in.",
                      "The Auth Service writes to Redis."]})  # fmt: skip
    pq.write_table(table, tmp_path / "a.parquet")
    documents = [document("1", "Signs in.", None, "Auth Service"),
                 document("2", "The Auth Service writes to Redis.", None)]  # fmt: skip
    expected = InMemoryGraphStore(documents)
    for inputs in (table, table.to_batches()[0], table.to_reader(), tmp_path / "a.parquet",
                  str(tmp_path), lambda: table):  # fmt: skip
        store = InMemoryGraphStore(inputs)
        assert store.node("auth service") == expected.node("auth service")
        assert store.edges("auth service") == expected.edges("auth service") != ()


@pytest.mark.parametrize(
    ("inputs", "error", "named"),
    [("missing.parquet", SourceLoadingError, "missing.parquet"),
     (pa.table({"text": ["a"]}), InvalidArgumentError, "id")],
)  # fmt: skip
def test_inputs_that_hold_no_documents(inputs, error, named):
    store = InMemoryGraphStore(inputs)
    with pytest.raises(error, match=named):
        store.seeds("a", 1)

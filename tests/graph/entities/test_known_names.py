"""Names in scripts without capitals (S82)."""

from types import SimpleNamespace

import pytest

from octavo import InMemoryGraphStore
from octavo.graph.entities.known_names import KnownNames, is_uncased_name
from octavo.spi import EntityKind


@pytest.mark.parametrize("key", ["東京", "認証サービス", "قاعدة بيانات", "ह न द", "2号"])
def test_names_without_capitals(key):
    assert is_uncased_name(key, EntityKind.HEADING)
    assert not is_uncased_name(key, EntityKind.LINK)


@pytest.mark.parametrize("key", ["auth service", "москва", "東", "", "8", "c東京"])
def test_what_has_capitals_or_is_no_name(key):
    assert not is_uncased_name(key, EntityKind.HEADING)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("我们在东京都用认证服务。没有。东京", [["东京都", "认证服务"], ["东京"]]),
        ("هذه قاعدة بيانات جديدة", [["قاعدة بيانات"]]),
        ("قاعدة فقط", []),
        ("# 东京\n\nplain ascii", []),
        ("", []),
    ],
)
def test_the_longest_names_of_each_sentence(text, found):
    names = KnownNames(["东京", "东京都", "认证服务", "قاعدة بيانات"])
    assert [keys for _, keys in names.sentences(text)] == found


def test_names_are_found_again_in_running_text():  # S82
    contents = [
        "# 认证服务\n\n它很快。",
        "我们用认证服务和「缓存」。",
        "缓存写到认证服务。",
        "nothing",
    ]
    store = InMemoryGraphStore(
        [SimpleNamespace(id=str(n), content=each) for n, each in enumerate(contents)]
    )
    assert store.node("认证服务").documents == ("0", "1", "2")
    assert store.node("缓存").documents == ("1", "2")
    (edge,) = [edge for edge in store.edges("缓存") if edge.relation == "occurs with"]
    assert edge.target == "认证服务"
    assert store.edge_documents(edge) == ("1", "2")


def test_an_extractor_of_ones_own_decides_alone():
    store = InMemoryGraphStore(
        [SimpleNamespace(id="1", content="认证"), SimpleNamespace(id="2", content="我们用认证")],
        lambda text: [],
    )
    assert store.nodes.rows == 2
    assert store.nodes.row_of("认证") < 0

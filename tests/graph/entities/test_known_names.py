"""Names in scripts without capitals (S82)."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(
    st.lists(st.lists(st.sampled_from("אבג1"), min_size=1, max_size=4), max_size=6),
    st.lists(st.sampled_from("אבג1ד"), max_size=12),
)
def test_spaced_names_are_the_longest_at_each_place(names, words):
    keys = {" ".join(name) for name in names if name[0] != "1"}
    expected, place = [], 0
    while place < len(words):
        fitting = [k for k in keys if words[place : place + len(k.split())] == k.split()]
        if fitting:
            expected.append(max(fitting, key=lambda key: len(key.split())))
            place += len(expected[-1].split())
        else:
            place += 1
    found = [key for _, keys in KnownNames(keys).sentences(" ".join(words)) for key in keys]
    assert found == expected


def test_the_work_for_a_place_does_not_grow_with_the_names():
    class Counted(str):
        __slots__ = ()
        compared = 0

        def __eq__(self, other):
            Counted.compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    names = KnownNames(f"מסמך {number}" for number in range(2000))
    words = [Counted(word) for word in ["מסמך", "7", "מסמך", "1999", "מסמך", "x"]]
    assert names._spaced(words) == ["מסמך 7", "מסמך 1999"]
    assert Counted.compared < 100


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

from octavo.benchmark.measure import Group
from octavo.benchmark.registry import measures
from octavo.benchmark.scale import LONGEST_GROWTH, SCALES, Suite

GROWTH = (*SCALES[Suite.FULL].growth, LONGEST_GROWTH)


def test_names_are_unique_and_begin_with_their_group():
    names = [measure.name for measure in measures(GROWTH)]
    assert len(set(names)) == len(names)
    assert {measure.group for measure in measures(GROWTH)} == set(Group) - {Group.PEER}


def test_every_strategy_is_measured():
    from octavo.corpus.options import STRATEGY_NAMES

    names = {measure.name for measure in measures()}
    assert {f"strategy.{name}" for name in STRATEGY_NAMES} <= names


def test_groups_stay_together():
    order = [measure.group for measure in measures(GROWTH)]
    assert order == sorted(order, key=list(Group).index)


def test_growth_is_measured_over_every_size_but_the_first():
    names = [measure.name for measure in measures((10, 100, 1_000))]
    assert [name for name in names if name.startswith("growth.hybrid")] == [
        "growth.hybrid.100",
        "growth.hybrid.1000",
    ]
    assert not [measure for measure in measures((10,)) if measure.group is Group.GROWTH]

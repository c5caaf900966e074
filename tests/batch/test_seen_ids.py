from hypothesis import given
from hypothesis import strategies as st

from octavo.batch import seen_ids
from octavo.batch.seen_ids import SeenIds


@given(st.lists(st.lists(st.text(max_size=3), max_size=8), max_size=12))
def test_it_finds_what_a_set_finds(tmp_path_factory, blocks):
    original = seen_ids.RUN_LENGTH
    seen_ids.RUN_LENGTH = 5  # several runs on disk
    try:
        seen = SeenIds(tmp_path_factory.mktemp("seen"))
        known: set[str] = set()
        for block in blocks:
            expected = next(
                (i for i, one in enumerate(block) if one in known or one in block[:i]), None
            )
            assert seen.add(block) == expected
            if expected is not None:
                break
            known.update(block)
    finally:
        seen_ids.RUN_LENGTH = original


def test_runs_lie_in_the_directory(tmp_path, monkeypatch):
    monkeypatch.setattr(seen_ids, "RUN_LENGTH", 100)
    seen = SeenIds(tmp_path)
    for start in range(0, 1_000, 50):
        assert seen.add(str(number) for number in range(start, start + 50)) is None
    assert len(list(tmp_path.iterdir())) == 10
    assert [seen.add([str(number)]) for number in (0, 499, 999)] == [0, 0, 0]
    assert seen.add(["1000"]) is None

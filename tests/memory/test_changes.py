"""Changes are applied as a dictionary would apply them."""

from hypothesis import given
from hypothesis import strategies as st

from octavo.memory.changes import Changes, Written
from octavo.memory.entries import EntryTable
from tests.memory.stores import entry

IDS = st.sampled_from("abcdef")
STEPS = st.lists(st.tuples(st.sampled_from(["write", "remove"]), IDS), max_size=20)


def apply(steps, changes, model, start):
    for number, (what, identifier) in enumerate(steps, start):
        if what == "write":
            model[identifier] = entry(identifier, f"version {number}")
            changes.write(Written(model[identifier], number))
        else:
            model.pop(identifier, None)
            changes.remove(identifier)


@given(STEPS, STEPS, STEPS)
def test_edited_tables_are_dictionaries(first, second, third):
    # S31: a replaced entry keeps its place, one that was removed comes back last
    model = {}
    changes = Changes()
    apply(first, changes, model, 0)
    table, _ = EntryTable.of([]).edited(changes)
    assert list(table.entries) == list(model.values())
    earlier, later = Changes(), Changes()
    apply(second, earlier, model, 100)
    apply(third, later, model, 200)
    both, edit = table.edited(earlier.followed_by(later))
    assert list(both.entries) == list(model.values())
    assert both.rows == {identifier: row for row, identifier in enumerate(model)}
    assert len(both.tiers) == len(model)
    # The edit says the same in rows.
    rows = [f"old {row}" for row in range(len(table))]
    for row, prepared in edit.replaced.items():
        rows[row] = f"version {prepared}"
    kept = [True] * len(rows) if edit.kept is None else edit.kept.tolist()
    rows = [text for text, keep in zip(rows, kept, strict=True) if keep]
    rows += [f"version {prepared}" for prepared in edit.appended]
    for text, entered in zip(rows, both.entries, strict=True):
        assert text.startswith("old") or text == entered.content

"""Numbers of the distinct texts of a stream, against a dictionary."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.text_numbers import TextNumbers

texts = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.lists(st.lists(texts, max_size=12), max_size=5))
def test_numbers_by_first_appearance_however_the_texts_come(parts):
    numbers, known = TextNumbers(), {}
    for part in parts:
        before = len(known)
        expected = [known.setdefault(text, len(known)) for text in part]
        padded = pa.array(["before", *part, "after"], pa.large_string())
        assert numbers.add(padded.slice(1, len(part))).tolist() == expected
        assert len(numbers) == len(known)
        assert numbers.texts(before).to_pylist() == list(known)[before:]
    assert numbers.texts().to_pylist() == list(known)
    numbers.texts().validate(full=True)


def test_growing_far_beyond_the_first_room():
    numbers = TextNumbers()
    words = [f"{number:x}" * (number % 5) for number in range(50_000)]
    known = {}
    expected = [known.setdefault(word, len(known)) for word in words]
    found = [numbers.add(pa.array(words[start : start + 777], pa.large_string())).tolist()
             for start in range(0, len(words), 777)]  # fmt: skip
    assert [number for part in found for number in part] == expected
    assert numbers.add(pa.array(words, pa.large_string())).tolist() == expected
    assert numbers.texts().to_pylist() == list(known)

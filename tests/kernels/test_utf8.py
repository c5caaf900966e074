import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.kernels.utf8 import decode, encode

CHARACTERS = st.characters(exclude_categories=("Cs",))


@given(CHARACTERS)
@settings(deadline=None)
def test_there_and_back_as_python_does(character: str) -> None:
    data = np.frombuffer(character.encode(), np.uint8)
    assert decode(data, 0, len(data)) == (ord(character), len(data))
    out = np.zeros(8, np.uint8)
    assert encode(ord(character), out, 2) == 2 + len(data)
    assert out[2 : 2 + len(data)].tobytes() == data.tobytes()


@given(st.binary(min_size=1, max_size=6))
@settings(deadline=None)
def test_any_bytes_stay_within_bounds(data: bytes) -> None:
    code_point, after = decode(np.frombuffer(data, np.uint8), 0, len(data))
    assert -1 <= code_point < 0x110000
    assert 1 <= after <= len(data)

"""The same values in every physical Arrow layout, for hypothesis."""

import pyarrow as pa
from hypothesis import strategies as st

texts = st.text(st.characters(codec="utf-8"), max_size=12)
optional_texts = st.lists(st.none() | texts, max_size=12)

_STRING_TYPES = [pa.string(), pa.large_string(), pa.string_view()]


def _dictionary(values, value_type, index_type):
    distinct = list(dict.fromkeys(value for value in values if value is not None))
    codes = [None if value is None else distinct.index(value) for value in values]
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, index_type), pa.array(distinct, value_type)
    )


def _dictionary_with_null(values, value_type, index_type):
    distinct = [None, *dict.fromkeys(value for value in values if value is not None)]
    codes = [distinct.index(value) for value in values]
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, index_type), pa.array(distinct, value_type)
    )


@st.composite
def string_arrays(draw, values):
    """An array or chunked array of the given optional strings, in some layout."""
    before = draw(st.lists(st.none() | st.just("prefix"), max_size=3))
    after = draw(st.lists(st.just("suffix"), max_size=2))
    padded = [*before, *values, *after]
    value_type = draw(st.sampled_from(_STRING_TYPES))
    encoding = draw(st.sampled_from(["plain", "dictionary", "null in dictionary", "run ends"]))
    index_type = draw(st.sampled_from([pa.int8(), pa.int32(), pa.uint16()]))
    if encoding == "dictionary":
        array = _dictionary(padded, value_type, index_type)
    elif encoding == "null in dictionary":
        array = _dictionary_with_null(padded, value_type, index_type)
    elif encoding == "run ends" and value_type != pa.string_view():
        array = pa.RunEndEncodedArray.from_arrays(
            pa.array(range(1, len(padded) + 1), pa.int32()), pa.array(padded, value_type)
        )
    else:
        array = pa.array(padded, value_type)
    sliced = array.slice(len(before), len(values))
    if draw(st.booleans()) and encoding == "plain":
        cut = draw(st.integers(0, len(values)))
        return pa.chunked_array([sliced.slice(0, cut), sliced.slice(cut)], array.type)
    return sliced


@st.composite
def vector_arrays(draw, values, value_type):
    """An array of the given optional vectors of one length, in some list layout."""
    dimensions = next((len(value) for value in values if value is not None), 2)
    before = draw(st.lists(st.none() | st.just([9.0] * dimensions), max_size=2))
    padded = [*before, *values, *draw(st.lists(st.just([8.0] * dimensions), max_size=2))]
    kind = draw(
        st.sampled_from(
            [
                pa.list_(value_type, dimensions),
                pa.list_(value_type),
                pa.large_list(value_type),
                pa.list_view(value_type),
                pa.large_list_view(value_type),
            ]
        )
    )
    sliced = pa.array(padded, kind).slice(len(before), len(values))
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(values)))
        return pa.chunked_array([sliced.slice(0, cut), sliced.slice(cut)], kind)
    return sliced

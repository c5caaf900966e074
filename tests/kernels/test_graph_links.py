"""Documents of visited nodes against a dictionary (S24)."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.kernels.graph_links import best_linked

NODES, DOCUMENTS = 6, 5


@given(
    st.lists(
        st.dictionaries(st.integers(0, NODES - 1), st.sampled_from([-1.0, 0.0, 0.5, 1.0])),
        min_size=1, max_size=4,
    ),
    st.lists(st.lists(st.integers(0, DOCUMENTS - 1), max_size=4), min_size=NODES, max_size=NODES),
    st.lists(st.booleans(), min_size=DOCUMENTS, max_size=DOCUMENTS),
)  # fmt: skip
@settings(deadline=None)
def test_each_document_once_at_its_best_node(visited, linked, admitted):  # S24
    flat = [(node, score) for each in visited for node, score in each.items()]
    offsets, positions, documents = best_linked(
        np.cumsum([0, *map(len, visited)], dtype=np.int64),
        np.array([node for node, _ in flat], np.int64),
        np.array([score for _, score in flat], np.float64),
        np.cumsum([0, *map(len, linked)], dtype=np.int64),
        np.array([document for each in linked for document in each], np.int64),
        np.array(admitted, np.bool_),
    )
    assert len(positions) == len(documents) == offsets[-1]
    for query, each in enumerate(visited):
        expected = {}
        for node, score in sorted(each.items(), key=lambda pair: (-pair[1], pair[0])):
            for document in linked[node]:
                if admitted[document]:
                    expected.setdefault(document, (node, score))
        mine = slice(offsets[query], offsets[query + 1])
        found = zip(documents[mine].tolist(), positions[mine].tolist(), strict=True)
        assert {document: flat[position] for document, position in found} == expected
        assert offsets[query + 1] - offsets[query] == len(expected)

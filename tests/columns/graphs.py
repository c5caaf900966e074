"""Edge lists for hypothesis, and what a graph of them is, in plain Python."""

import pyarrow as pa
from hypothesis import strategies as st

# Beyond the BMP: UTF-16 would sort it before U+FFFF, UTF-8 does not.
names = st.text("ab\u00e9\uffff\U0001f600\ud7ff", min_size=1, max_size=3)
edge_lists = st.lists(
    st.tuples(
        names, st.sampled_from(["cites", "é", "links to", ""]), names, st.sampled_from([1.0, 0.5, -2.0])
    ),
    max_size=30,
)  # fmt: skip


def table(edges):
    """The edges as an Arrow table."""
    heads, relations, tails, weights = zip(*edges, strict=True) if edges else [()] * 4
    return pa.table(
        {
            "head": pa.array(heads, pa.string()),
            "relation": pa.array(relations, pa.string()),
            "tail": pa.array(tails, pa.string()),
            "weight": pa.array(weights, pa.float64()),
        }
    )


def rows(graph):
    """The edges of a graph as (head, relation, tail, weight), by head."""
    ids, relations = graph.node_ids.to_pylist(), graph.relation_names.to_pylist()
    found = []
    for node, head in enumerate(ids):
        for edge in range(graph.offsets[node], graph.offsets[node + 1]):
            weight = 1.0 if graph.weights is None else float(graph.weights[edge])
            relation = relations[graph.relations[edge]]
            found.append((head, relation, ids[graph.targets[edge]], weight))
    return found


def same(one, other):
    """Whether two graphs are the same, value by value and type by type."""
    arrays = [
        (getattr(one, name), getattr(other, name)) for name in ("offsets", "targets", "relations")
    ]
    if (one.weights is None) != (other.weights is None):
        return False
    if one.weights is not None:
        arrays.append((one.weights, other.weights))
    texts = [(getattr(one, name), getattr(other, name)) for name in ("node_ids", "relation_names")]
    return all(a.dtype == b.dtype and a.tolist() == b.tolist() for a, b in arrays) and all(
        a.type == b.type and a.to_pylist() == b.to_pylist() for a, b in texts
    )

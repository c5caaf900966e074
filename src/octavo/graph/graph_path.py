"""Why a node was found: the path by which it got its score (S24)."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GraphPath:
    """The path by which a hit of graph retrieval got its score.

    Parameters
    ----------
    nodes
        The ids of the nodes on it, the seed first; none twice.
    names
        What to call each of them: its title, else its ``name`` in its metadata, else how its
        content begins, else its id.
    relations
        The relation of each hop. Where several edges lead from one node to the next, that of the
        first in the order in which the store gives them.
    seed_score
        The seed's score.
    decay
        What each hop multiplies a score by.
    document
        The id of the hit: the last node's own, or that of a document for which the node stands.

    Examples
    --------
    >>> path = GraphPath(("a", "b"), ("Log in", "b"), ("calls",), 3.2, 0.85, "b")
    >>> path.hops, path.score
    (1, 2.72)
    >>> print(path)
    seed 'Log in' [a] (3.2000) --calls--> 'b'; 1 hop, 3.2000 x 0.85 = 2.7200
    """

    nodes: tuple[str, ...]
    names: tuple[str, ...]
    relations: tuple[str, ...]
    seed_score: float
    decay: float
    document: str

    @property
    def hops(self) -> int:
        """The number of edges."""
        return len(self.relations)

    @property
    def score(self) -> float:
        """``seed_score * decay^hops``, multiplied hop by hop: the score of the walk, bit for bit."""
        return self.scores()[-1]

    def scores(self) -> tuple[float, ...]:
        """Return the score at each node along the path."""
        scores = [self.seed_score]
        for _ in self.relations:
            scores.append(scores[-1] * self.decay + 0.0)  # never minus zero
        return tuple(scores)

    def as_dict(self) -> dict[str, Any]:
        """Return the path as plain values."""
        return {
            "nodes": list(self.nodes),
            "names": list(self.names),
            "relations": list(self.relations),
            "hops": self.hops,
            "seed_score": self.seed_score,
            "decay": self.decay,
            "score": self.score,
            "document": self.document,
        }

    def __str__(self) -> str:
        """Return the path for people; names and relations stand there as they are."""
        shown = [
            f"'{name}'" if name == node else f"'{name}' [{node}]"
            for node, name in zip(self.nodes, self.names, strict=True)
        ]
        steps = [
            f"--{relation}--> {node}" if relation.strip() else f"--> {node}"
            for relation, node in zip(self.relations, shown[1:], strict=True)
        ]
        linked = [f"=> document '{self.document}'"] if self.document != self.nodes[-1] else []
        line = " ".join([f"seed {shown[0]} ({self.seed_score:.4f})", *steps, *linked])
        if not self.hops:
            return line
        hops, power = ("1 hop", "") if self.hops == 1 else (f"{self.hops} hops", f"^{self.hops}")
        formula = f"{self.seed_score:.4f} x {self.decay:g}{power} = {self.score:.4f}"
        return f"{line}; {hops}, {formula}"

"""How the vectors of an index are searched, and what that was measured to find, for people."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from octavo.cli.output import size

if TYPE_CHECKING:
    from octavo.corpus.info import CorpusInfo, VectorSearchInfo

_PROBES = {"lists": "lists probed", "graph": "rows in view"}


def vector_facts(found: "CorpusInfo") -> list[tuple[str, str]]:
    """Say it for each segment; for shards, of which there may be a thousand, together by kind."""
    if found.shards:
        kinds = sorted({each.measured.kind for each in found.vector_search})
        alike = [
            [each for each in found.vector_search if each.measured.kind == kind] for kind in kinds
        ]
        lines = [line for shards in alike for line in _of_shards(shards)]
    else:
        lines = [line for segment in found.vector_search for line in _of_segment(segment)]
    return [("vector search", line) for line in lines]


def _of_segment(segment: "VectorSearchInfo") -> list[str]:
    found = segment.measured
    if found.kind == "flat":
        exact = [f"exact, {size(segment.stored_bytes)} of vectors"]
        return [*exact, *_unused(segment.unused_bytes, [found.target])]
    recalls = ", ".join(f"{value:.3f} for {name}" for name, value in found.recalls.items())
    memory = f"{size(segment.structure_bytes)} beside {size(segment.stored_bytes)} of vectors"
    alone, together = 1e3 * found.single_seconds, 1e3 * found.batch_seconds
    width = f"{found.efforts[0]:,} {_PROBES[found.kind]}, {found.nominees:,} nominees"
    return [
        f"{found.kind}: {width}; {memory}",
        f"recall at 10: {recalls} (target {found.target:g}, {found.queries:,} queries)",
        f"time: {alone:.2f} ms alone, {together:.2f} ms in a batch, one thread",
    ]


def _of_shards(shards: "Sequence[VectorSearchInfo]") -> list[str]:
    """Sum up shards that are searched alike; a query asks all of them."""
    measured = [each.measured for each in shards]
    kind = measured[0].kind
    where = f"in {len(shards):,} shard{'s' if len(shards) > 1 else ''}"
    stored = size(sum(each.stored_bytes for each in shards))
    targets = sorted({each.target for each in measured})
    if kind == "flat":
        unused = sum(each.unused_bytes for each in shards)
        return [f"exact {where}, {stored} of vectors", *_unused(unused, targets)]
    structures = size(sum(each.structure_bytes for each in shards))
    alone, together = (
        1e3 * sum(times)
        for times in zip(
            *((each.single_seconds, each.batch_seconds) for each in measured), strict=True
        )
    )
    width = (
        f"{_range(each.efforts[0] for each in measured)} {_PROBES[kind]}, "
        f"{_range(each.nominees for each in measured)} nominees"
    )
    return [
        f"{kind} {where}: {width}; {structures} beside {stored} of vectors",
        f"recall at 10: {'; '.join(_recalls(shards))} (target {_listed(targets)})",
        f"time: {alone:.2f} ms alone, {together:.2f} ms in a batch, one thread, all shards in turn",
    ]


def _recalls(shards: "Sequence[VectorSearchInfo]") -> "list[str]":
    """Say the mean over all vectors, and the lowest, for each kind of queries."""
    said = []
    for name in dict.fromkeys(name for each in shards for name in each.measured.recalls):
        known = [each for each in shards if name in each.measured.recalls]
        vectors = sum(each.stored_bytes for each in known)
        found = [(each.measured.recalls[name], each.stored_bytes / vectors) for each in known]
        mean, lowest = sum(recall * share for recall, share in found), min(found)[0]
        said.append(f"{mean:.3f} for {name}, {lowest:.3f} in the worst shard")
    return said


def _unused(size_: int, targets: Sequence[float]) -> list[str]:
    if not size_:
        return []
    kept = f"{size(size_)} of lists or a graph are kept unused"
    approximate = [target for target in targets if target < 1.0]
    return [
        kept + (f": they do not pay at a recall of {_listed(approximate)}" if approximate else "")
    ]


def _listed(targets: Sequence[float]) -> str:
    return ", ".join(f"{target:g}" for target in targets)


def _range(values: Iterable[int]) -> str:
    found = set(values)
    low, high = min(found), max(found)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"

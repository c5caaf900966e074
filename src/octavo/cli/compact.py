"""``octavo compact``: all segments merged into one, deleted rows dropped."""

from octavo.cli.options import AsJson, IndexPath, MemoryBudget, Threads
from octavo.cli.output import facts, say, show, show_json, size
from octavo.cli.progress import listener, progress


def compact(
    index: IndexPath,
    *,
    memory_budget: MemoryBudget = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Merge an index into one segment, without deleted documents."""
    import time  # noqa: PLC0415

    from octavo.shards.opening import open_single  # noqa: PLC0415

    corpus = open_single(index)
    before, started = corpus.info(), time.perf_counter()
    with progress() as update:
        compacted = corpus.compact(
            memory_budget=memory_budget,
            threads=threads,
            progress=listener(update, before.documents),
        )
    after = compacted.info()
    say(f"{time.perf_counter() - started:.1f} s")
    if as_json:
        show_json(
            {
                "documents": after.documents,
                "generation": after.generation,
                "segments_before": before.segments,
                "segments": after.segments,
                "size_before": before.size,
                "size": after.size,
            }
        )
        return
    for line in facts(
        [
            ("documents", f"{after.documents:,}"),
            ("segments", f"{before.segments:,} -> {after.segments:,}"),
            ("size", f"{size(before.size)} -> {size(after.size)}"),
        ]
    ):
        show(line)

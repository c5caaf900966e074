"""``octavo repair``: what can be worked out from the columns, built again where it is damaged."""

from octavo.cli.options import AsJson, IndexPath, MemoryBudget, Threads
from octavo.cli.output import say, show, show_json
from octavo.cli.progress import listener, progress


def repair(
    index: IndexPath,
    *,
    memory_budget: MemoryBudget = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Build damaged parts of an index again from its documents."""
    from octavo.corpus.corpus import Corpus  # noqa: PLC0415
    from octavo.shards import ShardedCorpus  # noqa: PLC0415
    from octavo.shards.layout import is_sharded  # noqa: PLC0415

    kind = ShardedCorpus if is_sharded(index) else Corpus
    with progress() as update:
        report = kind.repair(
            index,
            memory_budget=memory_budget,
            threads=threads,
            progress=listener(update, None),
        )
    problems = [str(problem) for problem in report.problems]
    if as_json:
        show_json({"rebuilt": report.rebuilt, "problems": problems})
        return
    for problem in problems:
        say(problem)
    for part in report.rebuilt:
        show(f"rebuilt {part}")
    if not problems:
        say("Nothing is damaged.")

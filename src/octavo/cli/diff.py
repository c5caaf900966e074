"""``octavo diff``: what changed from one file of results to another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from octavo.cli.failures import FAILED
from octavo.cli.options import AsJson
from octavo.cli.output import counts, say, show, show_json
from octavo.visible import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from octavo.ledger import DiffSummary, HitChange, SettingChange


def diff(
    before: Annotated[
        Path, typer.Argument(metavar="BEFORE", help="Results of octavo batch, or a run.")
    ],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="Other results, or a run.")],
    *,
    ignore_scores: Annotated[
        bool,
        typer.Option("--ignore-scores", help="Another score at the same rank is no change."),
    ] = False,
    fail_on_change: Annotated[
        bool, typer.Option("--fail-on-change", help="Exit with status 1 where a hit changed.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Show the hits of at most N queries; all are counted."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say which queries changed, which hits moved, and what moved them.

    Settings that differ come first, then a line a hit, with tabs between its fields: query,
    document, change, ranks, scores, and what moved it. Numbers of all follow on stderr.

    Runs of any system, such as TREC runs, have no parts of scores: they say what moved, not why.
    """
    from octavo.ledger.comparison import diff as compared  # noqa: PLC0415 - heavy

    found = compared(_results(before), _results(after), ignore_scores=ignore_scores)
    for setting in found.settings:
        _show_setting(setting, as_json=as_json)
    for number, query in enumerate(found):
        if limit is not None and number >= limit:
            continue
        if number == 0 and not as_json:
            show("query\tid\tchange\trank\tscore\tmoved by")
        for hit in query.hits:
            _show_hit(query.query_id, hit, as_json=as_json)
    _show_summary(found.summary, as_json=as_json)
    if fail_on_change and found.summary.changed:
        raise typer.Exit(FAILED)


def _results(path: Path) -> "Path | pa.Table":
    """Return results as they are read best: with their parts, or as a run, which has none."""
    from octavo.ledger.results import is_results_file  # noqa: PLC0415 - heavy

    if not path.is_file() or is_results_file(str(path)):
        return path
    from octavo.evaluation import read_run  # noqa: PLC0415

    return read_run(path).table()


def _show_setting(setting: "SettingChange", *, as_json: bool) -> None:
    if as_json:
        show_json({"setting": setting.name, "before": setting.before, "after": setting.after})
    else:
        show(
            printable(
                f"setting {setting.name}: {_plain(setting.before)} -> {_plain(setting.after)}"
            )
        )


def _show_hit(query: str, hit: "HitChange", *, as_json: bool) -> None:
    if as_json:
        show_json({"query_id": query, **hit._asdict()})
        return
    fields = (
        printable(query),
        printable(hit.id),
        hit.move.value,
        _from_to(hit.rank_before, hit.rank_after),
        _from_to(_rounded(hit.score_before), _rounded(hit.score_after)),
        hit.moved_by,
    )
    show("\t".join(fields))


def _show_summary(summary: "DiffSummary", *, as_json: bool) -> None:
    if as_json:
        show_json(
            {
                "summary": {
                    "queries": summary.queries,
                    "changed": summary.changed,
                    "moves": summary.moves,
                    "moved_by": summary.moved_by,
                }
            }
        )
        return
    say(f"{summary.changed:,} of {summary.queries:,} queries changed.")
    if summary.changed:
        say(f"Hits: {counts(summary.moves)}.")
        say(f"Moved by: {counts(dict(summary.moved_by.most_common()))}.")


def _plain(value: Any) -> str:  # noqa: ANN401 - a JSON value
    return "-" if value is None else str(value)


def _rounded(score: float | None) -> str | None:
    return None if score is None else f"{score:.6g}"


def _from_to(before: object, after: object) -> str:
    return f"{_plain(before)} -> {_plain(after)}"

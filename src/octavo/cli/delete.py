"""``octavo delete``: documents taken out of an index, by id or by filter."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli import values
from octavo.cli.options import AsJson, Filters, IndexPath, parsed_filters, refuse_unknown_keys
from octavo.cli.output import facts, show, show_json
from octavo.cli.progress import listener, progress
from octavo.cli.values import checked

if TYPE_CHECKING:
    from octavo.corpus.corpus import Corpus


def delete(
    index: IndexPath,
    *,
    ids: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Ids to delete: a line each (- is standard input), or the id column of a parquet, "
            "Arrow, JSON lines or CSV file.",
        ),
    ] = None,
    id: Annotated[  # noqa: A002
        list[str] | None,
        typer.Option(
            "--id",
            metavar="ID",
            callback=checked(values.document_id),
            help="An id to delete; repeatable.",
        ),
    ] = None,
    filters: Filters = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be deleted; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete documents, all of those named or none."""
    if sum(way is not None and way != [] for way in (ids, id, filters)) != 1:
        raise typer.BadParameter("expected exactly one of --ids, --id and --filter")
    matching = parsed_filters(filters)
    from octavo.shards.opening import open_single  # noqa: PLC0415

    corpus = open_single(index)
    if matching:
        refuse_unknown_keys(matching, corpus)
        result = _delete_where(corpus, matching, dry_run=dry_run)
    else:
        result = _delete_ids(corpus, _given(corpus, ids, id), dry_run=dry_run)
    result["documents"] = len(corpus)
    if as_json:
        show_json(result)
        return
    for line in facts((name.replace("_", " "), f"{number:,}") for name, number in result.items()):
        show(line)


def _given(corpus: "Corpus", file: str | None, listed: list[str] | None) -> list[str]:
    """Return the ids that were named, each once."""
    from octavo.cli.id_list import read_ids  # noqa: PLC0415

    given = (listed or []) if file is None else read_ids(file, corpus.info().columns.id)
    return list(dict.fromkeys(given))


def _delete_ids(corpus: "Corpus", given: list[str], *, dry_run: bool) -> dict[str, int]:
    if dry_run:
        there = int((corpus.keyword_index.rows_of(given) >= 0).sum()) if given else 0
        return {"to_delete": there, "not_found": len(given) - there}
    deleted = 0
    if given:
        with progress() as update, corpus.writer(progress=listener(update, None)) as writer:
            deleted = writer.delete(given)
    return {"deleted": deleted, "not_found": len(given) - deleted}


def _delete_where(
    corpus: "Corpus", matching: Mapping[str, str], *, dry_run: bool
) -> dict[str, int]:
    if dry_run:
        return {"to_delete": corpus.keyword_index.select(matching).count}
    with progress() as update, corpus.writer(progress=listener(update, None)) as writer:
        return {"deleted": writer.delete_where(matching)}

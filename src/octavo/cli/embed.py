"""``octavo embed``: documents to documents with vectors."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from octavo.cli import values
from octavo.cli.log_lines import log_lines
from octavo.cli.options import CorpusFiles
from octavo.cli.output import facts, say
from octavo.cli.progress import progress
from octavo.cli.values import checked, wrong_use

if TYPE_CHECKING:
    from octavo.batch.embedding import EmbedProgress, EmbedSummary
    from octavo.embeddings.protocol import EmbeddingFunction


def embed(
    corpus: CorpusFiles,
    *,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Parquet file to write.")],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            callback=checked(values.embedding),
            help="sentence-transformers:MODEL, model2vec:MODEL, openai:MODEL, MODULE:ATTR, "
            "hash or hash:N.",
        ),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The model of a file of octavo embed, or of an index."),
    ] = None,
    queries: Annotated[
        bool, typer.Option("--queries", help="Embed as queries, where the model tells them apart.")
    ] = False,
    text: Annotated[str | None, typer.Option(metavar="COL", help="Column of the text.")] = None,
    title: Annotated[str | None, typer.Option(metavar="COL", help="Column of titles.")] = None,
    no_title: Annotated[
        bool, typer.Option("--no-title", help="Use no title, even if one is found.")
    ] = False,
    column: Annotated[str, typer.Option(metavar="COL", help="Name of the new column.")] = "vector",
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Column of the input to write; repeatable. Unset: all."),
    ] = None,
    prompt: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Put before each document.")
    ] = None,
    query_prompt: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Put before each query.")
    ] = None,
    dimensions: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Shorter vectors, of a model made for it."),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Texts at a time.")
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Such as cpu or cuda (sentence-transformers)."),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="A server like OpenAI's, such as http://localhost:8000/v1."
        ),
    ] = None,
    api_key_variable: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Variable with the server's key; unset, OPENAI_API_KEY."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Requests at a time (openai).")
    ] = None,
    requests_per_minute: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            callback=checked(values.above_zero),
            help="The most requests a minute (openai).",
        ),
    ] = None,
    tokens_per_minute: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            callback=checked(values.above_zero),
            help="The most tokens a minute (openai).",
        ),
    ] = None,
    max_retries: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Retries of a request (openai).")
    ] = None,
    max_characters: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Embed no more of a text, if a model refuses longer."
        ),
    ] = None,
    keep_length: Annotated[
        bool, typer.Option("--keep-length", help="Do not scale vectors to length 1.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a job that was stopped.")
    ] = False,
) -> None:
    """Embed documents, and write them with their vectors to a parquet file."""
    if (model is None) == (like is None):
        raise typer.BadParameter("expected either --model or --like")
    if no_title and title is not None:
        raise typer.BadParameter("expected either --title or --no-title, found both")
    options: dict[str, Any] = {
        "prompt": prompt,
        "query_prompt": query_prompt,
        "dimensions": dimensions,
        "batch_size": batch_size,
        "device": device,
        "base_url": base_url,
        "api_key_variable": api_key_variable,
        "concurrency": concurrency,
        "requests_per_minute": requests_per_minute,
        "tokens_per_minute": tokens_per_minute,
        "max_retries": max_retries,
    }
    from octavo.batch.embedding import EmbedJob, run_embedding  # noqa: PLC0415
    from octavo.batch.work_directory import can_resume  # noqa: PLC0415
    from octavo.columns.schema import NO_TITLE  # noqa: PLC0415
    from octavo.model_servers.wait_notice import LOGGER as WAITS  # noqa: PLC0415

    job = EmbedJob(
        inputs=corpus,
        out=out,
        model=_model(model, like, options),
        text=text,
        title=NO_TITLE if no_title else title,
        column=column,
        keep=keep,
        queries=queries,
        unit_length=not keep_length,
        max_characters=max_characters,
        resume=resume,
    )
    if not resume and can_resume(out):
        say("A stopped job left finished parts; they are thrown away (--resume would keep them).")
    rows: int | None = None
    try:
        with progress() as update, log_lines(WAITS):

            def listen(event: "EmbedProgress") -> None:
                nonlocal rows
                if rows is None:
                    _introduce(event)
                rows = event.rows
                update("embedding", event.rows, event.total)

            summary = run_embedding(job, listen)
    except BaseException:
        if rows is not None and can_resume(out):
            say(f"The first {rows:,} rows are kept beside the output; --resume goes on from there.")
        raise
    for line in _report(summary):
        say(line)


def _model(
    model: str | None, like: Path | None, options: dict[str, Any]
) -> "str | EmbeddingFunction":
    from octavo.embeddings.libraries import model_embedding  # noqa: PLC0415
    from octavo.embeddings.specification import (  # noqa: PLC0415
        ModelSpecification,
        parse_specification,
    )
    from octavo.shards.remembered_embedding import embedding_of  # noqa: PLC0415

    given = {name: value for name, value in options.items() if value is not None}
    if like is not None:
        return embedding_of(like, **given)
    specification = parse_specification(model or "")
    if isinstance(specification, ModelSpecification):
        with wrong_use():
            return model_embedding(specification.library, specification.model, **given)
    if given:
        option = next(iter(given)).replace("_", "-")
        raise typer.BadParameter(f"--{option} is for models of libraries, found --model {model}")
    return str(specification)


def _introduce(event: "EmbedProgress") -> None:
    say(f"Columns: {event.columns}; {event.dimensions} dimensions")
    if event.left_out:
        names = ", ".join(repr(name) for name in event.left_out)
        say(f"Not written, since they hold objects or lists of text: {names}")


def _report(summary: "EmbedSummary") -> list[str]:
    report: list[tuple[str, object]] = [
        ("vectors", f"{summary.out} ({summary.dimensions} dimensions)"),
        ("rows", f"{summary.rows:,}"),
        ("texts embedded", f"{summary.embedded:,}"),
        ("time", f"{summary.seconds:.1f} s ({summary.rate:,.0f} rows/s)"),
    ]
    for name, count in (
        ("resumed", summary.resumed),
        ("repeated texts", summary.repeated),
        ("without text", summary.blank),
    ):
        if count:
            report.insert(-1, (name, f"{count:,}"))
    return facts(report)

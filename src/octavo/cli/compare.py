"""``octavo compare``: runs of any systems, measured with the same judgements."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli.evaluation_options import Evaluation, EvaluationRequest, with_evaluation_options

if TYPE_CHECKING:
    from octavo.evaluation import Run


@with_evaluation_options
def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="TREC runs, results of octavo batch, other parquet, JSON lines."
        ),
    ],
    qrels: Annotated[
        Path,
        typer.Argument(
            metavar="QRELS", help="TREC qrels, BEIR's qrels/*.tsv or folder, parquet, ..."
        ),
    ],
    *,
    request: EvaluationRequest,
) -> None:
    """Measure runs with judged queries; exit with 1 where they fall below a limit."""
    from octavo.evaluation import read_qrels  # noqa: PLC0415

    evaluation = Evaluation(request)
    judgements = read_qrels(qrels, split=request.split)
    evaluation.finish(_read(runs), judgements)


def _read(paths: Sequence[Path]) -> "list[Run]":
    """Read runs; files of one name are called by their paths."""
    from octavo.evaluation import read_run  # noqa: PLC0415

    found = [read_run(path) for path in paths]
    names = Counter(run.name for run in found)
    return [
        run if names[run.name] == 1 else run.named(str(path))
        for run, path in zip(found, paths, strict=True)
    ]

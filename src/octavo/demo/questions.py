"""Questions about Python's standard library, each with the documents that answer it.

They are written in ``data/demo_questions.tsv`` and ship as ``questions.parquet``. After a change:

    python -m octavo.demo.questions data/demo_questions.tsv
"""

import csv
import sys
from importlib.resources import as_file, files
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.errors import InvalidArgumentError

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("relevant", pa.list_(pa.string()), nullable=False),
    ]
)


def load_questions() -> pa.Table:
    """Return the bundled questions.

    Columns: ``id``, ``text``, and ``relevant``, a list with the ids of the documents that answer
    the question; they exist in Python 3.11, 3.12 and 3.13.

    Examples
    --------
    >>> load_questions().column_names
    ['id', 'text', 'relevant']
    """
    with as_file(files("octavo.demo") / "questions.parquet") as path:
        return pq.read_table(path)


def read_questions(source: Path) -> pa.Table:
    """Read questions from a tab-separated file: the question, then the ids that answer it.

    Ids are separated by spaces; the first line names the columns. Questions are numbered ``q01``,
    ``q02`` and so on.

    Raises
    ------
    octavo.errors.InvalidArgumentError
        A line has not exactly two filled columns.
    """
    rows: list[dict[str, str | list[str]]] = []
    with source.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(lines, None)
        for number, line in enumerate(lines, start=1):
            if len(line) != 2 or not all(cell.strip() for cell in line):
                raise InvalidArgumentError(
                    f"{source}, line {number + 1}: expected a question and ids, found {line!r}"
                )
            rows.append({"id": f"q{number:02}", "text": line[0], "relevant": line[1].split()})
    return pa.Table.from_pylist(rows, schema=SCHEMA)


if __name__ == "__main__":
    pq.write_table(read_questions(Path(sys.argv[1])), Path(__file__).with_name("questions.parquet"))

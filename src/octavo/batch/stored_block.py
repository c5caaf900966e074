"""Finished blocks of a batch job as Arrow record batches that carry their own report."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from octavo.engines.report import SearchReport

_KEY = b"octavo.block"


@dataclass(frozen=True, slots=True, eq=False)
class BlockTotals:
    """Numbers of blocks, queries and hits, and what they took; totals add up."""

    blocks: int = 0
    queries: int = 0
    hits: int = 0
    report: SearchReport = field(default_factory=SearchReport)

    def __add__(self, other: "BlockTotals") -> "BlockTotals":
        return BlockTotals(
            self.blocks + other.blocks,
            self.queries + other.queries,
            self.hits + other.hits,
            self.report + other.report,
        )


@dataclass(frozen=True, slots=True, eq=False)
class StoredBlock:
    """The hits of consecutive queries.

    Parameters
    ----------
    number
        Position of the block in the job, from 0.
    hits
        A row a hit.
    queries
        Number of queries, those without hits included.
    report
        What it took to find the hits.
    """

    number: int
    hits: pa.RecordBatch
    queries: int
    report: SearchReport

    def totals(self) -> BlockTotals:
        """Return the totals of this one block."""
        return BlockTotals(1, self.queries, self.hits.num_rows, self.report)

    def metadata(self) -> dict[bytes, bytes]:
        """Return all but the hits, as metadata of an Arrow record batch."""
        body = {
            "number": self.number,
            "queries": self.queries,
            "plans": self.report.plans,
            "counters": self.report.counters,
        }
        return {_KEY: json.dumps(body, default=int).encode()}  # counters may be numpy integers

    @staticmethod
    def of(hits: pa.RecordBatch, metadata: Mapping[bytes, bytes] | None) -> "StoredBlock":
        """Read a block back.

        Raises
        ------
        ValueError, KeyError, TypeError, AttributeError
            The metadata is not what :meth:`metadata` gave.
        """
        body = json.loads((metadata or {})[_KEY])
        report = SearchReport(Counter(body["plans"]), Counter(body["counters"]))
        return StoredBlock(int(body["number"]), hits, int(body["queries"]), report)


def as_record_batch(table: pa.Table, schema: pa.Schema) -> pa.RecordBatch:
    """Return the rows of a table with the columns of ``schema`` as one record batch."""
    batches = table.select(schema.names).cast(schema).combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema)

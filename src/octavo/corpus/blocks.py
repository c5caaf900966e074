"""Searching many queries in blocks, on several threads, with results in order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from octavo.engines.report import SearchReport
from octavo.parallel import ordered_map
from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy, ranked_table
from octavo.strategies.queries import Queries

BLOCK_QUERIES = 256
"""Queries a block: enough for the matrix product to run at full speed, few enough to share out."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryBlock:
    """Consecutive queries of a batch, with their ids (a string array)."""

    ids: pa.StringArray
    queries: Queries


@dataclass(frozen=True, slots=True, eq=False)
class BlockResult:
    """The hits of one block as a table, and what it took to find them."""

    table: pa.Table
    report: SearchReport
    queries: int


def split_queries(ids: pa.StringArray, queries: Queries) -> Iterator[QueryBlock]:
    """Cut queries into blocks; always the same blocks for the same queries."""
    for start in range(0, len(queries), BLOCK_QUERIES):
        piece = slice(start, start + BLOCK_QUERIES)
        yield QueryBlock(ids.slice(start, BLOCK_QUERIES), queries[piece])


def search_blocks(
    strategy: ColumnarStrategy,
    blocks: Iterable[QueryBlock],
    context: RAGContext,
    *,
    threads: int,
) -> Iterator[BlockResult]:
    """Search each block on one of ``threads`` threads; results come in the order of the blocks.

    A block's result depends on nothing but its queries, so it is the same for any number of
    threads. Memory holds about ``threads + 1`` blocks, however many there are.
    """

    def search(block: QueryBlock) -> BlockResult:
        table, report = ranked_table(strategy, block.queries, context, block.ids)
        return BlockResult(table, report, len(block.queries))

    return ordered_map(search, blocks, threads=threads)

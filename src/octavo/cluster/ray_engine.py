"""Blocks of a batch job on the workers of a Ray cluster.

Plain actors and not Ray Data: a job needs its blocks in order, retried one by one, and few under
way, which is what a window over actor calls is. Ray Data would add an optimiser, a second budget of
memory and blocks of its own sizes, and take away the numbers that parts are resumed by.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from octavo.batch.answer import AnsweredBlock, SearchSettings, answer
from octavo.cluster.calls import Call, Losses
from octavo.cluster.ray_shards import RayShards, ShardHolder
from octavo.cluster.searcher import IndexState, Searcher
from octavo.cluster.session import RaySession
from octavo.corpus.searchable import SearchableCorpus
from octavo.errors import checked_count
from octavo.parallel import ordered_map
from octavo.shards.sharded_corpus import ShardedCorpus

BLOCKS_A_WORKER = 3
"""Blocks under way for each worker: one searched, one waiting, one whose hits are on their way."""


class RayEngine:
    """Search on the workers of a cluster, each of which opens the index itself.

    A worker that ends (killed, or its machine lost) is started again, elsewhere if need be, and its
    blocks are searched again. So the index must lie where every machine finds it by the same path;
    what is memory-mapped is shared by the workers of one machine.

    A sharded index is not opened whole by anybody: each worker holds some of its shards, every
    block goes to all of them, and this process merges what they find.

    Parameters
    ----------
    session
        The cluster.
    workers
        How many; unset, one for each processor of the cluster.
    """

    def __init__(self, session: RaySession, workers: int | None = None) -> None:
        self._session = session
        self._workers = session.processors if workers is None else checked_count("workers", workers)

    def search(
        self,
        corpus: SearchableCorpus,
        settings: SearchSettings,
        blocks: Iterable[pa.RecordBatch],
    ) -> Iterator[AnsweredBlock]:
        """Yield the answers in the order of the blocks.

        Raises
        ------
        ExecutionError
            The workers of a block ended, as often as it was tried.
        """
        with self._session.failures("searching on the cluster"):
            if isinstance(corpus, ShardedCorpus):
                yield from self._search_shards(corpus, settings, blocks)
            else:
                yield from self._search_copies(corpus, settings, blocks)

    def _search_copies(
        self,
        corpus: SearchableCorpus,
        settings: SearchSettings,
        blocks: Iterable[pa.RecordBatch],
    ) -> Iterator[AnsweredBlock]:
        # By value: a worker that is started again must not depend on an object of a lost machine.
        arguments = [(IndexState.of(corpus), settings)] * self._workers
        with self._session.actors(Searcher, arguments) as workers:
            yield from _in_order(self._session, workers, blocks)

    def _search_shards(
        self,
        corpus: ShardedCorpus,
        settings: SearchSettings,
        blocks: Iterable[pa.RecordBatch],
    ) -> Iterator[AnsweredBlock]:
        places = [place for place in corpus.shards if place.number in corpus.held]
        workers = max(1, min(self._workers, len(places)))
        held = [places[number::workers] for number in range(workers)]
        with self._session.actors(ShardHolder, held) as actors:
            over = {
                place.number: actor
                for actor, each in zip(actors, held, strict=True)
                for place in each
            }
            session = replace(self._session, losses=Losses())  # of this job, which may be given up
            asking = corpus.asking(RayShards(session, over))
            strategy = asking.strategy(settings.strategy, **settings.options)
            # Threads that wait for shards: enough blocks under way to keep every worker busy.
            yield from ordered_map(
                partial(answer, strategy, settings),
                blocks,
                threads=BLOCKS_A_WORKER * 2,
                stop=session.losses.give_up,
            )


def _in_order(
    session: RaySession, workers: Sequence[Any], blocks: Iterable[pa.RecordBatch]
) -> Iterator[AnsweredBlock]:
    """Give each block to the worker that has fewest, and yield the answers in order."""
    calls: deque[Call] = deque()
    worker_of: dict[Any, int] = {}
    loads = [0] * len(workers)
    try:
        for block in blocks:
            if len(calls) >= BLOCKS_A_WORKER * len(workers):
                yield session.answer(calls.popleft())
            asked = [*worker_of]
            done = session.ray.wait(asked, num_returns=len(asked), timeout=0)[0] if asked else []
            for each in done:
                loads[worker_of.pop(each)] -= 1
            chosen = loads.index(min(loads))
            loads[chosen] += 1
            calls.append(Call(partial(workers[chosen].answer.remote, block)))
            worker_of[calls[-1].reference] = chosen
        while calls:
            yield session.answer(calls.popleft())
    finally:
        session.abandon(calls)  # an error, or the caller has had enough

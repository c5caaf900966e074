"""Shards built on the workers of a cluster."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from octavo.cluster.parcel import Parcel
from octavo.cluster.session import ATTEMPTS, RaySession
from octavo.errors import checked_count
from octavo.shards.shard_build import BuiltShard, ShardBuild

STOP_SECONDS = 60.0


class RayBuilder:
    """Builds each shard in a task of its own, on one processor.

    A task whose worker ends is run again, four times in all. The index, and the scratch files within it, must lie
    where every machine finds them by the same path.

    Parameters
    ----------
    session
        The cluster.
    workers
        How many shards are built at a time; unset, one for each processor of the cluster.
    """

    def __init__(self, session: RaySession, workers: int | None = None) -> None:
        self._session = session
        self._workers = session.processors if workers is None else checked_count("workers", workers)

    def run(self, builds: Iterable[ShardBuild]) -> Iterator[BuiltShard]:
        """Run each build, and yield what was built in their order.

        The first error stops the work: no further build begins.

        Raises
        ------
        OctavoError, OSError
            As a build raised it.
        ExecutionError
            The workers of a build ended, as often as it was tried.
        """
        ray = self._session.ray
        # Without Ray's retries, which have no end where a worker is killed for the memory it took.
        task = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(
            _on_one_processor
        )
        waiting: deque[_Attempts] = deque()  # in the order of the builds
        running: dict[Any, _Attempts] = {}
        remaining = iter(builds)
        try:
            with self._session.failures("building shards"):
                while True:
                    for build in islice(remaining, self._workers - len(running)):
                        waiting.append(_Attempts(partial(task.remote, Parcel.of(build))))
                        running[waiting[-1].begin()] = waiting[-1]
                    if not running:
                        return
                    done, _ = ray.wait([*running])
                    for each in done:
                        ended = running[each]
                        if not ended.took(ray, each):  # an error ends the work
                            running[ended.begin()] = ended
                        del running[each]
                    while waiting and waiting[0].built is not None:
                        yield waiting.popleft().built
        finally:
            if running:  # one failed, or the caller was interrupted
                _stop(ray, [*running])


@dataclass(slots=True, eq=False)
class _Attempts:
    """A build, begun again where its worker ends."""

    run: Callable[[], Any]
    begun: int = 0
    built: Any = None

    def begin(self) -> Any:  # noqa: ANN401 - a reference
        self.begun += 1
        return self.run()

    def took(self, ray: Any, reference: Any) -> bool:  # noqa: ANN401 - a module and a reference
        """Take the result; ``False`` where there is none and the build is to begin again."""
        try:
            self.built = ray.get(reference)
        except ray.exceptions.RayTaskError:
            raise
        except ray.exceptions.RayError:
            if self.begun == ATTEMPTS:
                raise
            return False
        return True


def _stop(ray: Any, tasks: list[Any]) -> None:  # noqa: ANN401 - a module
    """Interrupt the tasks that are not done, and wait until they are, since they write files.

    Without force: Ray 2.60 ends the caller where a task that it kills ends by itself just then.
    """
    _, unfinished = ray.wait(tasks, num_returns=len(tasks), timeout=0)
    for each in unfinished:
        ray.cancel(each)
    ray.wait(tasks, num_returns=len(tasks), timeout=STOP_SECONDS)


def _on_one_processor(sent: Parcel) -> BuiltShard:
    build: ShardBuild = sent.open()
    return build.with_threads(1).run()

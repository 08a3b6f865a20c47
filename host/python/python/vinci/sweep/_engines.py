"""Shards on Dask, Ray and joblib: submit, watch, run lost ones again, merge."""

from __future__ import annotations

import os
from typing import Any, Callable

from ._plan import Plan, SweepError
from ._shards import Task, Watch, is_lost, merged, run_shard, shards_of, tasks
from ._store import Place, beside, is_url, place_of

__all__ = ["dask", "joblib", "ray"]

Progress = bool | Callable[[dict[str, Any]], None]
Where = "str | os.PathLike[str] | None"


def _places(plan: Plan, out: Where, parts: Where) -> tuple[Place, Place]:
    place = place_of(out if out is not None else f"results/{plan.name}-sweep")
    return place, place_of(parts) if parts is not None else beside(place, ".parts")


def _missing(name: str, error: ImportError) -> ImportError:
    return ImportError(f"vinci.sweep.{name[0]} needs {name[1]}: pip install {name[2]}", name=error.name)


def _workers(client: Any, wait: float) -> int:
    """How many workers a Dask cluster has; it is waited for the first one."""
    try:
        client.wait_for_workers(1, timeout=wait)
    except TimeoutError as error:
        raise SweepError(f"the cluster has had no worker for {wait:g} s: start one (`dask worker`), or give `wait` more") from error
    return len(client.scheduler_info(n_workers=-1)["workers"])


def dask(
    plan: Plan,
    client: Any,
    out: Where = None,
    *,
    shards: int | None = None,
    jobs: int = 1,
    parts: Where = None,
    shared: bool = True,
    wait: float = 300.0,
    retries: int = 3,
    progress: Progress = True,
    keep_parts: bool = False,
    force: bool = False,
) -> Place:
    """Runs a plan on the cluster of `client`, a `distributed.Client`, and gives the directory of results.

    out: results, default results/NAME-sweep. shards: how many, default as many as an earlier call whose parts lie there, else some for every
    worker. jobs: processes of one shard. parts: where sealed parts lie until they are merged, default OUT.parts; what lies there already is
    not run again. shared: workers see that directory; where they do not, parts come back through Dask. wait: how long the cluster may be
    without a worker at first, s. retries: how often a shard may be lost with its worker; Dask itself moves it to another one a few times
    (`distributed.scheduler.allowed-failures`, 3) before that counts as one loss. progress: a line on the error stream, or a function that is
    told a dict after every shard. force: in the place of another sweep in `out`.

    `out` and `parts` may be URLs of an object store that fsspec knows (s3://bucket/place): workers put parts there, and need its keys.
    """
    try:
        from distributed import as_completed
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise _missing(("dask", "Dask", '"dask[distributed]"'), error) from error
    out, place = _places(plan, out, parts)
    n = shards_of(plan, _workers(client, wait), shards, place)
    watch = Watch(plan, n, place, progress, retries)
    todo = tasks(plan, n, jobs, place if shared or is_url(place) else None)

    def submit(task: Task) -> Any:
        # Not pure: a shard that was lost is another task with the same words.
        return client.submit(run_shard, task, pure=False)

    running = {submit(task): task for task in todo}
    queue = as_completed(list(running))
    try:
        for future in queue:
            task = running.pop(future)
            try:
                watch.finished(future.result())
            except (KilledWorker, FutureCancelledError, SweepError) as error:
                if isinstance(error, SweepError) and not is_lost(error):
                    raise
                watch.lost_shard(task.shard[0], error)
                again = submit(task)
                running[again] = task
                queue.add(again)
    finally:
        client.cancel(list(running))
    return merged(watch, out, keep_parts, force)


def ray(
    plan: Plan,
    out: Where = None,
    *,
    shards: int | None = None,
    jobs: int = 1,
    parts: Where = None,
    shared: bool = True,
    retries: int = 3,
    progress: Progress = True,
    keep_parts: bool = False,
    force: bool = False,
) -> Place:
    """Runs a plan on the Ray cluster that `ray.init` made (one is made on this machine where there is none); a shard takes `jobs` CPUs.

    Arguments are those of `dask`.
    """
    try:
        import ray as engine
    except ImportError as error:
        raise _missing(("ray", "Ray", "ray"), error) from error
    if not engine.is_initialized():
        engine.init(include_dashboard=False)
    out, place = _places(plan, out, parts)
    largest = max((int(node["Resources"].get("CPU", 0)) for node in engine.nodes() if node["Alive"]), default=0)
    if jobs > largest:
        raise SweepError(f"jobs={jobs}: a shard takes as many CPUs of one machine, and the largest of the cluster has {largest}")
    n = shards_of(plan, max(1, int(engine.cluster_resources().get("CPU", 1)) // jobs), shards, place)
    watch = Watch(plan, n, place, progress, retries)
    # A worker, its machine, or the result that lay there.
    names = ("WorkerCrashedError", "NodeDiedError", "OutOfMemoryError", "LocalRayletDiedError", "ObjectLostError")
    known = [getattr(engine.exceptions, name, None) for name in names]
    lost = (*(kind for kind in known if kind is not None), SweepError)
    remote = engine.remote(num_cpus=jobs, max_retries=0)(run_shard)
    running = {remote.remote(task): task for task in tasks(plan, n, jobs, place if shared or is_url(place) else None)}
    try:
        while running:
            [first], _ = engine.wait(list(running), num_returns=1)
            task = running.pop(first)
            try:
                watch.finished(engine.get(first))
            except lost as error:
                if isinstance(error, SweepError) and not is_lost(error):
                    raise
                watch.lost_shard(task.shard[0], error)
                running[remote.remote(task)] = task
    finally:
        for one in running:
            engine.cancel(one, force=True)
    return merged(watch, out, keep_parts, force)


def joblib(
    plan: Plan,
    out: Where = None,
    *,
    workers: int = -1,
    shards: int | None = None,
    jobs: int = 1,
    parts: Where = None,
    retries: int = 3,
    progress: Progress = True,
    keep_parts: bool = False,
    force: bool = False,
) -> Place:
    """Runs a plan in `workers` processes of joblib (loky) on this machine, -1: as many as there are cores.

    joblib gives up all of its workers where one of them dies: the shards in flight go on from their last row then. Other arguments are
    those of `dask`.
    """
    try:
        from joblib import Parallel, cpu_count, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError
    except ImportError as error:
        raise _missing(("joblib", "joblib", "joblib"), error) from error
    out, place = _places(plan, out, parts)
    n = shards_of(plan, cpu_count() if workers < 0 else workers, shards, place)
    watch = Watch(plan, n, place, progress, retries)
    left = {task.shard[0]: task for task in tasks(plan, n, jobs, place)}
    while left:
        calls = [delayed(run_shard)(task) for task in left.values()]
        try:
            for told in Parallel(n_jobs=workers, return_as="generator_unordered")(calls):
                watch.finished(told)
                del left[told["shard"][0]]
        except (TerminatedWorkerError, SweepError) as error:
            if isinstance(error, SweepError) and not is_lost(error):
                raise
            # Which one it was is not said: the first that is left counts for it.
            watch.lost_shard(next(iter(left)), error)
    return merged(watch, out, keep_parts, force)

"""How a step is timed: whole runs, one call into the engine each, on one core; and where the data lie."""

import os
import statistics
import time

# Where scenes and models lie in the repository.
DATA = {kind: os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", kind) for kind in ("scenes", "models")}


def pin(core):
    """One core and one thread for this process and all that it starts."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    if core is not None:
        os.sched_setaffinity(0, {core})


def timed(run):
    """(wall, CPU) seconds of `run()`."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def spread(values):
    """Median, least and greatest."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def summary(walls, cpus, steps):
    """µs per step over repetitions of a run of `steps` steps; `cpus` may hold None, which nobody measured."""
    per_step = lambda seconds: spread([1e6 * s / steps for s in seconds])
    cpu = None if None in cpus else per_step(cpus)
    return {"wall_us": per_step(walls), "cpu_us": cpu, "steps": steps, "repetitions": len(walls)}

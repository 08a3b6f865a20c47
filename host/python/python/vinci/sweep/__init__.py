"""Sweeps on engines that exist: Dask, Ray, joblib, Slurm.

>>> import vinci.sweep
>>> plan = vinci.sweep.plan("stops.sweep.json")
>>> vinci.sweep.dask(plan, client, out="results/stops")

An engine runs shards of a plan as processes of the program `vinci`, and no more: a shard that is lost is run again, and the rows are the
bytes of one machine. Workers need this package, or a program `vinci` that the variable VINCI_PROGRAM names.
"""

from ._engines import dask, joblib, ray
from ._plan import Plan, SweepError, plan
from ._shards import Lost
from ._slurm import slurm

__all__ = ["Lost", "Plan", "SweepError", "dask", "joblib", "plan", "ray", "slurm"]

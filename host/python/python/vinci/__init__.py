"""Vinci: contact time-steppers, solvers and collision detectors on identical scenes.

>>> import vinci
>>> run = vinci.Experiment.load("x.json").set("time.step", 1e-3).run(progress=True)
>>> run.trajectory.to_pandas()
>>> run.view()
"""

from ._vinci import Simulation, Snapshot, Table
from .derivatives import Fit, Sensitivity, fit, sensitivity
from .errors import InputError, RunError, StateError, StepError, VinciError
from .experiment import Experiment, Solver
from .problem import Problem, Solution
from .run import Run, View

__all__ = [
    "Experiment",
    "Fit",
    "InputError",
    "Problem",
    "Run",
    "RunError",
    "Sensitivity",
    "Simulation",
    "Snapshot",
    "Solution",
    "Solver",
    "StateError",
    "StepError",
    "Table",
    "View",
    "VinciError",
    "fit",
    "sensitivity",
]

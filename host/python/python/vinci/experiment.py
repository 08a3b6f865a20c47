"""Experiments: read, changed, run, stepped."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Protocol, Sequence

import numpy as np

from . import _vinci
from ._json import text_of
from ._program import plugins
from ._progress import listener
from ._vinci import Simulation
from .errors import InputError, RunError, findings_of, findings_with
from .problem import Problem
from .run import Run

__all__ = ["Experiment", "Solver"]

#: Text of an experiment that is no file, in messages.
NO_FILE = "experiment.json"


class Solver(Protocol):
    """A solver in Python: any object with this method.

    Class attributes say what it takes: `classes`, of ``("Mlcp", "Cone", "Conic")``, by default ``("Mlcp",)``; and
    `second_order_cones`, whether programs of class Conic may have them. What it takes decides which problem the stepper writes,
    and the host brings others over bridges.
    """

    def solve(self, problem: Problem) -> Any:
        """Solves a problem: z, shape (n,), or a `vinci.Solution`.

        What is raised ends the step (`StepError`, with it as `__cause__`); `NotImplementedError` says that this problem is not taken.
        """


class Experiment:
    """An experiment: a scene, a detector, a stepper, a solver, and how long to run. It is never changed: `set` gives a new one.

    >>> import vinci
    >>> experiment = vinci.Experiment.load("x.json").set("time.step", 1e-3)
    """

    def __init__(self, core: _vinci.Core, source: tuple[str, ...], changes: tuple[tuple[str, str], ...] = ()) -> None:
        self._core = core
        self._source = source
        self._changes = changes
        self._plugin_dirs: tuple[str, ...] = ()
        self._found: _vinci.Plugins | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Experiment:
        """Reads an experiment and its scene. Raises `InputError`, with places, for what cannot be read."""
        path = os.path.abspath(os.fspath(path))
        return cls(_vinci.Core.load(path), ("file", path))

    @classmethod
    def from_dict(cls, experiment: dict[str, Any], directory: str | os.PathLike[str] = ".") -> Experiment:
        """An experiment as a dict, with the keys of the file. Files that it names lie in `directory`."""
        text = json.dumps(json.loads(text_of(experiment)), indent=2)
        file = os.path.join(os.path.abspath(os.fspath(directory)), NO_FILE)
        return cls(_vinci.Core.of_text(text, file), ("text", text, file))

    def set(self, path: str, value: Any) -> Experiment:
        """A new experiment with `value` at `path`: ``set("time.step", 1e-3)``, ``set("scene.materials.rubber.friction", 0.3)``.

        Elements of lists are addressed by number or by their name: ``scene.bodies.ball.mass``. Values are checked when the
        experiment is used, all at once; `check` does so now.
        """
        text = text_of(value)
        return self._with(self._core.put(path, text), (*self._changes, (path, text)))

    def plugin_dir(self, *directories: str | os.PathLike[str]) -> Experiment:
        """A new experiment whose plugins are looked for in these directories first."""
        other = self._with(self._core, self._changes)
        other._plugin_dirs = tuple(os.path.abspath(os.fspath(d)) for d in directories)
        other._found = None
        return other

    def _with(self, core: _vinci.Core, changes: tuple[tuple[str, str], ...]) -> Experiment:
        other = Experiment(core, self._source, changes)
        other._plugin_dirs, other._found = self._plugin_dirs, self._found
        return other

    def _plugins(self) -> _vinci.Plugins:
        if self._found is None:
            self._found = plugins(list(self._plugin_dirs)) if self._plugin_dirs else _shipped()
        return self._found

    def check(self) -> list[dict[str, Any]]:
        """Checks the experiment and its scene. Raises `InputError` for errors; gives the warnings."""
        return findings_of(self._core.resolved()[1])

    def to_dict(self) -> dict[str, Any]:
        """The experiment as a dict, its scene inside: running it needs no other file."""
        return json.loads(self._core.resolved()[0])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the experiment, its scene inside, to a file that `Experiment.load` and `vinci run` read."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")

    def run(
        self,
        out: str | os.PathLike[str] | None = None,
        *,
        progress: bool | Callable[[float], None] = False,
        check: bool = True,
    ) -> Run:
        """Runs the experiment to its end and gives its results: the files that `vinci run` writes.

        `out`: a new or empty directory for them; without it a temporary one, which goes with the `Run`.
        `progress`: True for a line on the error stream, or a function that is called some times a second with the time reached, s.
        `check`: whether a run that did not succeed raises `RunError`; its `run` attribute has what there is.
        """
        directory = _new_directory(out)
        duration = float(self.to_dict()["time"]["duration"])
        with listener(progress, duration) as told:
            code, why, warnings = _vinci.run_into(self._core, self._plugins(), directory.name, told)
            run = Run(directory, code, findings_of(why), [])
            run.warnings = findings_with(warnings, run.summary.get("warnings", []))
            if progress is True and told is not None:
                told(run.summary["time_end"])
        if check and code != 0:
            raise RunError(run.describe(), run)
        return run

    def simulation(
        self,
        *,
        solver: Solver | None = None,
        controller: Callable[[float, np.ndarray, np.ndarray], Any] | None = None,
        every: int = 1,
    ) -> Simulation:
        """A simulation at the start of the experiment, to be stepped.

        `solver`: an object with `solve(problem)` in the place of the experiment's solvers; the referee judges it like any other. The
        experiment is checked with its own solver first, so that one must exist and fit the stepper.
        `controller`: f(t, q, v) → forces, shape (nv,), N and N m, or None, beside the scene's controllers. It is asked at every
        `every`-th time of the grid, and its forces hold until it is asked again.
        """
        if controller is not None and not callable(controller):
            raise TypeError(f"{type(controller).__name__} is no controller: it must be callable as f(t, q, v)")
        if every < 1:
            raise ValueError(f"every={every}: a controller is asked at every grid time (1) or less often (2, 3, …)")
        return Simulation(self._core, self._plugins(), solver, _classes_of(solver), controller, every)

    def __reduce__(self) -> tuple[Any, ...]:
        # The experiment itself, its scene inside: its file may be missing, or another one, where it is unpickled.
        file = os.path.join(os.path.dirname(self._source[-1]), NO_FILE)
        try:
            return _rebuilt, (("text", self._core.resolved()[0], file), (), self._plugin_dirs)
        except InputError:
            return _rebuilt, (self._source, self._changes, self._plugin_dirs)

    def __repr__(self) -> str:
        changes = "".join(f", {path} = {text}" for path, text in self._changes)
        return f"<vinci.Experiment {self._source[-1]}{changes}>"


_all: dict[str, _vinci.Plugins] = {}


def _shipped() -> _vinci.Plugins:
    """Plugins without directories of the user's. What was found is remembered, by the search path."""
    path = os.environ.get("VINCI_PLUGIN_PATH", "")
    if path not in _all:
        _all[path] = plugins()
    return _all[path]


def _rebuilt(source: tuple[str, ...], changes: tuple[tuple[str, str], ...], directories: tuple[str, ...]) -> Experiment:
    kind, *rest = source
    core = _vinci.Core.load(rest[0]) if kind == "file" else _vinci.Core.of_text(*rest)
    experiment = Experiment(core, source)
    for path, text in changes:
        experiment = experiment.set(path, json.loads(text))
    return experiment.plugin_dir(*directories) if directories else experiment


def _classes_of(solver: Any) -> tuple[str, list[str], bool] | None:
    if solver is None:
        return None
    if isinstance(solver, type):
        raise TypeError(f"{solver.__name__} is a class: give an instance, {solver.__name__}()")
    name = type(solver).__name__
    if not callable(getattr(solver, "solve", None)):
        raise TypeError(f"{name} is no solver: it needs a method solve(problem)")
    classes: Sequence[str] = getattr(solver, "classes", ("Mlcp",))
    if isinstance(classes, str):
        raise TypeError(f"{name}.classes is a word: write a tuple, as ('Mlcp',)")
    return name, list(classes), bool(getattr(solver, "second_order_cones", False))


class _Kept:
    """A directory that is the user's: it stays."""

    def __init__(self, name: str) -> None:
        self.name = name


def _new_directory(out: str | os.PathLike[str] | None) -> Any:
    if out is None:
        return tempfile.TemporaryDirectory(prefix="vinci-", ignore_cleanup_errors=True)
    path = os.path.abspath(os.fspath(out))
    if os.path.isdir(path) and os.listdir(path):
        raise FileExistsError(f"{path} is in use: give another `out`, or remove what is there")
    return _Kept(path)

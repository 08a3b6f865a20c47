"""Scenes and experiments written in Python: the JSON that files have, checked by the same code.

>>> from vinci import scene
>>> world = scene.Scene("planar")
>>> world.material("rubber", friction=0.5)
>>> world.body("floor", static=True, shapes=[scene.shape("half-plane", material="rubber")])
>>> world.body("ball", mass=1.0, position=[0, 1], shapes=[scene.shape("disc", radius=0.1, material="rubber")])
>>> experiment = world.experiment(detector="planar", stepper="anitescu-potra", solver="lemke", step=0.001, duration=1.0)

Keys and units are those of the page on scenes; a key that the format does not have is an `InputError` that names it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from ._json import text_of
from ._program import program
from .errors import InputError
from .experiment import Experiment

__all__ = ["Scene", "model_report", "shape"]


def shape(type: str, **keys: Any) -> dict[str, Any]:
    """A shape: ``shape("disc", radius=0.1)``, ``shape("box", size=[0.2, 0.1], material="rubber")``. Lengths in m."""
    return {"type": type, **keys}


def model_report(path: str | os.PathLike[str]) -> str:
    """What Vinci reads of a model (URDF, MJCF, SDF), what it approximates and what it leaves out: the words of ``vinci import FILE``.

    Raises `InputError` for a model that cannot be used.
    """
    words = ["import", "--color", "never", os.path.abspath(os.fspath(path))]
    done = subprocess.run([program(), *words], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    told = subprocess.run([program(), "--error-format", "json", *words], capture_output=True, text=True, check=False)
    raise InputError(done.stderr.rstrip(), "\n".join(line for line in told.stderr.splitlines() if line.startswith("{")))


class Scene:
    """A scene that grows: every method adds something and gives the scene again."""

    def __init__(self, space: str, *, gravity: list[float] | None = None, **keys: Any) -> None:
        """`space`: ``"planar"`` or ``"spatial"``; `gravity` in m/s²; other keys as a scene has them (`description`, …)."""
        self._scene: dict[str, Any] = {"format": "vinci/scene@1", "space": space, **keys, "bodies": []}
        if gravity is not None:
            self._scene["gravity"] = gravity

    def material(self, name: str, **values: float) -> Scene:
        """A material: `friction`, `restitution`, `stiffness` (N/m), `damping` (N s/m), `dissipation` (s/m)."""
        self._scene.setdefault("materials", {})[name] = values
        return self

    def body(self, name: str, *, shapes: list[dict[str, Any]] | None = None, **keys: Any) -> Scene:
        """A body: `mass` (kg) or `density`, `position` (m), `velocity` (m/s), `dofs`, … or `static=True`."""
        return self.add("bodies", name=name, **keys, shapes=shapes or [])

    def joint(self, name: str, bodies: list[str | None], **keys: Any) -> Scene:
        """A joint of two bodies (None: the world)."""
        return self.add("joints", name=name, bodies=bodies, **keys)

    def spring(self, name: str, bodies: list[str | None], **keys: Any) -> Scene:
        """A spring between points of two bodies: `anchors`, `stiffness` (N/m), `damping` (N s/m), `rest_length` (m)."""
        return self.add("springs", name=name, bodies=bodies, **keys)

    def tree(self, name: str, **keys: Any) -> Scene:
        """A tree of links and joints: `links`, `joints`, or `model` (a URDF, MJCF or SDF file); `base`, `start`, `material`, …"""
        return self.add("trees", name=name, **keys)

    def from_urdf(self, path: str | os.PathLike[str], name: str | None = None, **keys: Any) -> Scene:
        """A tree as a model has it, URDF, MJCF or SDF; `name` is that of the file where none is given. It is read when the scene is used.

        `keys`: those of a tree, such as ``base={"position": [0, 0, 1]}``, ``start={"elbow": 1.2}``, ``material="rubber"``. `model_report`
        lists what was read of a model, what was approximated and what was left out; using the scene does not.
        """
        return self.tree(name or Path(path).stem, model=os.path.abspath(os.fspath(path)), **keys)

    def add(self, section: str, **keys: Any) -> Scene:
        """An entry of any list of a scene: ``add("trees", …)``, ``add("controllers", …)``, ``add("pairs", …)``."""
        self._scene.setdefault(section, []).append(keys)
        return self

    def to_dict(self) -> dict[str, Any]:
        """The scene as its file has it; a copy."""
        return json.loads(text_of(self._scene))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the scene to a file."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")

    def experiment(
        self,
        *,
        detector: str,
        stepper: str,
        step: float,
        duration: float,
        solver: str | None = None,
        directory: str | os.PathLike[str] = ".",
        **keys: Any,
    ) -> Experiment:
        """An experiment on this scene: plugins by id or last words of it, `step` and `duration` in s, other keys as an experiment has them.

        Without `solver` the default for the scene is taken. `directory`: where files lie that the scene names.
        """
        plugins = {"detector": detector, "stepper": stepper, "solver": solver}
        named = {role: {"plugin": name} for role, name in plugins.items() if name is not None}
        time = {**keys.pop("time", {}), "step": step, "duration": duration}
        experiment = {"format": "vinci/experiment@1", "scene": self.to_dict(), "time": time, **named, **keys}
        return Experiment.from_dict(experiment, directory)

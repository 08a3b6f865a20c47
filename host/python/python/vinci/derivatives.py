"""Derivatives of runs, and parameters from measurements: what `vinci sensitivity` and `vinci fit` find, as arrays."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

from ._program import program
from .errors import InputError, VinciError, findings_of
from .experiment import Experiment

__all__ = ["Fit", "Sensitivity", "fit", "sensitivity"]

#: Flags of the methods to differentiate a run.
METHODS = {"auto": [], "exact": ["--exact"], "reverse": ["--reverse"], "differences": ["--differences"]}
#: Exit codes of commands that answered: well, and with a value that the data do not identify.
ANSWERED = (0, 1)


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of m measures of a run by p parameters.

    `gradient[i, j]` is the derivative of measure i by parameter j, in their SI units. `below` and `above` are the two one-sided
    values where whole runs were differenced, else NaN. `method[i][j]` is "active set" (step by step) or "differences" (of whole runs),
    `why_differences` the reason for the latter. `warnings` name kinks: there the two sides differ and `gradient` is neither's.
    """

    measures: list[str]
    parameters: list[str]
    #: Values of the measures, shape (m,).
    values: np.ndarray
    #: Values of the parameters, shape (p,).
    at: np.ndarray
    #: Shape (m, p).
    gradient: np.ndarray
    below: np.ndarray
    above: np.ndarray
    method: list[list[str]]
    runs: int
    why_differences: str | None = None
    warnings: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Fit:
    """Parameters that move a run as data say. All dicts are by path.

    `half_width`: half of the 99 % interval from the noise that is left; NaN where the data do not identify the value (`identified` is False).
    `residual`: root mean square of the difference that is left, by column, in its unit. `experiment` has the values set.
    """

    experiment: Experiment
    values: dict[str, float]
    half_width: dict[str, float]
    identified: dict[str, bool]
    residual: dict[str, float]
    #: Condition of the fit: 1e4 and more means that some direction is hardly seen.
    condition: float
    runs: int
    warnings: list[dict[str, Any]] = field(default_factory=list)


def sensitivity(
    experiment: Experiment,
    of: str | Sequence[str],
    by: str | Sequence[str],
    *,
    data: Any = None,
    method: str = "auto",
) -> Sensitivity:
    """Derivatives of measures of a run by parameters: by the steps' own derivatives where they go, else by differences of whole runs.

    `of`: columns of the trajectory, at the end (``"block.x"``) or at a time (``"block.x@0.5"``), or with `data` ``"rms"`` and
    ``"rms(COLUMN)"``. `by`: paths as `Experiment.set` has them. `method`: "auto"; "exact" (step by step, or `InputError` that says why
    not), "reverse" (the same from the end to the start, for many parameters), "differences". `data`: as for `fit`.
    """
    for name, listed in (("of", of), ("by", by)):
        if not _listed(listed):
            raise ValueError(f"{name} is empty: name at least one {'measure' if name == 'of' else 'parameter'}")
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not known: use {', '.join(METHODS)}")
    measures, parameters = _listed(of), _listed(by)
    with tempfile.TemporaryDirectory(prefix="vinci-") as place:
        words = [f"--of={measure}" for measure in measures] + [f"--by={path}" for path in parameters] + METHODS[method]
        if data is not None:
            words.append(f"--data={_file_of(data, place)}")
        answer, warnings = _answer("sensitivity", experiment, words, place)
    rows = [measure["derivatives"] for measure in answer["measures"]]
    table = {key: np.array([[_number(d[key]) for d in row] for row in rows]) for key in ("value", "below", "above")}
    return Sensitivity(
        measures=[measure["of"] for measure in answer["measures"]],
        parameters=[d["by"] for d in rows[0]],
        values=np.array([_number(measure["value"]) for measure in answer["measures"]]),
        at=np.array([_number(d["at"]) for d in rows[0]]),
        gradient=table["value"],
        below=table["below"],
        above=table["above"],
        method=[[d["method"] for d in row] for row in rows],
        runs=answer["runs"],
        why_differences=answer["why_differences"],
        warnings=warnings,
    )


def fit(
    experiment: Experiment,
    data: Any,
    free: Mapping[str, tuple[float, float]],
    *,
    columns: Sequence[str] | None = None,
    by: str = "differences",
    starts: int = 8,
    searches: int = 2,
    seed: int = 0,
) -> Fit:
    """Finds values of parameters, within bounds, with which the run moves as `data` say, by least squares.

    `data`: a CSV file, or columns by name (a dict of arrays, a DataFrame), with ``time`` (s) and columns of the trajectory in SI
    units, at any times of the run. `free`: bounds by path, ``{"scene.materials.rubber.friction": (0.1, 1.0)}``. `columns`: of the data
    only these. `by`, `starts`, `searches`, `seed`: as the flags of `vinci fit`.
    """
    if not free:
        raise ValueError("free is empty: name at least one parameter with its bounds")
    for path, (least, most) in free.items():
        if not float(least) < float(most):
            raise ValueError(f"free: {path} is between {least} and {most}: give the lower bound first")
    with tempfile.TemporaryDirectory(prefix="vinci-") as place:
        words = [f"--free={path}=[{float(a)!r}, {float(b)!r}]" for path, (a, b) in free.items()]
        words += [f"--data={_file_of(data, place)}", f"--by={by}"]
        words += [f"--starts={starts}", f"--searches={searches}", f"--seed={seed}"]
        words += [f"--columns={name}" for name in columns or []]
        answer, warnings = _answer("fit", experiment, words, place)
    fitted = experiment
    for parameter in answer["parameters"]:
        fitted = fitted.set(parameter["path"], parameter["value"])
    of = {parameter["path"]: parameter for parameter in answer["parameters"]}
    return Fit(
        experiment=fitted,
        values={path: parameter["value"] for path, parameter in of.items()},
        half_width={path: _number(p["half_width"]) if p["identified"] else float("nan") for path, p in of.items()},
        identified={path: parameter["identified"] for path, parameter in of.items()},
        residual={column: float(rms) for column, rms in answer["residual"].items()},
        condition=_number(answer["condition"]),
        runs=answer["runs"],
        warnings=warnings,
    )


def _listed(words: str | Sequence[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _file_of(data: Any, place: str) -> Path:
    """The file of the data: as it is named, or written from columns."""
    if isinstance(data, (str, os.PathLike)):
        return Path(data).absolute()
    names = list(data.columns) if hasattr(data, "columns") else list(data)
    columns = {str(name): np.asarray(data[name], dtype=float) for name in names}
    for name, column in columns.items():
        if column.ndim != 1:
            raise TypeError(f"data: `{name}` must be a list of numbers, one for each time")
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"columns of different lengths: {', '.join(f'{n} {len(c)}' for n, c in columns.items())}")
    path = Path(place) / "data.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows([repr(float(x)) for x in row] for row in zip(*columns.values()))
    return path


def _answer(
    command: str, experiment: Experiment, words: Sequence[str], place: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a command of the program says of an experiment, and its warnings. Raises `InputError` for what it refuses."""
    file = Path(place) / "experiment.json"
    experiment.save(file)
    for directory in experiment._plugin_dirs:
        words = [*words, f"--plugin-dir={directory}"]
    line = [str(program()), command, str(file), "--json", "--error-format", "json", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    lines = "\n".join(line for line in done.stderr.splitlines() if line.startswith("{"))
    findings = findings_of(lines)
    if done.returncode not in ANSWERED:
        errors = [finding for finding in findings if finding.get("severity") == "error"]
        texts = [f["message"] + (f"\n  help: {f['help']}" if f.get("help") else "") for f in errors]
        if not texts:
            raise VinciError(done.stderr.strip() or f"vinci {command} ended with {done.returncode}")
        raise InputError("\n".join(texts), lines)
    return json.loads(done.stdout), [f for f in findings if f.get("severity") == "warning"]

"""What solvers and controllers give back, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from .problem import Solution

STATUSES = ("Converged", "MaxIterations", "NumericalFailure")


def vector(value: Any, n: int, what: str, per: str) -> np.ndarray:
    """`value` as n finite numbers."""
    if np.iscomplexobj(value):
        raise TypeError(f"{what} must be {n} real numbers, not complex ones")
    if getattr(getattr(value, "dtype", None), "kind", "f") in "mMSU" or _has_words(value):
        raise TypeError(f"{what} must be {n} numbers, not words or dates")
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} must be {n} numbers, not {type(value).__name__}") from error
    if array.shape != (n,):
        raise ValueError(f"{what} has shape {array.shape}, expected ({n},): one number for each {per}")
    wrong = np.flatnonzero(~np.isfinite(array))
    if len(wrong):
        raise ValueError(f"{what}[{wrong[0]}] is {array[wrong[0]]}: every number must be finite")
    return array


def _has_words(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(one, (str, bytes)) for one in value)


def solution(answer: Any, n: int, m: int, name: str) -> tuple[np.ndarray, np.ndarray, str, int, str]:
    """The answer of a solver called `name` to a problem of n unknowns and m dual ones."""
    if answer is None:
        raise TypeError(f"{name}.solve gave None: return z, or vinci.Solution(z=...)")
    # A `Solution` of the package or of the module beside a plugin: one class serves in both.
    if not hasattr(answer, "z"):
        answer = Solution(answer)
    if answer.status not in STATUSES:
        raise ValueError(f"{name}.solve gave the status {answer.status!r}, which is none of {', '.join(STATUSES)}")
    z = vector(answer.z, n, "z", "unknown")
    dual = vector([] if answer.dual is None and m == 0 else answer.dual, m, "dual", "row")
    return z, dual, answer.status, _count(answer.iterations), str(answer.note)


def _count(value: Any) -> int:
    """`value` as a number of iterations."""
    try:
        count = int(value)
    except (TypeError, ValueError, OverflowError):
        count = -1
    if not 0 <= count < 2**32:
        raise ValueError(f"iterations is {value!r}: it must be a count from 0 to 4294967295")
    return count


def efforts(answer: Any, nv: int, takes: list[int]) -> np.ndarray:
    """The answer of a controller: a force for each of `nv` velocities, or None for no force. Drives prescribe those not in `takes`."""
    if answer is None:
        return np.zeros(nv)
    what = "the answer of the controller"
    forces = vector(answer, nv, what, "velocity")
    useless = np.setdiff1d(np.flatnonzero(forces), takes)
    if len(useless):
        i = useless[0]
        raise ValueError(f"{what}[{i}] is {forces[i]} along a velocity that a drive prescribes: give 0 there")
    return forces

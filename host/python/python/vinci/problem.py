"""Problems as solvers in Python are given them, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Problem", "Solution"]


@dataclass
class Problem:
    """One problem of one step. All arrays are copies: a solver may change them.

    `kind` says which of these it is:

    - ``"Mlcp"``: find z with lower ≤ z ≤ upper ⟂ w = M z + q. A row with bounds (-inf, inf) is the equation w = 0.
    - ``"Cone"``: the same, but rows of `blocks` obey Coulomb's law instead of their bounds: with z = (p_n, p_t), w = (u_n, u_t),
      0 ≤ p_n ⟂ u_n ≥ 0, |p_t| ≤ μ p_n, and p_t = -μ p_n u_t/|u_t| where u_t ≠ 0.
    - ``"Conic"``: min ½ xᵀP x + cᵀx with s = G x + g, lower ≤ s ≤ upper, and s in a second-order cone for each of `cones`.
      The dual y has P x + c = Gᵀ y. The answer is (x, y).

    Units follow from `rows`: impulses are N s, velocities m/s (rotational ones N m s and rad/s).
    """

    kind: str
    #: Relative residual that is wanted (natural map, relative to max |q|).
    tolerance: float
    #: Lower bounds, shape (n,) (Conic: (m,)); -inf: none.
    lower: np.ndarray
    #: Upper bounds; inf: none.
    upper: np.ndarray
    #: Typical sizes of unknowns, > 0.
    z_scale: np.ndarray
    #: Typical sizes of rows, > 0.
    w_scale: np.ndarray
    #: Last step's solution where it fits, or empty.
    guess: np.ndarray
    #: Where every row comes from: (part, index of the contact, velocity or joint; -1: none).
    rows: list[tuple[str, int]] = field(default_factory=list)
    #: q, shape (n,). Mlcp, Cone.
    q: np.ndarray | None = None
    #: Cone: (row of p_n or -1, first tangential row, number of tangential rows, μ; without a normal row: the largest |p_t|).
    blocks: list[tuple[int, int, int, float]] = field(default_factory=list)
    #: c, shape (n,). Conic.
    c: np.ndarray | None = None
    #: g, shape (m,). Conic.
    g: np.ndarray | None = None
    #: Conic: (first row, number of rows) of every second-order cone, s_first ≥ |s_others|.
    cones: list[tuple[int, int]] = field(default_factory=list)
    #: Guess of y, or empty. Conic.
    dual_guess: np.ndarray | None = None
    _m: Any = None
    _p: Any = None
    _g_rows: Any = None

    @property
    def n(self) -> int:
        """Number of unknowns."""
        first = self.c if self.q is None else self.q
        return 0 if first is None else len(first)

    @property
    def M(self) -> Any:
        """M as `scipy.sparse.csr_matrix`, shape (n, n). Mlcp, Cone."""
        return _sparse(self._m, "M", self.kind)

    @property
    def P(self) -> Any:
        """P as `scipy.sparse.csr_matrix`, shape (n, n), both triangles. Conic."""
        return _sparse(self._p, "P", self.kind)

    @property
    def G(self) -> Any:
        """G as `scipy.sparse.csr_matrix`, shape (m, n). Conic."""
        return _sparse(self._g_rows, "G", self.kind)

    def dense(self) -> np.ndarray:
        """M as a dense array, shape (n, n); scipy is not needed."""
        if self._m is None:
            raise AttributeError(f"a problem of class {self.kind} has no M")
        values, columns, starts, shape = self._m
        dense = np.zeros(shape)
        row_of = np.repeat(np.arange(shape[0]), np.diff(starts))
        np.add.at(dense, (row_of, columns), values)
        return dense

    def residual(self, z: np.ndarray) -> float:
        """max |z - Π(z - w)| / max |q| of an Mlcp: what the host judges by (which looks at bounds away from 0, too)."""
        if self.kind != "Mlcp" or self.q is None:
            raise ValueError(f"the residual of a problem of class {self.kind} is the host's to compute")
        values, columns, starts, shape = self._m
        row_of = np.repeat(np.arange(shape[0]), np.diff(starts))
        w = np.bincount(row_of, values * np.asarray(z)[columns], minlength=shape[0]) + self.q
        natural = np.maximum(np.minimum(w, z - self.lower), z - self.upper)
        size = np.abs(self.q).max(initial=0.0) or 1.0
        return float(np.abs(natural).max(initial=0.0) / size)


def _sparse(parts: Any, name: str, kind: str) -> Any:
    if parts is None:
        raise AttributeError(f"a problem of class {kind} has no {name}")
    try:
        from scipy.sparse import csr_matrix
    except ImportError as missing:
        raise ImportError("sparse matrices need scipy: pip install scipy (`Problem.dense()` works without)") from missing
    values, columns, starts, shape = parts
    return csr_matrix((values, columns, starts), shape=shape)


@dataclass
class Solution:
    """What a solver answers. A bare array of z says the same with everything else as it is here."""

    #: Unknowns, shape (n,).
    z: Any
    #: Dual unknowns, shape (m,). Conic.
    dual: Any = None
    #: How it ended: ``"Converged"``, ``"MaxIterations"`` or ``"NumericalFailure"``. The host computes residuals itself.
    status: str = "Converged"
    #: Iterations, for the statistics.
    iterations: int = 0
    #: A detail for people.
    note: str = ""

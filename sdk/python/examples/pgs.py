"""Projected Gauss-Seidel with a polish in Python, for problems of the classes Mlcp and Cone.

Find z, w = M z + q with l ≤ z ≤ u ⟂ w; contacts of class Cone obey 0 ≤ p_n ⟂ u_n ≥ 0, |p_t| ≤ μ p_n and p_t = -μ p_n u_t/|u_t| where they slide.

Free rows F (velocities, joints) are eliminated: z_F = -M_FF⁻¹ (q_F + M_FC z_C). What is left is A z_C + b with A = M_CC - M_CF M_FF⁻¹ M_FC and
b = q_C - M_CF M_FF⁻¹ q_F. A sweep solves row after row for its own unknown and projects it: z_i ← Π(z_i - (A z + b)_i / A_ii), Π onto the bounds of the row or
onto the friction disc μ p_n of its contact.

Sweeps soon find which rows stand at their bounds, which contacts are open and which slide, and find the numbers slowly. So every some sweeps the others are taken as
equations and solved at once (least change of z where they are redundant), which is believed where the residual says so. Everything is dense: an example to read, for
some hundred rows.
"""

import numpy as np
import vinci_plugin as vinci

#: Sweeps between two polishes.
ROUND = 20


class Pgs:
    """The solver. It works in the package `vinci` too: `experiment.simulation(solver=Pgs())`."""

    classes = ("Mlcp", "Cone")

    def __init__(self, options=None, system=None):
        self.max_sweeps = (options or {}).get("max_sweeps", 2000)

    def solve(self, problem):
        with np.errstate(all="ignore"):
            reduced = Reduced(problem)
            if reduced.A is None:
                return vinci.Solution(np.zeros(problem.n), status="NumericalFailure", note="the free rows are singular")
            return self.iterate(reduced, problem)

    def iterate(self, reduced, problem):
        """Sweeps until the residual is small enough."""
        sweeps, status = 0, "NumericalFailure"
        while True:
            z = reduced.complete(reduced.z)
            left = residual(problem, reduced.M, z)
            if left > problem.tolerance and sweeps % ROUND == ROUND - 1:
                polished = reduced.complete(reduced.polished())
                if residual(problem, reduced.M, polished) <= problem.tolerance:
                    z, left = polished, 0.0
            if left <= problem.tolerance:
                status = "Converged"
                break
            if not np.isfinite(left) or not reduced.solvable:
                break
            if sweeps == self.max_sweeps:
                status = "MaxIterations"
                break
            reduced.sweep()
            sweeps += 1
        return vinci.Solution(np.where(np.isfinite(z), z, 0.0), status=status, iterations=sweeps)


class Reduced:
    """A z_C + b of a problem, and its sweeps."""

    def __init__(self, problem):
        self.M, q = problem.dense(), problem.q
        in_block = np.zeros(problem.n, dtype=bool)
        for normal, tangent, dim, _ in problem.blocks:
            in_block[tangent : tangent + dim] = True
            in_block[normal] |= normal >= 0
        free = np.isneginf(problem.lower) & np.isposinf(problem.upper) & ~in_block
        self.F, self.C = np.flatnonzero(free), np.flatnonzero(~free)
        self.A = None
        try:
            right = np.column_stack([self.M[np.ix_(self.F, self.C)], q[self.F]])
            self.solved = np.linalg.solve(self.M[np.ix_(self.F, self.F)], right)
        except np.linalg.LinAlgError:
            return
        both = self.M[np.ix_(self.C, self.F)] @ self.solved
        self.A, self.b = self.M[np.ix_(self.C, self.C)] - both[:, :-1], q[self.C] - both[:, -1]
        self.order(problem, in_block)

    def order(self, problem, in_block):
        """Rows with bounds and blocks, as the sweeps need them, and the first guess."""
        place = np.zeros(problem.n, dtype=int)
        place[self.C] = np.arange(len(self.C))
        lower, upper = problem.lower[self.C], problem.upper[self.C]
        diagonal = np.diag(self.A)
        rows = np.flatnonzero(~in_block[self.C])
        self.rows = [(k, lower[k], upper[k], diagonal[k]) for k in rows.tolist()]
        self.blocks = []
        for normal, tangent, dim, mu in problem.blocks:
            n, t = (int(place[normal]) if normal >= 0 else None), slice(int(place[tangent]), int(place[tangent]) + dim)
            self.blocks.append((n, t, diagonal[t].max(initial=0.0), mu))
        moving = [d for _, l, u, d in self.rows if l < u] + [d for _, _, d, _ in self.blocks]
        moving += [diagonal[n] for n, *_ in self.blocks if n is not None]
        self.solvable = all(d > 0.0 for d in moving)
        start = problem.guess[self.C] if len(problem.guess) else np.zeros(len(self.C))
        bounded = np.clip(start, lower, upper)
        self.z = np.where(in_block[self.C], np.where(np.isfinite(bounded), bounded, 0.0), bounded)

    def complete(self, z_c):
        """z of all rows from z_C."""
        z = np.zeros(len(self.F) + len(self.C))
        z[self.C] = z_c
        z[self.F] = -(self.solved[:, -1] + self.solved[:, :-1] @ z_c)
        return z

    def polished(self):
        """z_C with (A z + b)_i = 0 in all rows that are free to move; the friction of sliding contacts goes with their normal impulse."""
        z, rows, ways = self.z, [], []
        for k, low, high, _ in self.rows:
            if low < z[k] < high:
                rows.append(k)
                ways.append({k: 1.0})
        for n, t, _, mu in self.blocks:
            radius, length = mu if n is None else mu * z[n], np.hypot.reduce(z[t])
            sticks = length < radius * (1.0 - 1e-9)
            if n is not None and z[n] > 0.0:
                rows.append(n)
                slip = {} if sticks or length == 0.0 else {t.start + d: mu * x / length for d, x in enumerate(z[t])}
                ways.append({n: 1.0, **slip})
            if sticks:
                rows += range(t.start, t.stop)
                ways += ({k: 1.0} for k in range(t.start, t.stop))
        Y = np.zeros((len(z), len(ways)))
        for j, way in enumerate(ways):
            Y[list(way), j] = list(way.values())
        change = np.linalg.lstsq(self.A[rows] @ Y, -(self.A[rows] @ z + self.b[rows]), rcond=None)[0]
        return z + Y @ change

    def sweep(self):
        A, b, z = self.A, self.b, self.z
        for k, low, high, diagonal in self.rows:
            if low < high:
                z[k] = min(max(z[k] - (A[k] @ z + b[k]) / diagonal, low), high)
        for n, t, largest, mu in self.blocks:
            radius = mu
            if n is not None:
                z[n] = max(0.0, z[n] - (A[n] @ z + b[n]) / A[n, n])
                radius = mu * z[n]
            x = z[t] - (A[t] @ z + b[t]) / largest
            length = np.hypot.reduce(x)
            z[t] = x * (radius / length if length > radius else 1.0)


def residual(problem, M, z):
    """The residual the host judges by: the natural map, relative to the largest |q|, finite bound (Mlcp) or radius of a disc (Cone)."""
    w = M @ z + problem.q
    off = z - np.clip(z - w, problem.lower, problem.upper)
    sizes = [np.abs(problem.q).max(initial=0.0)]
    if problem.kind == "Mlcp":
        bounds = np.concatenate([problem.lower, problem.upper])
        sizes.append(np.abs(bounds[np.isfinite(bounds)]).max(initial=0.0))
    worst = []
    for normal, tangent, dim, mu in problem.blocks:
        t = slice(tangent, tangent + dim)
        off[t] = 0.0
        if normal >= 0:
            off[normal] = 0.0
            worst.append(cone_off(z[normal], z[t], w[normal], w[t], mu))
        else:
            sizes.append(mu)
            x = z[t] - w[t]
            worst.append(np.linalg.norm(z[t] - x * min(1.0, mu / max(np.linalg.norm(x), 1e-300))))
    return max([np.abs(off).max(initial=0.0), *worst]) / (max(sizes) or 1.0)


def cone_off(p_n, p_t, u_n, u_t, mu):
    """|p - Π_K(p - u - μ |u_t| e_n)| of a contact, K the friction cone."""
    x, n = p_t - u_t, p_n - u_n - mu * np.linalg.norm(u_t)
    length = np.linalg.norm(x)
    if n >= 0.0 and length <= mu * n:
        normal, kept = n, 1.0
    elif mu * length <= -n:
        normal, kept = 0.0, 0.0
    else:
        normal = (n + mu * length) / (1.0 + mu * mu)
        kept = mu * normal / length
    return np.hypot(p_n - normal, np.linalg.norm(p_t - kept * x))


if __name__ == "__main__":
    vinci.serve(Pgs)

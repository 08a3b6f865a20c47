"""Convex programs of recorded steps, cold, by Vinci's solvers and by DAQP, PIQP and Clarabel: time of each program, in one run.

A file is `problems.jsonl` of a run that kept them (`--record-problems always`). Guesses are dropped. A program is solved as often as
`--repetitions` says by everybody in turn, and the least time counts. DAQP takes programs without cones; PIQP too. All are asked for 1e-8. The residual
is recomputed from x and y for everybody: the natural map in the units of the file, by which the host judges.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse as sparse

TOLERANCE = 1e-8
LARGE = 1e30


def matrix(told, shape):
    return sparse.csc_matrix((told["v"], (told["i"], told["j"])), shape=shape)


def bounds(values, default):
    return np.array([default if value is None else value for value in values], dtype=float)


class Program:
    """min ½ xᵀP x + cᵀx over s = G x + g, l ≤ s ≤ u, rows of cones in second-order cones."""

    def __init__(self, told):
        self.n, self.m = told["n"], told["m"]
        # Peers compare with absolute tolerances: the objective is brought to size one for them.
        size = max((abs(value) for value in told["c"]), default=0.0) or 1.0
        self.P, self.c = matrix(told["P"], (self.n, self.n)) / size, np.array(told["c"], dtype=float) / size
        self.size = size
        self.G, self.g = matrix(told["G"], (self.m, self.n)), np.array(told["g"], dtype=float)
        self.lower, self.upper = bounds(told["lower"], -np.inf), bounds(told["upper"], np.inf)
        self.cones = [(cone["first"], cone["dim"]) for cone in told.get("cones", [])]

    def objective(self, x):
        """Value in the units of the file."""
        return self.size * (0.5 * x @ (self.P @ x) + self.c @ x)

    def residual(self, x, y):
        """Natural residual of x and of y (P x + c = G^T y) in the units of the file, as Vinci judges its own answers."""
        y = self.size * y
        s = self.G @ x + self.g
        gap = s - np.clip(s - y, self.lower, self.upper)
        for first, dim in self.cones:
            rows = slice(first, first + dim)
            gap[rows] = s[rows] - in_cone(s[rows] - y[rows])
        left = self.size * (self.P @ x + self.c) - self.G.T @ y
        bounds = np.concatenate([self.lower, self.upper])
        numbers = np.concatenate([self.size * self.c, self.g, bounds[np.isfinite(bounds)]])
        scale = np.abs(numbers).max(initial=0.0) or 1.0
        return max(np.abs(gap).max(initial=0.0), np.abs(left).max(initial=0.0)) / scale

    def answer(self, seconds, x, y):
        return seconds, self.objective(x), self.residual(x, y)


def in_cone(v):
    """The nearest point of the second-order cone v_0 >= |v_rest|."""
    head, tail = v[0], np.linalg.norm(v[1:])
    if tail <= head:
        return v
    if tail <= -head:
        return np.zeros_like(v)
    part = 0.5 * (head + tail)
    return np.concatenate([[part], part / tail * v[1:]])


def daqp_time(p):
    import daqp

    if p.cones:
        return None
    lower, upper = np.maximum(p.lower - p.g, -LARGE), np.minimum(p.upper - p.g, LARGE)
    sense = np.where(p.lower == p.upper, 5, 0).astype(np.int32)
    dense = np.ascontiguousarray(p.P.toarray()), p.c.copy(), np.ascontiguousarray(p.G.toarray())
    x, _, flag, info = daqp.solve(*dense, upper, lower, sense)
    return p.answer(info["setup_time"] + info["solve_time"], np.array(x), -np.array(info["lam"])) if flag > 0 else None


def piqp_time(p):
    import piqp

    if p.cones:
        return None
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = peer_tolerance
    solver.settings.max_iter = 1000
    solver.settings.compute_timings = True
    equal = p.lower == p.upper
    A, b = p.G[equal], (p.lower - p.g)[equal]
    rest = ~equal
    solver.setup(p.P, p.c, sparse.csc_matrix(A), b, sparse.csc_matrix(p.G[rest]), (p.lower - p.g)[rest], (p.upper - p.g)[rest])
    status = solver.solve()
    if status != piqp.PIQP_SOLVED:
        return None
    result = solver.result
    y = np.zeros(p.m)
    y[equal] = -np.array(result.y)
    y[rest] = np.array(result.z_l) - np.array(result.z_u)
    return p.answer(result.info.setup_time + result.info.solve_time, np.array(result.x), y)


def clarabel_time(p):
    import clarabel

    in_cone = np.zeros(p.m, dtype=bool)
    for first, dim in p.cones:
        in_cone[first : first + dim] = True
    equal = (p.lower == p.upper) & ~in_cone
    low, high = np.isfinite(p.lower) & ~equal & ~in_cone, np.isfinite(p.upper) & ~equal & ~in_cone
    blocks = [p.G[equal], -p.G[low], p.G[high]] + [-p.G[first : first + dim] for first, dim in p.cones]
    right = [(p.lower - p.g)[equal], -(p.lower - p.g)[low], (p.upper - p.g)[high]] + [p.g[first : first + dim] for first, dim in p.cones]
    kinds = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(int(low.sum() + high.sum()))]
    kinds += [clarabel.SecondOrderConeT(dim) for _, dim in p.cones]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = peer_tolerance
    settings.direct_solve_method = clarabel_method
    settings.max_threads = 1
    started = time.process_time()
    solver = clarabel.DefaultSolver(sparse.triu(p.P).tocsc(), p.c, sparse.csc_matrix(sparse.vstack(blocks)), np.concatenate(right), kinds, settings)
    solution = solver.solve()
    seconds = time.process_time() - started
    if "Solved" not in str(solution.status):
        return None
    z, y, at = np.array(solution.z), np.zeros(p.m), 0
    of_cones = [np.arange(first, first + dim) for first, dim in p.cones]
    for sign, rows in [(-1, np.flatnonzero(equal)), (1, np.flatnonzero(low)), (-1, np.flatnonzero(high))] + [(1, rows) for rows in of_cones]:
        y[rows] += sign * z[at : at + len(rows)]
        at += len(rows)
    return p.answer(seconds, np.array(solution.x), y)


clarabel_method = "auto"
peer_tolerance = TOLERANCE
PEERS = {"daqp": daqp_time, "piqp": piqp_time, "clarabel (Python)": clarabel_time}


def ours(vinci, file, solvers):
    """Seconds of every program by each of our solvers."""
    line = [vinci, "bench", "solvers", file, "--solver", ",".join(solvers), "--tolerance", str(TOLERANCE), "--json"]
    told = json.loads(subprocess.run(line, capture_output=True, text=True, check=False).stdout)
    told = told.get("result", told)
    of = {}
    for solver in told["solvers"]:
        solved = lambda row: row["status"] == "Converged" and not row["false_success"]
        of[solver["solver"]] = [(row["seconds"], row["objective"], row["residual"]) if solved(row) else None for row in solver["results"]]
    return of


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--vinci", default="vinci")
    parser.add_argument("--solvers", default="active-set,clarabel,auto")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--most", type=int, default=100, help="programs of a file, evenly chosen")
    parser.add_argument("--peer-tolerance", type=float, default=TOLERANCE, help="what PIQP and Clarabel are asked for, where their own measure is kinder than the residual")
    arguments = parser.parse_args()
    global peer_tolerance
    peer_tolerance = arguments.peer_tolerance
    for file in arguments.files:
        told = [json.loads(line) for line in file.read_text().splitlines()]
        told = [one for one in told if one["class"] == "Conic"]
        if not told:
            parser.error(f"{file} holds no program of class Conic (record a run with --stepper anitescu-qp)")
        told = told[:: max(1, len(told) // arguments.most)]
        times = {}
        with tempfile.TemporaryDirectory() as place:
            cold = pathlib.Path(place) / "problems.jsonl"
            cold.write_text("".join(json.dumps({**one, "guess": [], "dual_guess": []}) + "\n" for one in told))
            for _ in range(arguments.repetitions):
                for name, answers in ours(arguments.vinci, cold, arguments.solvers.split(",")).items():
                    times.setdefault(name, []).append(answers)
                programs = [Program(one) for one in told]
                for name in filter(None, arguments.peers.split(",")):
                    times.setdefault(name, []).append([PEERS[name](program) for program in programs])
        report(file, programs, times)


def report(file, programs, times):
    sizes = f"n {max(p.n for p in programs)}, m {max(p.m for p in programs)}, {max(len(p.cones) for p in programs)} cones"
    print(f"{file}: {len(programs)} programs, at most {sizes}")
    least = {}
    for name, runs in times.items():
        least[name] = [None if None in column else min(answer[0] for answer in column) for column in zip(*runs)]
        objectives = [None if answer is None else answer[1] for answer in runs[0]]
        least[name + " objective"] = objectives
        least[name + " residual"] = max((answer[2] for answer in runs[0] if answer is not None), default=0.0)
    first = next(iter(times))
    for name in times:
        both = [(a, b) for a, b in zip(least[name], least[first]) if a is not None and b is not None]
        solved = sum(a is not None for a in least[name])
        if not both:
            print(f"  {name:<20} solved {solved}")
            continue
        median = statistics.median(a for a, _ in both)
        ratio = statistics.median(b / a for a, b in both)
        largest = max((abs(b) for b in least[first + " objective"] if b is not None), default=0.0) or 1.0
        off = max((abs(a - b) / largest for a, b in zip(least[name + " objective"], least[first + " objective"]) if a is not None and b is not None), default=0.0)
        print(f"  {name:<20} solved {solved:>4}, median {1e6 * median:>12.1f} us, {first} takes {ratio:>6.2f} times it, objectives differ by {off:.0e}, residual at most {least[name + ' residual']:.0e}")


if __name__ == "__main__":
    main()

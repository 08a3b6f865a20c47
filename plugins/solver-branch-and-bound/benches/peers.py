"""The steps of a collection, or of an archive that `vinci run --record-problems always` wrote (.jsonl), with Gurobi, as its users run it:
binaries, an interval M per row from bounds on all variables, started from the previous step's solution, one thread.
python peers.py FILE...   (needs numpy, scipy and gurobipy; the size-limited licence is enough)

Steps of an archive are solved with Gurobi's own tolerances, as in the paper, and timed by its attribute `Runtime`, also as there."""
import json
import sys
import time

import gurobipy as gp
import numpy as np

FORCE, SPEED, SLIP = 0.5, 2.0, 4.0  # bounds: impulses (20 times the weight's), velocities, slip speeds


def rows(step):
    """min |v_a - command|^2; pairs (A x + a, B x + b) >= 0; equations; x = (v_u, v_a, p_n, p_f, slip)."""
    h, mu = step["h"], np.array(step["mu"])
    jnu, jna, jfu, jfa = (np.array(step[k], float) for k in ("Jnu", "Jna", "Jfu", "Jfa"))
    (nc, nu), na, nf = jnu.shape, jna.shape[1], len(jfu)
    n = nu + na + 2 * nc + nf
    pn, pf, sl = nu + na, nu + na + nc, nu + na + nc + nf
    own = np.repeat(np.arange(nc), nf // nc)
    A, B = np.zeros((2 * nc + nf, n)), np.zeros((2 * nc + nf, n))
    a = np.zeros(2 * nc + nf)
    A[:nc, :nu], A[:nc, nu:pn], a[:nc] = jnu, jna, np.array(step["phi"]) / h
    B[:nc, pn:pf] = np.eye(nc)
    A[nc : nc + nf, :nu], A[nc : nc + nf, nu:pn] = jfu, jfa
    A[nc + np.arange(nf), sl + own] = 1
    B[nc : nc + nf, pf:sl] = np.eye(nf)
    A[nc + nf :, sl:] = np.eye(nc)
    B[nc + nf :, pn:pf] = np.diag(mu)
    B[nc + nf + own, pf + np.arange(nf)] = -1
    W = np.zeros((nu, n))
    W[:, pn:pf], W[:, pf:sl] = jnu.T, jfu.T
    least = np.maximum(0, -h * np.array(step["K"]) * np.array(step["phibar_prev"]))
    lower = np.r_[-SPEED * np.ones(nu + na), least, np.zeros(nf + nc)]
    upper = np.r_[SPEED * np.ones(nu + na), FORCE * np.ones(nc + nf), SLIP * np.ones(nc)]
    return A, a, B, W, np.array(step["tau"]), lower, upper, np.array(step["dqa_cmd"]) / h, slice(nu, nu + na)


def solve(env, step, start):
    A, a, B, W, load, lower, upper, command, driven = rows(step)
    m = gp.Model(env=env)
    x = m.addMVar(len(lower), lb=lower, ub=upper)
    z = m.addMVar(len(a), vtype="B")
    big_a = np.maximum(A, 0) @ upper + np.minimum(A, 0) @ lower + a
    big_b = np.maximum(B, 0) @ upper + np.minimum(B, 0) @ lower
    m.addConstr(A @ x + a >= 0)
    m.addConstr(B @ x >= 0)
    m.addConstr(A @ x + a <= big_a * z)
    m.addConstr(B @ x <= big_b - big_b * z)
    m.addConstr(W @ x == -load)
    d = x[driven] - command
    m.setObjective(d @ d)
    if start is not None:
        x.Start, z.Start = start
    m.Params.MIPGap, m.Params.MIPGapAbs = 1e-6, 1e-10
    m.Params.FeasibilityTol = m.Params.IntFeasTol = m.Params.OptimalityTol = 1e-9
    begin = time.perf_counter()
    m.optimize()
    took = time.perf_counter() - begin
    if m.SolCount == 0:
        return None, took, m.NodeCount, float("nan")
    return (x.X, np.round(z.X)), took, m.NodeCount, m.ObjVal


WEIGHTS = 5.0  # bound of impulses in weights, and of driven velocities in m/s and rad/s: those of the paper's program
DRIVEN = 10.0


def bounds(step, g, lower, upper):
    """Bounds on all unknowns of a recorded problem: rows of one unknown, and what nothing bounds, as in the paper's program."""
    low, up = np.full(step["n"], -DRIVEN), np.full(step["n"], DRIVEN)
    weight = max(abs(v) for v, row in zip(step["g"], step["rows"]) if row["part"] == "velocity")
    for k, unknown in enumerate(step["unknowns"]):
        if unknown["part"] in ("normal", "friction"):
            low[k], up[k] = 0.0, WEIGHTS * weight
        elif unknown["part"] == "slip":
            low[k] = 0.0
    for i in range(step["m"]):
        columns = np.flatnonzero(g[i])
        if len(columns) == 1:
            k, factor = columns[0], g[i, columns[0]]
            ends = sorted(((lower[i] - step["g"][i]) / factor, (upper[i] - step["g"][i]) / factor))
            low[k], up[k] = max(low[k], ends[0]), min(up[k], ends[1])
    return low, up


def dense(triplets, shape):
    m = np.zeros(shape)
    m[triplets["i"], triplets["j"]] = triplets["v"]
    return m


def solve_recorded(env, step, start):
    """min 1/2 x'Px + c'x, lower <= s = G x + g <= upper, 0 <= s_i complementary to s_j >= 0 of every pair."""
    n, m = step["n"], step["m"]
    g, c, constant = dense(step["G"], (m, n)), np.array(step["c"]), np.array(step["g"])
    lower = np.array([-np.inf if v is None else v for v in step["lower"]])
    upper = np.array([np.inf if v is None else v for v in step["upper"]])
    low, up = bounds(step, g, lower, upper)
    first, second = (np.array([pair[k] for pair in step["pairs"]]) for k in ("first", "second"))
    big = np.maximum(g, 0) @ up + np.minimum(g, 0) @ low + constant
    model = gp.Model(env=env)
    x = model.addMVar(n, lb=low, ub=up)
    z = model.addMVar(len(first), vtype="B")
    for side, rows in ((lower, np.isfinite(lower)), (-upper, np.isfinite(upper))):
        sign = 1.0 if side is lower else -1.0
        model.addConstr(sign * (g[rows] @ x + constant[rows]) >= side[rows])
    model.addConstr(g[first] @ x + constant[first] <= big[first] * z)
    model.addConstr(g[second] @ x + constant[second] <= big[second] - big[second] * z)
    model.setObjective(0.5 * (x @ dense(step["P"], (n, n)) @ x) + c @ x)
    if start is not None:
        x.Start, z.Start = start
    begin = time.process_time()
    model.optimize()
    took = model.Runtime, time.process_time() - begin
    if model.SolCount == 0:
        return None, took, float("nan")
    return (x.X, np.round(z.X)), took, model.ObjVal


def archive(env, path):
    """Times of all steps, ms (`Runtime`, processor), and the objectives."""
    times, values, start = [], [], None
    with open(path) as lines:
        for line in lines:
            start, took, value = solve_recorded(env, json.loads(line), start)
            times.append(took)
            values.append(value)
    return 1e3 * np.array(times), values


def main():
    with gp.Env(empty=True) as env:
        env.setParam("OutputFlag", 0)
        env.setParam("Threads", 1)
        env.start()
        for path in sys.argv[1:]:
            if path.endswith(".jsonl"):
                times, values = archive(env, path)
                for name, ms in zip(("Runtime", "processor"), times.T):
                    print(f"{path}: {len(ms)} problems, {name}, ms: {ms.mean():.3f} mean, {ms.std():.3f} deviation,"
                          f" {np.median(ms):.3f} median, {ms.max():.2f} worst")
                print(f"{path}: {np.isnan(values).sum()} without a solution; objectives add up to {np.nansum(values):.9f}")
                continue
            times, start = [], None
            for step in json.load(open(path))["steps"]:
                start, took, nodes, value = solve(env, step, start)
                times.append(1e3 * took)
                print(f"{step['step']:3} {took * 1e3:9.2f} ms {nodes:8.0f} nodes  {value:.9f}  known {step['obj'] / step['h'] ** 2:.9f}")
            print(f"{path}: ms: {np.mean(times):.2f} mean, {np.median(times):.2f} median, {max(times):.2f} worst")


main()

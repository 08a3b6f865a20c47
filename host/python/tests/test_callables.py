"""Solvers and controllers in Python, and environments for learning."""

import importlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import vinci
from conftest import SCENES
from vinci._program import program


class Pgs:
    """Projected Gauss-Seidel on friction cones, with W = M_cc - M_cf M_ff⁻¹ M_fc: rows of contacts c, equations f eliminated.

    Contact by contact p_n ← max(0, p_n - u_n / W_nn), then p_t ← p_t - u_t / max W_tt, back into |p_t| ≤ μ p_n.
    """

    classes = ("Cone",)

    def solve(self, problem):
        m, q = problem.dense(), problem.q
        c = [row for n, t, dim, _ in problem.blocks for row in (n, *range(t, t + dim))]
        f = [row for row in range(problem.n) if row not in set(c)]
        eliminated = np.linalg.solve(m[np.ix_(f, f)], np.column_stack([m[np.ix_(f, c)], q[f]]))
        w = m[np.ix_(c, c)] - m[np.ix_(c, f)] @ eliminated[:, :-1]
        r, p, sweep = q[c] - m[np.ix_(c, f)] @ eliminated[:, -1], np.zeros(len(c)), 0
        for sweep in range(20_000):
            before, at = p.copy(), 0
            for _, _, dim, mu in problem.blocks:
                t = slice(at + 1, at + 1 + dim)
                p[at] = max(0.0, p[at] - (w[at] @ p + r[at]) / w[at, at])
                p[t] -= (w[t] @ p + r[t]) / w.diagonal()[t].max()
                p[t] *= min(1.0, mu * p[at] / max(np.linalg.norm(p[t]), 1e-300))
                at += 1 + dim
            if abs(p - before).max(initial=0.0) <= 1e-2 * problem.tolerance * abs(q).max():
                break
        z = np.zeros(problem.n)
        z[c], z[f] = p, -(eliminated[:, :-1] @ p + eliminated[:, -1])
        return vinci.Solution(z, iterations=sweep)


def stack(shipped):
    return shipped("block-stack-10").set("tolerance", 1e-4)


def test_pgs_in_python_is_accepted_by_the_referee(shipped):
    sim = stack(shipped).simulation(solver=Pgs())
    sim.step()
    assert sim.step_count == 1 and sim.residual <= 1e-4
    assert sim.q[1] == pytest.approx(stack(shipped).simulation().q[1], abs=1e-3)


def test_sparse_matrices_are_the_dense_ones(shipped):
    pytest.importorskip("scipy")
    seen = []

    class Looks(Pgs):
        def solve(self, problem):
            seen.append(abs(problem.M.toarray() - problem.dense()).max())
            assert problem.kind == "Cone" and len(problem.rows) == problem.n
            return super().solve(problem)

    shipped("incline-slip").set("tolerance", 1e-6).simulation(solver=Looks()).step(2)
    assert seen and max(seen) == 0.0


class Answers:
    """A solver that answers with what it is made with."""

    def __init__(self, answer):
        self.answer = answer

    def solve(self, problem):
        return self.answer(problem) if callable(self.answer) else self.answer


def test_an_event_leaves_solver_and_controller_where_they_are(shipped):
    """An event makes the simulation anew, and what Python had put into it was silently gone."""
    event = [{"at": 0.2, "set": {"scene.materials.default.restitution": 0.1}}]
    experiment = shipped("sliding-block").set("scene.materials.default.friction", 0.0).set("events", event)
    sim = experiment.simulation(controller=lambda t, q, v: [3.0, 0.0, 0.0])
    sim.run_until(0.5)
    assert sim.v[0] == pytest.approx(2.0 + 3.0 * 0.5, rel=1e-12)
    solved = []

    class Counts(Pgs):
        def solve(self, problem):
            solved.append(1)
            return super().solve(problem)

    event = [{"at": 0.01, "set": {"scene.materials.default.restitution": 0.1}}]
    sim = stack(shipped).set("events", event).simulation(solver=Counts())
    sim.step()
    before = len(solved)
    sim.step()
    assert sim.step_count == 2 and len(solved) > before


@pytest.mark.parametrize(
    "answer, message",
    [
        (None, "Answers.solve gave None: return z, or vinci.Solution"),
        (lambda p: np.full(p.n, np.nan), r"z\[0\] is nan: every number must be finite"),
        (lambda p: np.zeros(p.n + 1), r"z has shape \(\d+,\), expected \(\d+,\): one number for each unknown"),
        (lambda p: np.zeros(p.n) * 1j, r"z must be \d+ real numbers, not complex ones"),
        (lambda p: vinci.Solution(np.zeros(p.n), iterations=2**70), r"iterations is \d+: it must be a count"),
        (lambda p: "none", r"z must be \d+ numbers, not str"),
        (lambda p: vinci.Solution(np.zeros(p.n), status="Fine"), "gave the status 'Fine', which is none of Converged, "),
        (lambda p: 1 / 0, "Answers.solve raised ZeroDivisionError: division by zero"),
    ],
)
def test_what_a_solver_does_wrong_is_an_exception(shipped, answer, message):
    sim = shipped("sliding-block").simulation(solver=Answers(answer))
    before = sim.state_hash
    with pytest.raises(vinci.StepError, match=message) as caught:
        sim.step()
    assert caught.value.time == 0.0 and caught.value.__cause__ is not None
    assert sim.state_hash == before
    with pytest.raises(vinci.StateError, match="an earlier step failed .*: restore a snapshot, or change something with `set`"):
        sim.step()


def test_a_solver_that_lies_is_not_believed(shipped):
    sim = shipped("sliding-block").simulation(solver=Answers(lambda p: vinci.Solution(np.zeros(p.n))))
    with pytest.raises(vinci.StepError, match=r"no solver solved the step.*it claimed Converged") as caught:
        sim.step()
    assert caught.value.__cause__ is None


def test_solvers_that_are_none_are_refused(shipped):
    with pytest.raises(TypeError, match="int is no solver: it needs a method solve"):
        shipped("sliding-block").simulation(solver=3)
    solver = Answers(None)
    solver.classes = ("Lcp",)
    with pytest.raises(vinci.VinciError, match="Answers.classes names `Lcp`: a solver in Python takes Mlcp, Cone or Conic"):
        shipped("sliding-block").simulation(solver=solver)


def test_a_solver_stays_through_changes(shipped):
    calls = []

    class Counts(Pgs):
        def solve(self, problem):
            calls.append(problem.n)
            return super().solve(problem)

    sim = shipped("incline-slip").set("tolerance", 1e-6).simulation(solver=Counts())
    sim.set("scene.materials.default.friction", 0.3)
    before = len(calls)
    sim.step()
    assert len(calls) > before
    with pytest.raises(vinci.StateError, match="the simulation has a solver of its own"):
        sim.set("solver", {"plugin": "vinci.solver.lemke"})


def test_a_controller_is_a_force_held_for_the_step(shipped):
    """A block of 1 kg without friction under 3 N: v = 2 + 3 t, to rounding."""
    experiment = shipped("sliding-block").set("scene.materials.default.friction", 0.0)
    sim = experiment.simulation(controller=lambda t, q, v: [3.0, 0.0, 0.0])
    sim.run_until(0.5)
    assert sim.v[0] == pytest.approx(2.0 + 3.0 * 0.5, rel=1e-12)
    free = experiment.simulation(controller=lambda t, q, v: None)
    free.run_until(0.5)
    alone = experiment.simulation()
    alone.run_until(0.5)
    assert free.state_hash == alone.state_hash


def arm(controllers):
    """An arm of two links in the plane of gravity, with its built-in controllers."""
    from vinci import scene

    link = lambda name: {"name": name, "mass": 1.0, "inertia": [0.01, 0.01, 0.01], "com": [0.2, 0.0, 0.0]}
    joint = lambda name, parent, child, x: {
        "name": name, "kind": "revolute", "parent": parent, "child": child, "axis": [0, 1, 0], "position": [x, 0, 0],
    }
    joints = [joint("shoulder", "base", "upper", 0.0), joint("elbow", "upper", "lower", 0.4)]
    world = scene.Scene("spatial", gravity=[0, 0, -9.81])
    world.tree("arm", links=[{"name": "base"}, link("upper"), link("lower")], joints=joints)
    for one in controllers:
        world.add("controllers", **one)
    return world.experiment(detector="parry", stepper="stewart-trinkle", step=0.002, duration=1.0)


GAINS, GOAL = ([40.0, 25.0], [3.0, 2.0]), [0.3, -0.8]


def pd(t, q, v):
    return [k * (goal - at) + c * (0.0 - rate) for k, c, goal, at, rate in zip(*GAINS, GOAL, q, v)]


def test_pd_in_python_is_the_built_in_one_to_the_bit():
    own = arm([]).simulation(controller=pd)
    gains = [{"shoulder": gain[0], "elbow": gain[1]} for gain in GAINS]
    goals = {"shoulder": GOAL[0], "elbow": GOAL[1]}
    there = arm([{"type": "pd", "tree": "arm", "kp": gains[0], "kd": gains[1], "targets": goals, "implicit": False}]).simulation()
    for sim in (own, there):
        sim.run_until(1.0)
    assert own.q.tolist() == there.q.tolist() and own.state_hash == there.state_hash
    assert abs(own.q - GOAL).max() < 0.5 and abs(own.q).min() > 0.1


def test_drives_and_a_controller_go_together(shipped):
    """A velocity that a drive prescribes made the simulation panic, and it was gone."""
    from vinci import scene

    world = scene.Scene("planar", gravity=[0, 0])
    world.body("cart", mass=2.0, dofs={"x": {"velocity": 0.5}}, shapes=[scene.shape("disc", radius=0.1)])
    experiment = world.experiment(detector="planar", stepper="stewart-trinkle", step=0.01, duration=1.0)
    sim = experiment.simulation(controller=lambda t, q, v: [0.0, 4.0, 0.0], every=5)
    assert sim.prescribed == ["cart.vx"]
    sim.step(7)
    assert sim.v.tolist() == pytest.approx([0.5, 4.0 / 2.0 * 0.07, 0.0])
    # The drive changes hands while forces hold.
    sim.set("scene.bodies.cart.dofs", {"y": {"velocity": float(sim.v[1])}})
    with pytest.raises(vinci.StepError, match=r"the answer of the controller\[1\] is 4.0 along a velocity that a drive prescribes"):
        sim.step(7)
    pytest.importorskip("gymnasium")
    from vinci.gym import Env

    with pytest.raises(ValueError, match="act: a drive prescribes `cart.vx`"):
        Env(experiment, ["cart.x"], ["cart.vx"], lambda seen, act: 0.0)
    env = Env(experiment, ["cart.vy"], ["cart.vy"], lambda seen, act: 0.0, limit=2.0)
    env.reset(seed=1)
    assert env.step(np.array([50.0]))[0] == pytest.approx([0.01])
    with pytest.raises(ValueError, match="act names a column twice: cart.vy, cart.vy"):
        Env(experiment, ["cart.x"], ["cart.vy", "cart.vy"], lambda seen, act: 0.0)
    for wrong in ([np.nan], None, [1.0, 2.0]):
        with pytest.raises((ValueError, TypeError)):
            env.step(wrong)
    assert env.step(np.array([-2.0]))[0] == pytest.approx([0.0])


def test_what_is_refused_leaves_the_simulation_as_it_is(shipped):
    """A solver that does not reach a stepper's problems: the stepper stayed, or the simulation stood at its start again."""
    sim = shipped("sliding-block").set("tolerance", 1e-6).simulation(solver=Pgs())
    sim.step(2)
    before = sim.state_hash
    with pytest.raises(vinci.InputError, match="Pgs cannot be given the step's problem of class Conic"):
        sim.set("stepper.plugin", "anitescu-qp")
    assert (sim.state_hash, sim.time) == (before, 0.02)
    sim.step(2)
    other = shipped("sliding-block").set("tolerance", 1e-6).simulation()
    other.set("solver", {"plugin": "clarabel"})
    other.set("stepper.plugin", "anitescu-qp")
    here = sim.state_hash
    with pytest.raises(vinci.StateError):
        sim.restore(other.snapshot())
    assert sim.state_hash == here and sim.time == 0.04
    sim.step()
    assert sim.step_count == 5


def test_wrong_kinds_are_refused_at_once(shipped):
    block = shipped("sliding-block")
    with pytest.raises(TypeError, match="int is no controller: it must be callable"):
        block.simulation(controller=5)
    with pytest.raises(TypeError, match=r"Pgs is a class: give an instance, Pgs\(\)"):
        block.simulation(solver=Pgs)
    for answer in (["1", "2", "3"], np.array(["2020"] * 3, dtype="datetime64[D]")):
        with pytest.raises(vinci.StepError, match="must be 3 numbers, not words or dates"):
            block.simulation(controller=lambda t, q, v: answer).step()
    with pytest.raises(TypeError, match="data: `block.x` must be a list of numbers"):
        vinci.fit(block, {"time": [0.0, 0.1], "block.x": 3.0}, {"scene.materials.default.friction": (0.1, 1.0)})


def test_a_second_interrupt_leaves_a_callable_that_never_comes_back(shipped, tmp_path):
    """It could be ended by SIGKILL alone."""
    script = tmp_path / "hangs.py"
    script.write_text(
        "import sys, threading, time, vinci\n"
        f"experiment = vinci.Experiment.load({str(SCENES / 'sliding-block.json')!r})\n"
        "def force(t, q, v):\n    print('asked', flush=True)\n    threading.Event().wait()\n"
        "sim = experiment.simulation(controller=force)\n"
        "try:\n    sim.step()\nexcept KeyboardInterrupt:\n    print('left', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "asked\n"
    for _ in range(2):
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "left\n" and child.wait(timeout=20) == 0


def test_a_controller_beside_a_solver_is_asked_once_at_a_grid_time(shipped):
    """What is set makes the stepper anew for Python's solver: the controller was asked for its first problem, too."""
    asked = []
    sim = shipped("incline-slip").set("tolerance", 1e-6).simulation(solver=Pgs(), controller=lambda t, q, v: asked.append(t))
    sim.step(3)
    sim.set("scene.materials.default.friction", 0.3)
    sim.step(2)
    assert asked == pytest.approx([k * sim.h for k in range(5)])


def test_a_controller_is_asked_at_every_nth_grid_time_and_holds(shipped):
    asked = []

    def force(t, q, v):
        asked.append(t)
        return [float(len(asked)), 0.0, 0.0]

    smooth = shipped("sliding-block").set("scene.materials.default.friction", 0.0)
    sim = smooth.simulation(controller=force, every=5)
    sim.step(12)
    assert asked == pytest.approx([0.0, 0.05, 0.1]) and sim.v[0] == pytest.approx(2.0 + 0.05 + 0.1 + 0.06, rel=1e-12)
    # What holds is part of a snapshot: it is not asked again before its time.
    there = sim.snapshot()
    sim.step(6)
    wanted, times = sim.v[0], len(asked)
    assert times == 4
    sim.restore(there)
    sim.step(2)
    assert len(asked) == times and sim.v[0] == pytest.approx(2.0 + 0.05 + 0.1 + 0.06 + 0.06, rel=1e-12)
    with pytest.raises(ValueError, match="every=0: a controller is asked at every grid time"):
        smooth.simulation(controller=force, every=0)


def test_a_model_becomes_a_tree(tmp_path):
    from vinci import scene

    (tmp_path / "bob.urdf").write_text(
        '<robot name="bob"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 -1"/><mass value="2"/>'
        '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial><visual/></link>'
        '<joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>'
    )
    world = scene.Scene("spatial", gravity=[0, 0, -9.81]).from_urdf(tmp_path / "bob.urdf", start={"pivot": 0.1})
    experiment = world.experiment(detector="parry", stepper="stewart-trinkle", step=0.001, duration=1.0)
    sim = experiment.simulation()
    assert sim.q_columns == ["bob.pivot.q"] and sim.q.tolist() == [0.1]
    sim.run_until(1.0)
    assert abs(sim.q[0]) < 0.101
    report = scene.model_report(tmp_path / "bob.urdf")
    assert report.startswith(f"{tmp_path}/bob.urdf: robot `bob`: 2 links") and "visual" in report
    with pytest.raises(vinci.InputError, match="no such file") as caught:
        scene.model_report(tmp_path / "nobody.urdf")
    assert caught.value.findings[0]["severity"] == "error"
    with pytest.raises(vinci.InputError, match="nobody.urdf"):
        scene.Scene("spatial").from_urdf(tmp_path / "nobody.urdf").experiment(
            detector="parry", stepper="stewart-trinkle", step=0.001, duration=1.0
        ).check()


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda: 1 / 0, "controller `python` gives no force at t = 0 s: ZeroDivisionError: division by zero"),
        (lambda: [np.inf, 0.0, 0.0], r"the answer of the controller\[0\] is inf: every number must be finite"),
        (lambda: [1.0], r"the answer of the controller has shape \(1,\), expected \(3,\): one number for each velocity"),
    ],
)
def test_what_a_controller_does_wrong_is_an_exception(shipped, answer, message):
    sim = shipped("sliding-block").simulation(controller=lambda t, q, v: answer())
    with pytest.raises(vinci.StepError, match=message) as caught:
        sim.step()
    assert caught.value.__cause__ is not None


def test_a_callable_that_asks_its_own_simulation_is_told_so(shipped):
    box = []
    sim = shipped("sliding-block").simulation(controller=lambda t, q, v: box[0].step() if box else None)
    box.append(sim)
    with pytest.raises(vinci.StepError, match="cannot ask the simulation that is asking it: use the arguments of the call"):
        sim.step()


def test_gymnasium_accepts_the_environment(shipped):
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    from vinci.gym import Env

    make = lambda: Env(shipped("sliding-block"), ["block.x", "block.vx"], ["block.vx"], lambda seen, act: -abs(seen[0]), limit=5.0)
    env = make()
    check_env(env, skip_render_check=True)
    seen, _ = env.reset(seed=1)
    assert seen.tolist() == [0.0, 2.0]
    ended = False
    steps = 0
    while not ended:
        seen, _, failed, ended, _ = env.step(np.array([-5.0]))
        steps += 1
        assert not failed
    assert steps == 100 and seen[0] < 0.4
    for wrong in ({"every": 0}, {"limit": float("nan")}, {"noise": -1.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Env(shipped("sliding-block"), ["block.x"], ["block.vx"], lambda seen, act: 0.0, **wrong)
    with pytest.raises(KeyError, match="observe: there is no column `block.z`; columns: block.x, "):
        Env(shipped("sliding-block"), ["block.z"], [], lambda seen, act: 0.0)


def test_every_episode_has_its_events(shipped):
    """The second episode ran without the events of the first."""
    pytest.importorskip("gymnasium")
    from vinci.gym import Env

    events = [{"at": 0.1, "set": {"scene.materials.default.friction": 0.0}}, {"at": 0.3, "stop": "enough"}]
    env = Env(shipped("sliding-block").set("events", events), ["block.x", "block.vx"], ["block.vx"], lambda seen, act: 0.0)
    seen = []
    for _ in range(3):
        env.reset(seed=1)
        episode, terminated, truncated, info = [], False, False, {}
        while not terminated and not truncated:
            observation, _, terminated, truncated, info = env.step(np.zeros(1))
            episode.append(observation.tolist())
        assert terminated and info["stopped"] == "enough" and len(episode) == 30
        seen.append(episode)
    assert seen[0] == seen[1] == seen[2]


def test_a_bad_action_or_reward_leaves_a_vector_that_goes_on(shipped):
    """Environments had moved before one refused its action, and where theirs had ended every later step failed."""
    pytest.importorskip("gymnasium")
    from vinci.gym import VectorEnv

    events, fails = [{"when": "t > 0.05", "stop": "far"}], []

    def reward(seen, act):
        return 1.0 / 0.0 if fails else 0.0

    vector = VectorEnv(shipped("sliding-block").set("events", events), 2, ["block.x"], ["block.vx"], reward, every=10)
    start = vector.reset(seed=1)[0]
    with pytest.raises(ValueError, match="1 finite numbers are expected"):
        vector.step([[0.0], [np.nan]])
    assert vector.step(np.zeros((2, 1)))[2].tolist() == [True, True]
    assert np.array_equal(vector.step(np.zeros((2, 1)))[0], start)
    fails.append(1)
    with pytest.raises(ZeroDivisionError):
        vector.step(np.zeros((2, 1)))
    fails.clear()
    assert np.array_equal(vector.step(np.zeros((2, 1)))[0], start)
    vector.close()


def test_an_episode_ends_at_the_duration_itself(shipped):
    pytest.importorskip("gymnasium")
    from vinci.gym import Env

    env = Env(shipped("sliding-block").set("time.duration", 0.035), ["block.x"], ["block.vx"], lambda seen, act: 0.0, every=2)
    env.reset(seed=1)
    told = [env.step(np.zeros(1)) for _ in range(2)]
    assert [step[3] for step in told] == [False, True] and told[1][4]["time"] == 0.035


def test_environments_on_threads_give_what_gymnasiums_own_vector_gives(shipped):
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    from vinci.gym import Env, VectorEnv

    block, columns, options = shipped("sliding-block"), ["block.x", "block.vx"], {"limit": 5.0, "every": 7, "noise": 0.01}
    reward = lambda seen, act: float(seen[1] - 0.1 * act[0] ** 2)
    own = VectorEnv(block, 3, columns, ["block.vx"], reward, threads=2, **options)
    theirs = SyncVectorEnv([lambda: Env(block, columns, ["block.vx"], reward, **options)] * 3, autoreset_mode=AutoresetMode.NEXT_STEP)
    assert own.observation_space == theirs.observation_space and own.action_space == theirs.action_space
    assert np.array_equal(own.reset(seed=5)[0], theirs.reset(seed=5)[0])
    draws = np.random.default_rng(0)
    ends = 0
    # An episode has 15 steps: two ends and two new beginnings.
    for _ in range(35):
        actions = draws.uniform(-5.0, 5.0, (3, 1))
        mine, known = own.step(actions), theirs.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(mine[:4], known[:4]))
        assert np.array_equal(mine[4]["time"], known[4]["time"])
        ends += int(mine[3].sum())
    assert ends == 6
    # Seeds as NumPy has them, and some of the environments alone.
    assert np.array_equal(own.reset(seed=np.int64(5))[0], own.reset(seed=np.array([5, 6, 7]))[0])
    own.step(np.zeros((3, 1)))
    mask = {"reset_mask": np.array([True, False, True])}
    seen, told = own.reset(options=mask)
    assert told["_time"].tolist() == [True, False, True] and own.step(np.zeros((3, 1)))[4]["time"].tolist() == pytest.approx([0.07, 0.14, 0.07])
    with pytest.raises(ValueError, match="reset_mask: 3 booleans"):
        own.reset(options={"reset_mask": np.array([1, 0])})
    own.close()
    with pytest.raises(ValueError, match="2 actions for 3 environments"):
        own.step(np.zeros((2, 1)))
    with pytest.raises(ValueError, match="count=0: at least one environment"):
        VectorEnv(block, 0, columns, ["block.vx"], reward)
    with pytest.raises(ValueError, match="1 seeds for 3 environments"):
        own.reset(seed=[1])


def test_a_plugin_in_a_process_of_its_own_is_a_solver_here_too(shipped, tmp_path, monkeypatch):
    """One class serves in both places: the example that `vinci plugin new` writes."""
    subprocess.run([str(program()), "plugin", "new", "solver", "mine", "--lang", "python", "--out", str(tmp_path)], check=True)
    monkeypatch.syspath_prepend(tmp_path / "mine")
    own = importlib.import_module("plugin")
    sims = [shipped("sliding-block").simulation(solver=own.Pgs()), shipped("sliding-block").simulation()]
    for sim in sims:
        sim.step(3)
    assert sims[0].q == pytest.approx(sims[1].q, abs=1e-9)

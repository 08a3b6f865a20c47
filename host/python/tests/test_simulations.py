"""Simulations step by step: what they give is what `vinci run` gives, whatever is done with them."""

import gc
import os
import pickle
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import vinci
from conftest import SCENES
from vinci._program import program

TEN = [
    "sliding-block",
    "bouncing-ball",
    "bouncing-ball-predict",
    "box-on-plane-3d",
    "newton-cradle-3",
    "ellipse-rocking",
    "pendulum-4bar",
    "block-stack-10",
    "push-disk-qp",
    "slide-to-roll-3d",
]


@pytest.mark.parametrize("name", TEN)
def test_stepping_is_the_run_to_the_bit(shipped, tmp_path, name):
    subprocess.run([program(), "run", SCENES / f"{name}.json", "--out", tmp_path / "run", "--quiet"], check=True)
    wanted = vinci.Run.open(tmp_path / "run").state_hash
    sim = shipped(name).simulation()
    while sim.time < sim.duration - 0.5 * sim.h:
        sim.step()
    assert sim.state_hash == wanted
    whole = shipped(name).simulation()
    whole.run_until(whole.duration)
    assert whole.state_hash == wanted and whole.step_count == sim.step_count


def test_arrays_are_copies_with_names(shipped):
    sim = shipped("sliding-block").simulation()
    q, v = sim.q, sim.v
    assert dict(zip(sim.q_columns, q)) == {"block.x": 0.0, "block.y": 0.05, "block.angle": 0.0}
    assert sim.v_columns == ["block.vx", "block.vy", "block.omega"] and v.tolist() == [2.0, 0.0, 0.0]
    assert len(sim.contacts) == 0
    sim.step(10)
    assert q.tolist() == [0.0, 0.05, 0.0] and sim.q[0] > 0.0 and sim.step_count == 10
    q[:] = 7.0
    assert sim.q[0] < 1.0
    contacts = sim.contacts
    assert contacts["body_b"] == ["block", "block"] and len(contacts) == 2
    assert contacts["normal_impulse"].sum() == pytest.approx(9.81 * 0.01)
    assert sim.energy < 2.5 and 0.0 <= sim.residual < 1e-8


def test_snapshots_come_back_to_the_bit(shipped):
    sim = shipped("block-stack-10").simulation()
    sim.step(5)
    there = sim.snapshot()
    sim.step(20)
    wanted = sim.state_hash
    sim.restore(there)
    assert sim.time == there.time
    sim.step(20)
    assert sim.state_hash == wanted
    other = shipped("block-stack-10").simulation()
    other.restore(there)
    other.step(20)
    assert other.state_hash == wanted


def test_a_snapshot_of_another_scene_is_refused(shipped):
    there = shipped("sliding-block").simulation().snapshot()
    sim = shipped("bouncing-ball").simulation()
    before = sim.state_hash
    with pytest.raises(vinci.StateError, match="the snapshot is of another scene: it has .*; restore it where it was taken"):
        sim.restore(there)
    for path, value, told in (
        ("scene.materials.default.friction", 0.1, "it has a scene of these values"),
        ("time.step", 1e-3, "it has steps of 0.01 s, here is steps of 0.001 s"),
        ("events", [{"at": 0.5, "stop": "s"}], "it has 0 events"),
    ):
        with pytest.raises(vinci.StateError, match=told):
            shipped("sliding-block").set(path, value).simulation().restore(there)
    other = shipped("sliding-block").set("solver", {"plugin": "vinci.solver.pgs"}).simulation()
    with pytest.raises(vinci.StateError, match="it has the plugin vinci.solver.lemke .*, here is the plugin vinci.solver.pgs"):
        other.restore(there)
    assert sim.state_hash == before


def test_a_snapshot_brings_back_what_events_and_set_have_changed(shipped):
    """Values stayed as events and `set` had left them, and events that had fired did not fire again."""
    events = [{"at": 0.1, "set": {"scene.materials.default.friction": 0.0}}, {"at": 0.3, "stop": "enough"}]
    sim = shipped("sliding-block").set("events", events).simulation()
    begin = sim.snapshot()
    sim.run_until(0.2)
    between, speed = sim.snapshot(), sim.v[0]
    sim.run_until(0.4)
    assert sim.time == 0.3 and sim.stopped == "enough" and sim.v[0] == pytest.approx(speed, abs=1e-12)
    wanted = sim.state_hash
    with pytest.raises(vinci.StateError, match=r"an event stopped the simulation \(enough\): .*restore a snapshot from before"):
        sim.step()
    for there in (begin, between, begin):
        sim.restore(there)
        assert sim.stopped is None and sim.time == there.time
        sim.run_until(0.4)
        assert sim.state_hash == wanted and sim.stopped == "enough"
    sim.restore(begin)
    sim.set("stepper", "anitescu-potra")
    sim.set("scene.materials.default.friction", 0.9)
    changed = sim.snapshot()
    sim.run_until(0.05)
    other = sim.state_hash
    sim.restore(begin)
    sim.run_until(0.4)
    assert sim.state_hash == wanted
    fresh = shipped("sliding-block").set("events", events).simulation()
    fresh.restore(changed)
    fresh.run_until(0.05)
    assert fresh.state_hash == other


def test_a_controller_acts_once_whatever_stops_and_comes_back(shipped):
    """After every event that stopped the simulation, and a restore, it acted once more."""
    smooth = shipped("sliding-block").set("scene.materials.default.friction", 0.0).set("events", [{"at": 0.05, "stop": "enough"}])
    sim = smooth.simulation(controller=lambda t, q, v: [2.0, 0.0, 0.0])
    begin = sim.snapshot()
    for _ in range(3):
        # Beyond the event: it stops there, as `run_until` does.
        sim.step(20)
        assert sim.time == 0.05 and sim.v[0] == pytest.approx(2.0 + 2.0 * 0.05, rel=1e-12) and len(sim.contacts) == 2
        sim.restore(begin)


def test_an_event_that_fails_is_still_to_come(shipped):
    """It was taken as fired; and what had changed before it in the same moment took Python's controller away."""
    jump = {"when": "t > 0.045", "set": {"scene.bodies.block.dofs": {"x": {"position": 5.0}}}}
    events = [{"when": "t > 0.045", "set": {"scene.materials.default.friction": 0.0}}, jump]
    sim = shipped("sliding-block").set("events", events).simulation(controller=lambda t, q, v: [2.0, 0.0, 0.0])
    for _ in range(2):
        with pytest.raises(vinci.StepError, match="event 2 .*the new drive of block.x begins"):
            sim.step(10)
        assert sim.time == 0.05
        sim.restore(sim.snapshot())
    sim = shipped("sliding-block").set("events", events[:1]).simulation(controller=lambda t, q, v: [2.0, 0.0, 0.0])
    sim.run_until(0.05)
    there, speed = sim.snapshot(), sim.v[0]
    sim.restore(there)
    sim.step()
    assert sim.v[0] == pytest.approx(speed + 2.0 * 0.01, rel=1e-12)


def test_events_warn_in_the_simulation_and_in_the_run(shipped):
    grow = [{"at": 0.03, "set": {"scene.bodies.block.shapes[0].size": [0.2, 0.12]}}]
    experiment = shipped("sliding-block").set("events", grow)
    sim = experiment.simulation()
    before = sim.warnings
    sim.run_until(0.05)
    [told] = sim.warnings[len(before):]
    assert told["severity"] == "warning" and "event 1 at t = 0.03 s" in told["message"] and "overlap" in told["message"]
    assert told in experiment.run(check=False).warnings


def test_what_is_seen_of_the_last_step_is_of_the_state(shipped):
    """Contacts of a step that had been taken back, or a panic where there had been no step at all."""
    sim = shipped("sliding-block").simulation()
    sim.step(3)
    there = sim.snapshot()
    fresh = shipped("sliding-block").simulation()
    fresh.restore(there)
    assert len(fresh.contacts) == 0 and fresh.residual == 0.0 and fresh.gradient is None
    sim.step()
    assert len(sim.contacts) == 2
    sim.restore(there)
    assert len(sim.contacts) == 0
    sim.step()
    fresh.step()
    assert sim.contacts["gap"].tolist() == fresh.contacts["gap"].tolist() and len(sim.contacts) == 2
    sim.set("scene.materials.default.friction", 0.1)
    assert len(sim.contacts) == 0


def test_what_is_set_again_and_again_is_kept_once(shipped):
    """Every value was kept for ever: snapshots and what came back to them grew."""
    sim = shipped("sliding-block").simulation()
    begin = sim.snapshot()
    for k in range(300):
        sim.set("scene.materials.default.friction", 0.3 + 1e-4 * k)
    sim.step(5)
    wanted, last = sim.state_hash, sim.snapshot()
    sim.restore(begin)
    sim.set("scene.materials.default.friction", 0.3 + 1e-4 * 299)
    sim.step(5)
    assert sim.state_hash == wanted
    sim.restore(begin)
    sim.restore(last)
    assert sim.state_hash == wanted


def test_what_a_run_may_change_changes(shipped):
    sim = shipped("sliding-block").simulation()
    sim.step(10)
    assert sim.set("scene.materials.default.friction", 0.0) == []
    speed = sim.v[0]
    sim.step(10)
    assert sim.v[0] == pytest.approx(speed, abs=1e-12)
    with pytest.raises(vinci.InputError, match="`time.step` cannot change during a run"):
        sim.set("time.step", 0.1)
    with pytest.raises(vinci.InputError, match="unknown-name|unknown-key|bad-set"):
        sim.set("scene.bodies.blok.mass", 2.0)
    sim.step()


def test_time_goes_forward(shipped):
    sim = shipped("sliding-block").simulation()
    sim.run_until(0.105)
    assert sim.time == 0.11
    with pytest.raises(vinci.StateError, match="stands at t = 0.11 s, it cannot go back to 0 s: restore a snapshot"):
        sim.run_until(0.0)
    with pytest.raises(vinci.StateError, match="t = nan s is never reached"):
        sim.run_until(float("nan"))
    with pytest.raises(vinci.StateError, match="t = inf s is never reached: give a time, as `sim.run_until"):
        sim.run_until(float("inf"))
    with pytest.raises(ValueError, match="nan cannot stand in an experiment: numbers are finite"):
        sim.set("scene.materials.default.friction", float("nan"))
    with pytest.raises(ValueError, match="n = -1: steps go forward"):
        sim.step(-1)


def test_a_live_simulation_is_not_pickled(shipped):
    sim = shipped("sliding-block").simulation()
    with pytest.raises(TypeError, match="a live simulation cannot be pickled: .*Pickle the experiment"):
        pickle.dumps(sim)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_is_told_that_the_simulation_stayed_behind(shipped):
    """A child of a fork has no thread of the simulation, and waited for it for ever."""
    sim = shipped("sliding-block").simulation()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sim.step()
        except vinci.StateError as error:
            code = 0 if "make the simulation after the fork" in str(error) else 2
        del sim
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    sim.step()
    assert sim.step_count == 1


def test_any_thread_may_ask_and_results_are_the_same(shipped):
    sims = [shipped("block-stack-10").simulation() for _ in range(8)]
    wanted = shipped("block-stack-10").simulation()
    wanted.step(30)
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            list(pool.map(lambda sim: sim.step(10), sims))
    assert {sim.state_hash for sim in sims} == {wanted.state_hash}


def test_one_simulation_asked_by_many_threads_is_asked_in_turn(shipped):
    sim = shipped("sliding-block").simulation()
    threads = [threading.Thread(target=lambda: [sim.step() for _ in range(5)]) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    alone = shipped("sliding-block").simulation()
    alone.step(20)
    assert sim.state_hash == alone.state_hash


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_a_thousand_simulations_leave_nothing_behind(shipped):
    experiment = shipped("sliding-block")

    def made(n: int) -> None:
        for _ in range(n):
            experiment.simulation().step()

    made(200)
    before = resident()
    made(1000)
    assert resident() - before < 4e6
    assert threading.active_count() < 10


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_objects_that_control_their_own_simulation_are_collected(shipped):
    """The collector did not see that a simulation holds its controller: both stayed, with a thread."""
    experiment = shipped("sliding-block")

    class Robot:
        def __init__(self):
            self.sim = experiment.simulation(controller=self.force, solver=self)

        def force(self, t, q, v):
            return None

        def solve(self, problem):
            raise NotImplementedError

    for _ in range(20):
        Robot()
    gc.collect()
    threads = len(os.listdir("/proc/self/task"))
    for _ in range(20):
        Robot()
    gc.collect()
    assert len(os.listdir("/proc/self/task")) <= threads


def test_positions_are_finite_numbers(shipped):
    sim = shipped("box-on-plane-3d").simulation()
    sim.step(3)
    assert sim.q.shape == (7,) and sim.v.shape == (6,) and np.isfinite(sim.q).all()
    assert sim.gradient is None
    assert repr(sim).startswith("<vinci.Simulation at t = 0.0")

"""Derivatives of runs and fitted parameters, against the closed form of a block that slides to a stop."""

import numpy as np
import pytest

import vinci

FRICTION = "scene.materials.default.friction"
SPEED = "scene.bodies.block.velocity.0"


def closed_form(h=0.01, v=2.0, friction=0.5, g=9.81):
    """x after n = ⌊v/(μ g h)⌋ steps of Stewart–Trinkle, x = h (n v − μ g h n (n + 1)/2), and its derivatives by μ and v."""
    n = int(v / (friction * g * h))
    x = h * (n * v - friction * g * h * n * (n + 1) / 2)
    # The last step stops the block.
    return x, -g * h * h * n * (n + 1) / 2, h * n


def test_derivatives_are_those_of_the_closed_form(shipped):
    found = vinci.sensitivity(shipped("sliding-block"), "block.x", [FRICTION, SPEED])
    x, by_friction, by_speed = closed_form()
    assert found.measures == ["block.x"]
    assert found.parameters == [FRICTION, SPEED]
    assert found.method == [["active set", "active set"]]
    assert found.at.tolist() == [0.5, 2.0]
    assert found.values == pytest.approx([x], abs=1e-9)
    assert found.gradient == pytest.approx(np.array([[by_friction, by_speed]]), rel=1e-7)
    assert np.isnan(found.below).all()


def test_differences_of_runs_agree_and_have_two_sides(shipped):
    found = vinci.sensitivity(shipped("sliding-block"), ["block.x", "block.x@0.2"], FRICTION, method="differences")
    assert found.gradient.shape == (2, 1)
    assert found.gradient[0, 0] == pytest.approx(closed_form()[1], rel=1e-5)
    # After 20 steps: −g h² 20 · 21/2.
    assert found.gradient[1, 0] == pytest.approx(-9.81e-4 * 210, rel=1e-5)
    assert found.below == pytest.approx(found.above, rel=1e-4)
    assert found.method == [["differences"], ["differences"]]


def test_changes_of_an_experiment_count(shipped):
    found = vinci.sensitivity(shipped("sliding-block").set(FRICTION, 0.25), "block.x@0.2", SPEED)
    assert found.gradient[0, 0] == pytest.approx(0.2, rel=1e-7)


def test_a_planted_friction_is_found(shipped, tmp_path):
    experiment = shipped("sliding-block")
    data = experiment.set(FRICTION, 0.3).run().trajectory
    found = vinci.fit(experiment, data, {FRICTION: (0.1, 1.0)}, columns=["block.x"])
    assert found.values[FRICTION] == pytest.approx(0.3, abs=1e-6)
    assert found.residual["block.x"] < 1e-7
    run = found.experiment.run()
    assert run.trajectory["block.x"][-1] == pytest.approx(data["block.x"][-1], abs=1e-6)
    frame = {"time": data["time"], "block.x": data["block.x"]}
    again = vinci.fit(experiment, frame, {FRICTION: (0.1, 1.0)})
    assert again.values == found.values


def test_what_cannot_be_differentiated_is_told(shipped):
    block = shipped("sliding-block")
    with pytest.raises(vinci.InputError, match="blok.x"):
        vinci.sensitivity(block, "blok.x", FRICTION)
    with pytest.raises(vinci.InputError, match="scene.materials.rubber"):
        vinci.sensitivity(block, "block.x", "scene.materials.rubber.friction")
    with pytest.raises(vinci.InputError) as refused:
        vinci.sensitivity(shipped("hertz-ball"), "ball.z", "scene.bodies.ball.mass", method="reverse")
    assert refused.value.findings
    with pytest.raises(ValueError, match="method='fast' is not known: use auto, exact, reverse, differences"):
        vinci.sensitivity(block, "block.x", FRICTION, method="fast")
    with pytest.raises(ValueError, match="by is empty: name at least one parameter"):
        vinci.sensitivity(block, "block.x", [])
    with pytest.raises(ValueError, match="is between 1.0 and 0.1: give the lower bound first"):
        vinci.fit(block, {"time": [0.0, 0.1], "block.x": [0.0, 0.1]}, {FRICTION: (1.0, 0.1)})
    with pytest.raises(ValueError, match="free is empty"):
        vinci.fit(block, {"time": [0.0]}, {})
    with pytest.raises(ValueError, match="columns of different lengths: time 2, block.x 1"):
        vinci.fit(block, {"time": [0.0, 1.0], "block.x": [0.0]}, {FRICTION: (0.1, 1.0)})
    with pytest.raises(vinci.InputError, match="other.x"):
        vinci.fit(block, {"time": [0.0, 0.1], "other.x": [0.0, 0.1]}, {FRICTION: (0.1, 1.0)})

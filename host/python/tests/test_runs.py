"""Runs, their tables and pages, and what is told of bad input."""

import json
import pickle
import shutil
import subprocess

import numpy as np
import pytest

import vinci
from conftest import SCENES
from vinci._program import program
from vinci.scene import Scene, shape


def test_ten_lines_as_in_the_readme(shipped):
    run = shipped("sliding-block").set("time.step", 1e-3).run()
    assert run.summary["status"] == "completed"
    # Stopping distance of the scheme: N = v/(μ g h) steps.
    x = run.trajectory["block.x"]
    assert len(run.trajectory) == len(x) == 1001
    h, v, a = 1e-3, 2.0, 0.5 * 9.81
    n = int(v / (a * h))
    assert x[-1] == pytest.approx(h * (n * v - a * h * n * (n + 1) / 2), abs=1e-9)


def test_the_files_are_those_of_the_program(shipped, tmp_path):
    run = shipped("bouncing-ball").run(tmp_path / "python")
    command = [program(), "run", SCENES / "bouncing-ball.json", "--out", tmp_path / "program", "--quiet"]
    subprocess.run(command, check=True)
    for name in ["trajectory.csv", "contacts.csv", "events.csv"]:
        assert (run.directory / name).read_bytes() == (tmp_path / "program" / name).read_bytes()
    assert vinci.Run.open(tmp_path / "program").state_hash == run.state_hash


def test_tables_go_to_arrow_and_pandas(shipped):
    pyarrow = pytest.importorskip("pyarrow")
    run = shipped("sliding-block").run()
    table = pyarrow.table(run.contacts)
    assert table.column_names == run.contacts.columns
    assert table.column("gap").to_numpy().tolist() == run.contacts["gap"].tolist()
    frame = run.contacts.to_pandas()
    assert set(frame["mode"]) == set(run.contacts["mode"]) != set()
    with pytest.raises(KeyError, match="there is no column `block.xx` .*did you mean `block.x`"):
        run.trajectory["block.xx"]
    with pytest.raises(KeyError, match="the run has no table `drives`; tables: contacts, events, steps, trajectory"):
        run.table("drives")


def test_a_run_shows_itself(shipped, tmp_path):
    run = shipped("sliding-block").run()
    page = run.view()
    assert page.save(tmp_path / "view.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")
    assert run._repr_html_().startswith("<iframe srcdoc=")


def test_a_directory_in_use_is_left_alone(shipped, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="is in use: give another `out`"):
        shipped("sliding-block").run(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_progress_is_told_and_what_a_listener_raises_comes_back(shipped):
    def listener(t):
        raise RuntimeError("enough")

    experiment = shipped("woodpecker").set("time.duration", 100.0)
    with pytest.raises(RuntimeError, match="enough"):
        experiment.run(progress=listener)


def test_a_refused_run_has_its_results(shipped):
    experiment = shipped("sliding-block").set("referee", {"penetration": 0.0}).set("scene.bodies.block.position", [0, 0.0499])
    with pytest.raises(vinci.RunError, match="the referee does not accept the result: ") as caught:
        experiment.run()
    run = caught.value.run
    assert run.code == 1 and len(run.trajectory) == 101
    assert experiment.run(check=False).code == 1


def test_findings_have_places_and_advice(shipped, tmp_path):
    with pytest.raises(vinci.InputError, match="no such file: .*\n = help: did you mean `.*sliding-block.json`") as caught:
        shipped("sliding-blok")
    assert caught.value.findings[0]["code"] == "no-such-file"
    file = tmp_path / "x.json"
    text = (SCENES / "sliding-block.json").read_text().replace('"step": 0.01', '"stepp": 0.01')
    file.write_text(text.replace("sliding-block.scene.json", str(SCENES / "sliding-block.scene.json")))
    with pytest.raises(vinci.InputError) as caught:
        vinci.Experiment.load(file).check()
    codes = {f["code"]: f for f in caught.value.findings}
    assert codes["unknown-key"]["line"] == 6 and "did you mean `step`" in codes["unknown-key"]["help"]
    assert pickle.loads(pickle.dumps(caught.value)).findings == caught.value.findings


def test_values_are_checked_where_they_are_used(shipped):
    experiment = shipped("sliding-block").set("time.step", -1.0)
    with pytest.raises(vinci.InputError, match="time.step=-1"):
        experiment.check()
    with pytest.raises(ValueError, match="nan cannot stand in an experiment: numbers are finite"):
        experiment.set("time.step", float("nan"))
    with pytest.raises(TypeError, match="object cannot stand in an experiment: use numbers, words, lists and dicts"):
        experiment.set("time.step", object())
    assert shipped("sliding-block").set("time.step", np.float64(0.02)).to_dict()["time"]["step"] == 0.02


def test_scenes_are_written_in_python_and_read_again(tmp_path):
    world = Scene("planar").material("rubber", friction=0.5)
    world.body("floor", static=True, shapes=[shape("half-plane", material="rubber")])
    world.body("ball", mass=1.0, inertia=0.005, position=[0, 1], shapes=[shape("disc", radius=0.1, material="rubber")])
    experiment = world.experiment(detector="planar", stepper="anitescu-potra", solver="lemke", step=0.001, duration=0.5)
    experiment.save(tmp_path / "ball.json")
    again = vinci.Experiment.load(tmp_path / "ball.json")
    assert again.run().state_hash == experiment.run().state_hash == pickle.loads(pickle.dumps(experiment)).run().state_hash
    world.body("odd", mass=1.0, colour="red")
    with pytest.raises(vinci.InputError, match="unknown-key.*colour"):
        world.experiment(detector="planar", stepper="anitescu-potra", solver="lemke", step=0.001, duration=0.5).check()


def test_the_program_came_along():
    told = subprocess.run([program(), "plugin", "list", "--error-format", "json"], capture_output=True, check=True, text=True)
    assert "vinci.stepper.tamsi" in told.stdout and json.loads(told.stdout)["exit_code"] == 0


def test_what_is_pickled_is_whole(shipped, tmp_path):
    """A pickled experiment named its file alone, and a `RunError` could not be unpickled."""
    for file in ("sliding-block.json", "sliding-block.scene.json"):
        if (SCENES / file).is_file():
            shutil.copy(SCENES / file, tmp_path)
    experiment = vinci.Experiment.load(tmp_path / "sliding-block.json").set("time.duration", 0.1)
    data, wanted = pickle.dumps(experiment), experiment.simulation()
    [file.unlink() for file in tmp_path.iterdir()]
    again = pickle.loads(data).simulation()
    for sim in (again, wanted):
        sim.run_until(0.1)
    assert again.state_hash == wanted.state_hash
    strict = shipped("sliding-block").set("referee", {"penetration": 0.0}).set("scene.bodies.block.position", [0, 0.0499])
    for out, kept in ((None, False), (tmp_path / "run", True)):
        with pytest.raises(vinci.RunError) as caught:
            strict.run(out)
        copy = pickle.loads(pickle.dumps(caught.value))
        assert str(copy) == str(caught.value) and (copy.run is not None) == kept
    assert copy.run.summary == caught.value.run.summary
    with pytest.raises(TypeError, match="the files of this run are temporary"):
        pickle.dumps(shipped("sliding-block").set("time.duration", 0.1).run())


def test_the_scene_of_the_docstring_runs():
    import vinci.scene

    lines = [line[4:] for line in vinci.scene.__doc__.splitlines() if line.startswith(">>> ")]
    names = {}
    exec("\n".join(lines), names)
    assert names["experiment"].run().code == 0

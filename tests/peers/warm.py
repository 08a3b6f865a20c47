"""Processor time of every step of MuJoCo and Rapier in scenes that `vinci export` gives away: the first, cold step, and those after it.

One JSON object per experiment and engine, one to a line. An engine runs in a process of its own on one core, as others beside it do not:
who gives up, or takes longer than it may, is a row with the reason.
"""

import argparse
import json
import multiprocessing
import pathlib
import statistics
import subprocess
import time
import xml.etree.ElementTree as xml

import numpy as np

import judged
import measure

# Elliptic cones throughout: pyramids are another model of friction.
MUJOCO = {"mujoco-cg": "CG", "mujoco-newton": "Newton"}


def mujoco_steps(solver, text, _name, _step):
    """A function that makes one step, and one that gives places (by body) and the deepest overlap, m."""
    import mujoco

    root = xml.fromstring(text)
    xml.SubElement(root, "size", memory="2G")
    option = root.find("option")
    option.set("cone", "elliptic")
    option.set("solver", solver)
    model = mujoco.MjModel.from_xml_string(xml.tostring(root, encoding="unicode"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)

    def depth():
        mujoco.mj_forward(model, data)
        return max([0.0, *(-contact.dist for contact in data.contact)])

    return lambda: mujoco.mj_step(model, data), depth


def rapier_steps(text, name, step):
    """The same of Rapier, with its own number of iterations (4)."""
    import rapier3d as rapier

    of = judged.RapierWorld(rapier, text, name, step)
    world, bodies = of.world, of.bodies
    if of.pushes:
        raise SystemExit("forces that change with time are not given to Rapier here")
    balls = [body for body in xml.fromstring(text).find("worldbody") if body.find("joint") is not None or body.find("freejoint") is not None]

    def depth():
        places = np.array([components(world.rigid_bodies.get(handle).translation) for _, handle in bodies])
        return overlap(xml.fromstring(text), balls, places)

    return world.step, depth


def components(vector):
    return vector.x, vector.y, vector.z


def overlap(root, bodies, places):
    """Deepest overlap of balls with one another and with fixed planes, m; none where a moving body is no single ball."""
    geoms = [body.findall("geom") for body in bodies]
    if any(len(of) != 1 or of[0].get("type") != "sphere" for of in geoms):
        return None
    radius = np.array([judged.floats(of[0], "size")[0] for of in geoms])
    deepest = 0.0
    for i in range(len(places) - 1):
        gap = np.linalg.norm(places[i + 1 :] - places[i], axis=1) - radius[i + 1 :] - radius[i]
        deepest = max(deepest, -gap.min())
    for plane in (geom for geom in root.find("worldbody").iter("geom") if geom.get("type") == "plane"):
        w, x, y, z = judged.floats(plane, "quat") if plane.get("quat") else (1.0, 0.0, 0.0, 0.0)
        normal = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        deepest = max(deepest, -((places - judged.floats(plane, "pos")) @ normal - radius).min())
    return deepest


def engines():
    """Name -> function of (text, name, step)."""
    of = {engine: (lambda *a, s=solver: mujoco_steps(s, *a)) for engine, solver in MUJOCO.items()}
    return of | {"rapier": rapier_steps}


def timed_steps(engine, case, count, out):
    """Sends seconds of processor time of the steps, and the overlap at the end."""
    make, depth = engines()[engine](*case)
    seconds = []
    for _ in range(count + 1):
        begun = time.process_time()
        make()
        seconds.append(time.process_time() - begun)
    out.put((seconds, depth()))


def row(engine, case, count, longest):
    """A row of the table, or why there is none."""
    context = multiprocessing.get_context("fork")
    out = context.Queue()
    process = context.Process(target=timed_steps, args=(engine, case, count, out))
    process.start()
    try:
        seconds, deepest = out.get(timeout=longest)
    except Exception:  # the queue's own class of what is not there in time
        process.kill()
        return {"failure": f"no end in {longest} s" if process.is_alive() else "ended early"}
    finally:
        process.join(1)
    us = [1e6 * s for s in seconds[1:]]
    low, middle, high = statistics.quantiles(us, n=4)
    warm = {"median": middle, "low": low, "high": high, "worst": max(us)}
    return {"cold_us": 1e6 * seconds[0], "warm_us": warm, "overlap_m": deepest}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiments", nargs="+")
    parser.add_argument("--vinci", default="target/release/vinci")
    parser.add_argument("--steps", type=int, default=100, help="warm ones")
    parser.add_argument("--longest", type=float, default=60.0, help="seconds of an engine on an experiment")
    parser.add_argument("--engines", default=",".join(engines()))
    options = parser.parse_args()
    measure.pin(None)
    for experiment in options.experiments:
        step = json.loads(pathlib.Path(experiment).read_text())["time"]["step"]
        name = pathlib.Path(experiment).name.split(".")[0]
        try:
            text = judged.exported(options.vinci, experiment, None, options.longest)
        except subprocess.TimeoutExpired:
            print(json.dumps({"experiment": name, "engine": "all", "failure": f"not given away in {options.longest} s"}), flush=True)
            continue
        for engine in options.engines.split(","):
            found = row(engine, (text, name, step), options.steps, options.longest)
            print(json.dumps({"experiment": name, "engine": engine} | found), flush=True)


if __name__ == "__main__":
    main()

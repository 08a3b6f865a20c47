"""Time per step of Drake, MuJoCo and, if given, Vinci on the three scenes: one run, one core, repetitions taken in turn."""

import argparse
import csv
import importlib.metadata
import json
import os
import subprocess

import measure

# Repetitions of a whole run: enough for a median, a minute for all.
REPETITIONS = {"tamsi-box": 100, "tamsi-gripper-mug": 15, "tamsi-allegro-mug": 5}
# Rows of written paths: about one per this many seconds where steps are shorter.
PATH_EVERY = {"tamsi-box": 0.01, "tamsi-gripper-mug": 0.003, "tamsi-allegro-mug": 0.0098}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", default=measure.DATA["scenes"], help="directory of tamsi-*.json")
    parser.add_argument("--models", default=measure.DATA["models"], help="directory of allegro_hand_description")
    parser.add_argument("--out", help="directory for peers.json, peers.csv and the paths")
    parser.add_argument("--core", type=int, default=None, help="the core to run on (default: as started)")
    parser.add_argument("--only", action="append", help="a scene (may be repeated; default: all)")
    parser.add_argument("--engines", help="comma-separated (default: all)")
    parser.add_argument("--repetitions", type=int, help="of every scene")
    parser.add_argument("--step", type=float, help="step in place of the paper's, s")
    parser.add_argument("--vinci", help="the program; its experiments are timed too")
    parser.add_argument("--experiments", help="directory of Vinci's tamsi-*.json experiments")
    option = "passed on to `vinci bench steps`, e.g. --vinci-option=--plugin-dir=DIR"
    parser.add_argument("--vinci-option", action="append", default=[], help=option)
    return parser.parse_args()


class Vinci:
    """`vinci bench steps` as an engine: the mean over a run's steps of detect, formulate, solve, update and referee together."""

    def __init__(self, options, name):
        experiment = os.path.join(options.experiments, name + ".json")
        self.command = [options.vinci, "bench", "steps", experiment, "--repeat", "1", "--json", *options.vinci_option]
        if options.step:
            self.command += ["--step", repr(options.step)]
        self.steps, self.stages = 0, {}

    def run(self):
        done = subprocess.run(self.command, capture_output=True, text=True, check=False)
        if not done.stdout.strip().startswith("{"):
            raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
        one = json.loads(done.stdout)["experiments"][0]
        if one["failure"]:
            raise RuntimeError(one["failure"])
        self.steps = one["steps"]
        self.stages = {stage: values["mean_us"] for stage, values in one["stages"].items()}
        return tuple(1e-6 * one["stages"][column]["mean_us"] * self.steps for column in ("step", "cpu"))


def engines(options):
    """Name -> function that makes the case of a scene. Imported late: threads and cores are settled before."""
    import drake_peer
    import mujoco_peer

    made = {}
    for peer in (drake_peer, mujoco_peer):
        for engine in peer.ENGINES:
            make = lambda name, scene, h, p=peer, e=engine: p.Case(e, name, scene, h, options.models)
            made[engine] = (peer.settings(engine), make)
    if options.vinci:
        made["vinci"] = ("its experiment's", lambda name, scene, h: Vinci(options, name))
    wanted = options.engines.split(",") if options.engines else list(made)
    return {engine: made[engine] for engine in wanted}


def measure_scene(options, name, makers):
    """Rows of all engines on one scene: physics first (it warms up too), then repetitions in turn."""
    import scenes

    scene = scenes.load(name, options.scenes)
    h = options.step or scene["h_paper"]
    rows, cases = {}, {}
    for engine, (settings, make) in makers.items():
        rows[engine] = {"scene": name, "engine": engine, "h": h, "settings": settings}
        try:
            case = make(name, scene, h)
            if hasattr(case, "path"):
                path = case.path()
                rows[engine]["physics"] = scenes.judge(name, scene, path)
                write_path(options, name, engine, h, path)
            else:
                case.run()
            cases[engine] = case
        except (RuntimeError, ValueError, OSError) as failure:
            rows[engine]["failure"] = str(failure).splitlines()[0].split(". ")[0]
    times = {engine: ([], []) for engine in cases}
    for _ in range(options.repetitions or REPETITIONS[name]):
        for engine, case in cases.items():
            for list_, value in zip(times[engine], case.run()):
                list_.append(value)
    for engine, case in cases.items():
        rows[engine].update(measure.summary(*times[engine], case.steps), stages_us=getattr(case, "stages", None))  # of the last repetition
    return list(rows.values())


def write_path(options, name, engine, h, path):
    """The path as CSV, thinned to about one row per PATH_EVERY; ends of steps, the first row t = 0, the last the end of the run."""
    if not options.out:
        return
    every, count = max(1, round(PATH_EVERY[name] / h)), len(path["t"])
    kept = sorted({*range(0, count, every), count - 1})
    with open(os.path.join(options.out, f"{name}.{engine}.csv"), "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(path)
        out.writerows([f"{path[column][k]:.12g}" for column in path] for k in kept)


def table(rows):
    """What a reader compares, one line per scene and engine."""
    head = f"{'scene':<18} {'engine':<16} {'h, ms':>7} {'steps':>6} {'reps':>5}   {'wall us/step: median     min     max':>36}"
    lines = [f"{head} {'cpu: median     min':>20}   physics"]
    for row in rows:
        start = f"{row['scene']:<18} {row['engine']:<16} {1e3 * row['h']:>7g}"
        if "failure" in row:
            lines.append(f"{start} failed: {row['failure']}")
            continue
        wall, cpu = row["wall_us"], row["cpu_us"]
        spread = f"{wall['median']:>20.2f} {wall['min']:>7.2f} {wall['max']:>7.2f}"
        spread += f" {cpu['median']:>12.2f} {cpu['min']:>7.2f}" if cpu else f" {'-':>12} {'-':>7}"
        counts = f"{row['steps']:>6} {row['repetitions']:>5}"
        lines.append(f"{start} {counts}   {spread}   {physics(row.get('physics', {}))}")
    return "\n".join(lines)


def physics(values):
    show = lambda v: f"{v:.4g}" if isinstance(v, float) else "[" + " ".join(map(show, v)) + "]" if isinstance(v, list) else str(v)
    return ", ".join(f"{key} {show(value)}" for key, value in values.items())


def flat(row):
    """A row for CSV: nested values as `wall_us.median`, lists as text."""
    out = {}
    for key, value in row.items():
        nested = value if isinstance(value, dict) else None
        out.update({f"{key}.{k}": v for k, v in nested.items()} if nested is not None else {key: value})
    return out


def write(options, rows, versions):
    if not options.out:
        return
    with open(os.path.join(options.out, "peers.json"), "w", encoding="utf-8") as file:
        json.dump({"versions": versions, "load": os.getloadavg(), "rows": rows}, file, indent=1)
    flattened = [flat(row) for row in rows]
    columns = list(dict.fromkeys(key for row in flattened for key in row))
    with open(os.path.join(options.out, "peers.csv"), "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, columns)
        out.writeheader()
        out.writerows(flattened)


def main():
    options = arguments()
    if options.vinci and not options.experiments:
        raise SystemExit("--vinci needs --experiments")
    measure.pin(options.core)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
    import scenes

    makers = engines(options)
    versions = {package: importlib.metadata.version(package) for package in ("drake", "mujoco", "numpy")}
    rows = []
    for name in options.only or scenes.SCENES:
        rows += measure_scene(options, name, makers)
        write(options, rows, versions)
    exact = scenes.coulomb_box(scenes.load("tamsi-box", options.scenes))
    print(" ".join(f"{package} {version}" for package, version in versions.items()), f"load {os.getloadavg()[0]:.2f}")
    print(table(rows))
    print(f"tamsi-box under Coulomb's law, exact: first stick {exact['first_stick']:.6f} s, x_end {exact['x_end']:.9f} m")


if __name__ == "__main__":
    main()

"""Refines plans for the needle: pushes are drawn, scored by sweeps over what is not known, and drawn again around the best (cross-entropy).

python host/python/examples/needle_peg_plans.py DIRECTORY [--vinci PROGRAM] [--jobs N]        needs the program `vinci` alone

A generation is a sweep of its own: the file of `needle-peg-plans` with normal laws in the place of uniform ones and the rung `uncertain` alone.
Its score of a plan is the part of 25 draws of support points and friction that bring the part home. What is found is tried with 200 other draws.
"""

import argparse
import csv
import json
import statistics
import subprocess
from collections import Counter
from pathlib import Path

SCENES = Path(__file__).resolve().parents[2] / "scenes"
ELITE, GENERATIONS, FIRST, NEXT = 6, 4, 48, 24
NARROWEST = 0.02  # least deviation, as part of the range a push is drawn from


def run(study: dict, name: str, place: argparse.Namespace) -> list[dict[str, str]]:
    """Rows of a sweep."""
    file = place.directory / f"{name}.sweep.json"
    file.write_text(json.dumps({**study, "name": name, "experiment": str(SCENES / study["experiment"])}, indent=1))
    out = place.directory / name
    subprocess.run([place.vinci, "sweep", str(file), "--jobs", str(place.jobs), "--out", str(out)], check=True, capture_output=True)
    with open(out / "rows.csv", newline="") as rows:
        return list(csv.DictReader(rows))


def scores(rows: list[dict[str, str]]) -> list[tuple[float, dict[str, float]]]:
    """Part of the successes of every plan, the best first."""
    wins, runs, plans = Counter(), Counter(), {}
    for row in rows:
        case = int(row["case"])
        runs[case] += 1
        wins[case] += row["success"] == "true"
        plans[case] = row
    return [(wins[case] / runs[case], plans[case]) for case in sorted(runs, key=lambda case: (-wins[case] / runs[case], case))]


def laws(ranges: dict, elite: list[dict[str, float]]) -> dict:
    """Normal laws around the elite, within the ranges."""
    found = {}
    for name, (low, high) in ranges.items():
        values = [plan[name] for plan in elite]
        deviation = max(statistics.pstdev(values), NARROWEST * (high - low))
        found[name] = {"normal": [statistics.fmean(values), deviation], "within": [low, high]}
    return found


def tried_again(study: dict, plan: dict[str, float], name: str, place: argparse.Namespace) -> tuple[int, int]:
    """Successes and runs of one plan with 200 draws of another seed."""
    cases = {"grid": {push: {"values": [value]} for push, value in plan.items()}}
    samples = {"random": {**study["samples"]["random"], "count": 200}}
    rows = run({**study, "cases": cases, "samples": samples, "seed": 1000}, name, place)
    return sum(row["success"] == "true" for row in rows), len(rows)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("directory", type=Path)
    arguments.add_argument("--vinci", default="vinci")
    arguments.add_argument("--jobs", type=int, default=2)
    place = arguments.parse_args()
    place.directory.mkdir(parents=True, exist_ok=True)
    study = json.loads((SCENES / "needle-peg-plans.sweep.json").read_text())
    ranges = {name: law["uniform"] for name, law in study["cases"]["random"].items() if name != "count"}
    study = {**study, "ladder": [rung for rung in study["ladder"] if rung["name"] == "uncertain"], "prune": "never"}
    law, best, first = {name: {"uniform": ends} for name, ends in ranges.items()}, [], None
    for generation in range(GENERATIONS):
        cases = {"random": {"count": NEXT if generation else FIRST, **law}}
        found = scores(run({**study, "cases": cases, "seed": study["seed"] + generation}, f"generation-{generation}", place))
        found = [(score, {name: float(row[name]) for name in ranges}) for score, row in found]
        mean = statistics.fmean(score for score, _ in found)
        print(f"generation {generation}: {len(found)} plans, mean {mean:.3f}, best {found[0][0]:.2f}", flush=True)
        best = sorted(best + found, key=lambda scored: -scored[0])[:ELITE]
        first = first or found[0]
        law = laws(ranges, [plan for _, plan in best])
    for name, (score, plan) in (("drawn", first), ("refined", best[0])):
        wins, runs = tried_again(study, plan, name, place)
        print(f"{name}: {score:.2f} of 25 draws, {wins} of {runs} others", json.dumps(plan), flush=True)


if __name__ == "__main__":
    main()

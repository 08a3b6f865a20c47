"""Refines plans for the needle: pushes are drawn, scored by sweeps over what is not known, and drawn again around the best (cross-entropy).

python host/python/examples/needle_peg_plans.py DIRECTORY [--vinci PROGRAM] [--jobs N]        needs the program `vinci` alone
--first 8 --next 4 --generations 2 --again 10 tries it in a minute.

A generation is a sweep of its own: the file of `needle-peg-plans` with normal laws in the place of uniform ones, the rung `uncertain` alone, and
the next of its counted plans. A plan's score is the part of 25 draws of support points and friction, the same for all, that bring the part home.
The best plans of the first generation and of all are then tried with 200 other draws, and the winners of both with 200 more: who was chosen by a
score has it partly by luck.
"""

import argparse
import csv
import json
import statistics
import subprocess
from collections import Counter
from pathlib import Path

SCENES = Path(__file__).resolve().parents[2] / "scenes"
ELITE = 6
NARROWEST = 0.02  # least deviation, as part of the range a push is drawn from


def run(study: dict, name: str, place: argparse.Namespace, *more: str) -> list[dict[str, str]]:
    """Rows of a sweep."""
    file = place.directory / f"{name}.sweep.json"
    file.write_text(json.dumps({**study, "name": name, "experiment": str(SCENES / study["experiment"])}, indent=1))
    out = place.directory / name
    subprocess.run([place.vinci, "sweep", str(file), "--jobs", str(place.jobs), "--out", str(out), *more], check=True, capture_output=True)
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


def tried_again(study: dict, plan: dict[str, float], seed: int, name: str, place: argparse.Namespace) -> float:
    """Part of the successes of one plan with draws of another seed."""
    cases = {"grid": {push: {"values": [value]} for push, value in plan.items()}}
    samples = {"random": {**study["samples"]["random"], "count": place.again}}
    [(score, _)] = scores(run({**study, "cases": cases, "samples": samples, "seed": seed}, name, place))
    return score


def winner(study: dict, plans: list[dict[str, float]], name: str, place: argparse.Namespace) -> None:
    """Tries the plans once more, takes the best, and prints what that one does with draws that chose nothing."""
    found = [(tried_again(study, plan, 1000, f"{name}-{k}", place), plan) for k, plan in enumerate(plans)]
    best = max(found, key=lambda scored: scored[0])
    last = tried_again(study, best[1], 2000, f"{name}-last", place)
    print(f"{name}: {[score for score, _ in found]} of {place.again} draws each; the best {last:.3f} of as many more:", json.dumps(best[1]), flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("directory", type=Path)
    arguments.add_argument("--vinci", default="vinci")
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("--first", type=int, default=48, help="plans of the first generation")
    arguments.add_argument("--next", type=int, default=24, help="plans of every other one")
    arguments.add_argument("--generations", type=int, default=4)
    arguments.add_argument("--again", type=int, default=200, help="other draws with which the best are tried again")
    place = arguments.parse_args()
    place.directory.mkdir(parents=True, exist_ok=True)
    study = json.loads((SCENES / "needle-peg-plans.sweep.json").read_text())
    ranges = {name: law["uniform"] for name, law in study["cases"]["random"].items() if name != "count"}
    study = {**study, "ladder": [rung for rung in study["ladder"] if rung["name"] == "uncertain"], "prune": "never"}
    law, best, first = {name: {"uniform": ends} for name, ends in ranges.items()}, [], []
    count, until = place.first + (place.generations - 1) * place.next, 0
    for generation in range(place.generations):
        start, until = until, until + (place.next if generation else place.first)
        plans = {**study, "cases": {"random": {"count": count, **law}}}
        found = scores(run(plans, f"generation-{generation}", place, "--cases", f"{start}..{until}"))
        found = [(score, {name: float(row[name]) for name in ranges}) for score, row in found]
        mean = statistics.fmean(score for score, _ in found)
        print(f"generation {generation}: {len(found)} plans, mean {mean:.3f}, best {[score for score, _ in found[:ELITE]]}", flush=True)
        best = sorted(best + found, key=lambda scored: -scored[0])[:ELITE]
        first = first or best
        law = laws(ranges, [plan for _, plan in best])
    winner(study, [plan for _, plan in first], "drawn", place)
    winner(study, [plan for _, plan in best], "refined", place)


if __name__ == "__main__":
    main()

"""Searches the part feeder's design with Optuna instead of by chance: ask for a design, sweep the draws of what is uncertain, tell the rate.

python host/python/examples/part_feeder.py [TRIALS]        needs optuna and joblib; the program `vinci` beside them
"""

import json
import sys
import tempfile
from pathlib import Path

import joblib
import optuna

import vinci.sweep

SCENES = Path(__file__).resolve().parents[2] / "scenes"


def sweep_of(study: dict, design: dict[str, float], draws: int) -> dict:
    """The study's sweep with one design in the place of random ones: its rung `st`, and the rate over all draws."""
    cases = {"grid": {name: {"values": [value]} for name, value in design.items()}}
    samples = {"random": {**study["samples"]["random"], "count": draws}}
    ladder = [rung for rung in study["ladder"] if rung["name"] == "st"]
    return {**study, "experiment": str(SCENES / "part-feeder.json"), "cases": cases, "samples": samples, "ladder": ladder, "prune": "never"}


def rate(study: dict, design: dict[str, float], draws: int, place: Path) -> float:
    """The part of the draws that leave the cup upright."""
    file = place / "design.sweep.json"
    file.write_text(json.dumps(sweep_of(study, design, draws)))
    plan = vinci.sweep.plan(file)
    out = vinci.sweep.joblib(plan, place / "out", shards=joblib.cpu_count(), progress=False, force=True)
    [rung] = json.loads((out / "summary.json").read_text())["rungs"]
    return rung["successes"] / rung["runs"]


def search(trials: int, draws: int = 20, seed: int = 1) -> optuna.Study:
    """Asks and tells: the study with all designs that were tried."""
    study = json.loads((SCENES / "part-feeder.sweep.json").read_text())
    bounds = {name: law["uniform"] for name, law in study["cases"]["random"].items() if name != "count"}
    found = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    with tempfile.TemporaryDirectory() as place:
        for _ in range(trials):
            trial = found.ask()
            design = {name: trial.suggest_float(name, low, high) for name, (low, high) in bounds.items()}
            # What the study's first rung requires costs no run.
            fits = design["chute_width"] > 0.03 and design["left"] + design["right"] > 0.0469
            found.tell(trial, rate(study, design, draws, Path(place)) if fits else 0.0)
    return found


if __name__ == "__main__":
    best = search(int(sys.argv[1]) if len(sys.argv) > 1 else 100).best_trial
    print(f"design {best.number}: {best.value:.0%} of the draws", json.dumps(best.params, indent=2), sep="\n")

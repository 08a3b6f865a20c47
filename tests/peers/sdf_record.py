"""Records what Drake's parser says of the models in `tests/data/sdf`: `sdf_record.py` writes `drake.json` beside them."""

import argparse
import json
import sys
from importlib.metadata import version
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data" / "sdf"
STATES = 4


def record(sdf_terms, path):
    import numpy as np

    plant = sdf_terms.plant_of(path, [(name, DATA / name) for name in ("wheel", "parts")])
    names = sdf_terms.Names(plant, path)
    told = sdf_terms.description(plant, names)
    rng = np.random.default_rng(7)
    told["gravity"] = list(sdf_terms.gravity(path))
    told["states"] = [sdf_terms.terms(plant, names, sdf_terms.random_state(plant, rng)) for _ in range(STATES)]
    return told


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    try:
        import sdf_terms
    except ModuleNotFoundError as missing:
        sys.exit(f"{missing.name} is not installed (pip install -r tests/peers/requirements.txt): nothing was recorded")
    told = {path.stem: record(sdf_terms, path) for path in sdf_terms.models(DATA)}
    text = json.dumps({"drake": version("drake"), "models": told}, indent=None, separators=(",", ":"))
    (DATA / "drake.json").write_text(text + "\n")
    print(f"{len(told)} models of {DATA.name}: written")


if __name__ == "__main__":
    main()

"""Records what MuJoCo says of the models in `tests/data/mjcf`: `mjcf_record.py` writes `mujoco.json` beside them."""

import argparse
import json
from pathlib import Path

import mujoco
import numpy as np

import mjcf_terms

DATA = Path(__file__).resolve().parent.parent / "data" / "mjcf"
STATES = 4


def contacts(model):
    """Pairs of bodies that touch where the model stands, with the friction of their contacts (0 without friction)."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found = {}
    for k in range(data.ncon):
        contact = data.contact[k]
        geoms = sorted(model.geom(int(g)).name for g in contact.geom)
        found["+".join(geoms)] = float(contact.friction[0]) if contact.dim > 1 else 0.0
    return found


def equalities(model):
    """Numbers of connects: the two points, each in the frame of its body."""
    anchors = []
    for i in range(model.neq):
        if model.eq_type[i] == mujoco.mjtEq.mjEQ_CONNECT and model.eq_objtype[i] == mujoco.mjtObj.mjOBJ_BODY:
            anchors.append([model.eq_data[i][:3].tolist(), model.eq_data[i][3:6].tolist()])
    return anchors


def keyframes(model):
    """The states of keyframes, by name."""
    found = {}
    for i in range(model.nkey):
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, i)
        found[model.key(i).name] = mjcf_terms.terms(model, data)
    return found


def record(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    told = mjcf_terms.description(model)
    told["contacts"], told["anchors"], told["keyframes"] = contacts(model), equalities(model), keyframes(model)
    rng = np.random.default_rng(7)
    states = [mjcf_terms.random_state(model, rng) for _ in range(STATES)]
    told["states"] = [mjcf_terms.terms(model, data) for data in states]
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    models = {path.stem: record(path) for path in sorted(DATA.glob("*.xml"))}
    told = {"mujoco": mujoco.__version__, "models": models}
    (DATA / "mujoco.json").write_text(json.dumps(told, indent=None, separators=(",", ":")) + "\n")
    print(f"{len(models)} models of {DATA.name}: written")


if __name__ == "__main__":
    main()
